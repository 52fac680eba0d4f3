import { hasHole } from "./hole.ts";
import { ask, deny, type Finding, type Invocation } from "./invocation.ts";
import { named, type RuleTable, when } from "./rule.ts";
import { words } from "./words.ts";

const LOST = ask("throws-away", "It would throw away work that cannot be brought back");
const OUTSIDE = ask("other-systems", "It would change or remove something on another system for good");

const textOf = ({ argv }: Invocation): string => argv.slice(1).join(" ");

const SQL =
  /\b(drop\s+(database|table|schema|user|role|index|view|owned)|truncate\s+(table\s+)?\w+|delete\s+from|dropDatabase|flushall|flushdb|alter\s+user)\b/i;

/** What is the user's own affair, but not without a question. */
export const CAUTION_RULES: RuleTable = new Map([
  ...named(["git"], judgeGit),
  ...named(
    words(`
      psql mysql mariadb sqlite3 mongo mongosh redis-cli sqlcmd clickhouse-client cqlsh duckdb
    `),
    ({ argv, stdin }) => (SQL.test(`${argv.join(" ")} ${stdin.text ?? ""}`) ? OUTSIDE : undefined),
  ),
  ...named(["dropdb", "dropuser", "mysqladmin"], () => OUTSIDE),
  ...named(
    words(`
      aws gcloud az doctl oci ibmcloud linode-cli hcloud fly flyctl heroku vercel netlify wrangler
    `),
    when(/\b(delete\S*|terminate\S*|destroy\S*|purge\S*|remove\S*|rb|deregister\S*)\b|\brm\b/, OUTSIDE),
  ),
  ...named(
    ["gsutil", "s3cmd", "mc", "rclone", "az"],
    when(/\b(rm|rb|del|delete|purge|deletefile|sync)\b/, OUTSIDE),
  ),
  ...named(
    ["kubectl", "oc", "helm"],
    when(/\b(delete|drain|uninstall|rollback|cordon|replace --force)\b/, OUTSIDE),
  ),
  ...named(
    ["terraform", "tofu", "pulumi", "vagrant", "ansible", "cdk", "serverless"],
    when(/\b(destroy|apply|up|remove)\b/, OUTSIDE),
  ),
  ...named(["docker", "podman", "nerdctl", "docker-compose"], judgeContainer),
  ...named(
    ["npm", "pnpm", "yarn", "cargo", "gem", "poetry", "twine", "bun"],
    when(/\b(publish|unpublish|deprecate|yank|upload)\b|\bconfig\b.*\b(set|delete)\b|\bset\b.*-g\b/, OUTSIDE),
  ),
  ...named(
    ["gh", "glab", "hub"],
    when(/\b(delete|archive|rename|transfer|secret|merge)\b|-X\s*(DELETE|PUT|PATCH)/, OUTSIDE),
  ),
  ...named(
    ["apt", "apt-get", "dnf", "yum", "zypper", "pacman", "apk", "brew", "snap", "flatpak", "dpkg", "rpm"],
    when(
      /\b(remove|purge|autoremove|erase|uninstall)\b|(^|\s)-(R|e|P|r)\w*\b|--(purge|remove|erase)/,
      ask("packages", "It would remove programs from this machine"),
    ),
  ),
  ...named(
    ["systemctl", "service", "rc-service", "initctl"],
    when(
      /\b(stop|disable|mask|kill|enable|link|edit|daemon-reexec|set-default)\b/,
      ask("services", "It would change what runs on this machine"),
    ),
  ),
  ...named(
    ["ifconfig", "ip", "nmcli", "networksetup"],
    when(
      /\b(down|del|delete|flush|off)\b/,
      ask("network", "It would take a connection of this machine away"),
    ),
  ),
  ...named(["nsenter", "chroot", "unshare", "systemd-run", "machinectl"], () =>
    ask("leaves-process-tree", "It would run out of reach of this run"),
  ),
  ...named(
    ["tmux", "screen"],
    when(
      /(^|\s)(send-keys|send|run-shell|run|if-shell|kill-server|kill-session|pipe-pane|respawn|source-file|stuff)(\s|$)/,
      ask("other-terminals", "It would act in another terminal"),
    ),
  ),
  ...named(["ssh"], when(/(^|\s)-[ORLDw]/, ask("network", "It would open or close connections of others"))),
  ...named(["set"], when(/\+o\s+history/, deny("history", "It would switch the history of a shell off"))),
  ...named(["unset"], when(/\bHIST\w*/, deny("history", "It would switch the history of a shell off"))),
  ...named(["truncate", "shred"], ({ argv }) =>
    argv.some(hasHole) ? ask("throws-away", "What it would wipe is not known") : undefined,
  ),
]);

const GIT_CONFIG =
  /(core\.(hookspath|pager|editor|sshcommand|fsmonitor|gitproxy|askpass|attributesfile|worktree|alternaterefscommand)|alias\.|credential\.|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|filter\.|include\.path|includeif\.|gpg\.program|gpg\..*\.program|init\.templatedir|url\.|http\.(proxy|sslverify|cookiefile)|protocol\.|sequence\.editor|pager\.|uploadpack\.|browser\.|man\.|difftool\.|mergetool\.|safe\.directory|ssh\.variant|sendemail\.|trailer\.)/i;

function judgeGit(invocation: Invocation): Finding | undefined {
  const text = textOf(invocation);
  const args = invocation.argv.slice(1);
  if (/\bconfig\b/.test(text) && args.includes("config")) {
    const reads = args.some((arg) => /^(--get\S*|--list|-l|get|list|--show-\S+|--name-only)$/.test(arg));
    const wide = args.some((arg) => /^--(global|system|file)|^-f$/.test(arg));
    if (
      reads ||
      (args.slice(args.indexOf("config") + 1).filter((arg) => !arg.startsWith("-")).length < 2 &&
        !/--(unset|remove|rename|edit|add)|-e\b/.test(text))
    )
      return undefined;
    if (GIT_CONFIG.test(text))
      return wide
        ? deny("git-config", "It would change what git runs, in every repository")
        : ask("git-config", "It would change what git runs here");
    return wide ? ask("git-config", "It would change git for every repository") : undefined;
  }
  if (
    /^\s*(-\S+\s+)*push\b/.test(text) &&
    /(^|\s)(--force\S*|-[a-z]*f[a-z]*|--mirror|--delete|-d|--prune|\+\S+|:\S+)(\s|$)/.test(text)
  )
    return LOST;
  if (
    /\bstash\s+(drop|clear)\b|\breset\b.*--(hard|merge)|\bclean\b.*(-\w*f|--force)|\bbranch\b.*(-D|--delete --force)|\bfilter-(branch|repo)\b|\breflog\s+(expire|delete)\b|\bgc\b.*--prune|\bupdate-ref\b.*-d|\bcheckout\b\s+(-f|--force|--\s|\.(\s|$))|\brestore\b(?!.*--staged)|\bworktree\s+remove\b.*(-f|--force)|\btag\b.*(-d|--delete)|\bremote\s+(rm|remove)\b/.test(
      text,
    )
  )
    return LOST;
  return undefined;
}

function judgeContainer(invocation: Invocation): Finding | undefined {
  const text = textOf(invocation);
  if (
    /(^|\s)(-v|--volume)[ =]?\/+:|source=\/+,|src=\/+,|--privileged|--pid[ =]host|docker\.sock/.test(text)
  ) {
    return ask("container-host", "It would give a container the whole machine");
  }
  return /\b(prune|volume\s+rm|rmi?\s+(-f|--force)|down\s+(-v|--volumes)|swarm leave|system df --reset)\b/.test(
    text,
  )
    ? LOST
    : undefined;
}

/** Variables that change what a later program is or does. */
export function judgeVariables({ argv, assignments, name }: Invocation): Finding | undefined {
  const exported = /^(export|declare|typeset|readonly|local)$/.test(name) ? argv.slice(1) : [];
  const set = [...assignments.map(([variable, value]) => `${variable}=${value}`), ...exported];
  for (const one of set) {
    if (/^HIST(FILE=(\/dev\/null)?|SIZE=0|FILESIZE=0|CONTROL=ignore(both|space)|IGNORE=\*)$/.test(one)) {
      return deny("history", "It would switch the history of a shell off");
    }
    if (
      /^(LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PYTHONSTARTUP|NODE_OPTIONS|PERL5OPT|RUBYOPT|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF)=./.test(
        one,
      )
    ) {
      return ask("environment", "It would set a variable that makes other programs run something");
    }
  }
  return undefined;
}
