import { HOLE, hasHole } from "./hole.ts";
import { ask, deny, type Finding } from "./invocation.ts";
import { canBe, resolvePath, segmentsOf } from "./paths.ts";
import { isSystemPath, type Place } from "./protected-paths.ts";
import { words } from "./words.ts";

type Kind = { readonly rule: string; readonly what: string };

const START_UP: Kind = { rule: "start-up-files", what: "a file that runs when a shell or a session starts" };
const CREDENTIALS: Kind = { rule: "credentials", what: "keys or credentials" };
const CONFIG: Kind = { rule: "own-config", what: "the configuration of this program" };
const GIT: Kind = { rule: "git-config", what: "a file of git that decides what runs" };
const HISTORY: Kind = { rule: "history", what: "the history of a shell" };

/** Below any home directory, by the beginning of the path. */
const IN_HOME: readonly (readonly [RegExp, Kind])[] = [
  [/^\.ssh(\/|$)/, { rule: "authorized-keys", what: "keys of SSH" }],
  [/^\.(gnupg|aws|kube|azure|docker|config\/gh|config\/gcloud|local\/share\/keyrings)(\/|$)/, CREDENTIALS],
  [/^\.(netrc|pgpass|git-credentials|pypirc|my\.cnf|vault-token|npmrc|config\/op)(\/|$)/, CREDENTIALS],
  [
    /^\.(bash|zsh|python|node_repl|psql|mysql|sqlite|lesshst|ash|sh)_?history$|^\.lesshst$|^\.local\/share\/fish\/fish_history$/,
    HISTORY,
  ],
  [
    /^\.(bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout)$/,
    START_UP,
  ],
  [
    /^\.(kshrc|mkshrc|cshrc|tcshrc|login|logout|inputrc|envrc|xinitrc|xprofile|xsession|xsessionrc|pam_environment)$/,
    START_UP,
  ],
  [
    /^\.(vimrc|exrc|emacs|screenrc|tmux\.conf|nanorc|gdbinit|lldbinit|pythonrc|irbrc|pryrc|Rprofile|wgetrc|curlrc)$/,
    START_UP,
  ],
  [/^\.(bashrc\.d|zsh|oh-my-zsh|vim|emacs\.d)\//, START_UP],
  [
    /^\.config\/(fish|autostart|systemd|environment\.d|upstart|nvim|zsh|tmux|plasma-workspace)(\/|$)/,
    START_UP,
  ],
  [/^Library\/(LaunchAgents|LaunchDaemons|Keychains)(\/|$)/, START_UP],
  [/^\.config\/(buddy|buddyx)(\/|$)/, CONFIG],
  [/^\.gitconfig$|^\.config\/git(\/|$)/, GIT],
];

/** What writing to a path, or removing it, would mean. Nothing: it is like any other. */
export function judgeWrite(path: string, place: Place): Finding | undefined {
  if (hasHole(path)) {
    const guess = path.replaceAll(HOLE, "");
    const found = guess === "" ? undefined : judgeWrite(guess, place);
    return found && ask(found.rule, `${found.reason}, unless a value that is not known says otherwise`);
  }
  const resolved = resolvePath(path, place.cwd);
  const segments = segmentsOf(resolved);
  const git = /(^|\/)\.git\/(hooks(\/|$)|config$|info\/attributes$)/.test(resolved) ? GIT : undefined;
  const keys = /(^|\/)\.ssh\/|(^|\/)authorized_keys2?$/.test(resolved) ? IN_HOME[0]?.[1] : undefined;
  const kind = git ?? keys ?? kindInHome(resolved, place.home) ?? kindInSystem(resolved, segments);
  if (kind) return deny(kind.rule, `It would change ${kind.what}: "${resolved}"`);
  const local = segments[0] === "usr" && segments[1] === "local" && resolved.startsWith("/");
  return local ? ask("system-files", `It would change installed programs: "${resolved}"`) : undefined;
}

function kindInHome(path: string, home: string): Kind | undefined {
  const below = belowHome(path, home);
  return below === undefined ? undefined : IN_HOME.find(([pattern]) => pattern.test(below))?.[1];
}

/** The rest of a path below somebody's home directory. */
function belowHome(path: string, home: string): string | undefined {
  if (home !== "/" && path.startsWith(`${home}/`)) return path.slice(home.length + 1);
  return /^\/(?:root|home\/[^/]+|Users\/[^/]+)\/(.*)$/.exec(path)?.[1];
}

const SYSTEM_KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^\/etc\/sudoers(\.d)?(\/|$)/, { rule: "sudoers", what: "who may do everything" }],
  [
    /^\/(etc\/(cron|anacrontab|at\.)|var\/spool\/(cron|at))/,
    { rule: "cron", what: "what runs by the clock" },
  ],
  [/^\/etc\/(profile|bash|zsh|environment|rc\.local|init|systemd)/, START_UP],
  [
    /^\/var\/log(\/|$)|^\/var\/(run|adm)\/(utmp|wtmp)|^\/run\/utmp$/,
    { rule: "logs", what: "logs of the system" },
  ],
  [/^\/dev\//, { rule: "device", what: "a device" }],
];

function kindInSystem(path: string, segments: readonly string[]): Kind | undefined {
  if (!path.startsWith("/")) return undefined;
  if (/^\/dev\/(tcp|udp)\//.test(path)) return undefined;
  const listed = SYSTEM_KINDS.find(([pattern]) => pattern.test(path))?.[1];
  if (listed && (listed.rule !== "device" || isSystemPath(segments))) return listed;
  const cached = segments[0] === "var" && segments[1] === "cache";
  return isSystemPath(segments) && !cached
    ? { rule: "system-files", what: "files of the system" }
    : undefined;
}

const SECRET_NAMES =
  /(^|\/)(\.env(\.(?!example|sample|template)[\w.-]+)?|id_(rsa|dsa|ecdsa|ed25519)[^/]*|[^/]*\.(pem|p12|pfx|kdbx|key|keystore|jks)|credentials(\.json)?|\.htpasswd|auth\.json|secrets?\.(ya?ml|json|toml|env)|service-account[^/]*\.json)$/i;
const SECRET_SEGMENTS = words(
  ".env .env.local .ssh .aws .gnupg .kube .netrc .npmrc .git-credentials .pgpass id_rsa id_ed25519 environ",
);

/** A glob that may be one of them. A leading dot has to be written out, and `*` alone stands for everyday files. */
const mayNameSecrets = (segment: string): boolean =>
  /[*?[]/.test(segment) &&
  !/^[*?]*$/.test(segment) &&
  SECRET_SEGMENTS.some((name) => name.startsWith(".") === segment.startsWith(".") && canBe(segment, name));

const PUBLIC_NAMES = /\.pub$|\/known_hosts/;

/** Whether what is in a file, or below a directory, is for its owner only. */
export function isSecret(path: string, place: Place): boolean {
  const resolved = resolvePath(path, place.cwd);
  if (PUBLIC_NAMES.test(resolved)) return false;
  if (SECRET_NAMES.test(resolved) || /(^|\/)\.(ssh|gnupg|aws|kube)(\/|$)/.test(resolved)) return true;
  if (
    /^\/etc\/(g?shadow|sudoers|ssh\/ssh_host|ssl\/private|master\.passwd)|^\/proc\/[^/]+\/(environ|mem)$/.test(
      resolved,
    )
  )
    return true;
  if (/^\/(dev\/(mem|kmem|sd|nvme|vd|hd|disk)|proc\/kcore)/.test(resolved)) return true;
  const kind = kindInHome(resolved, place.home);
  if (kind === CREDENTIALS || kind === CONFIG || kind === HISTORY) return true;
  if (segmentsOf(resolved).some(mayNameSecrets)) return true;
  const [first = "", second = ""] = segmentsOf(resolved);
  return (
    /[*?[]/.test(resolved) && canBe(first, "etc") && (canBe(second, "shadow") || canBe(second, "gshadow"))
  );
}
