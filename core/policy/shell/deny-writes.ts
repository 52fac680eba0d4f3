import { ask, deny, type Finding, type Invocation, stricter, strictestOf } from "./invocation.ts";
import { hasLetter, hasLong, splitArguments } from "./options.ts";
import { resolvePath } from "./paths.ts";
import { judgeRemoval, type Place } from "./protected-paths.ts";
import { named, placeOf, type RuleTable } from "./rule.ts";
import { judgeWrite } from "./sensitive-paths.ts";
import { words } from "./words.ts";

/** Changing files of the system, of start-up, of keys; and devices. */
export const WRITE_RULES: RuleTable = new Map([
  ...named(["tee", "sponge"], (invocation, home) => writes(invocation, home, operandsOf(invocation))),
  ...named(["touch", "truncate", "mkfifo", "mknod", "mkdir"], (invocation, home) =>
    writes(invocation, home, operandsOf(invocation, "srtdmZ")),
  ),
  ...named(["cp", "gcp", "install", "ln", "link", "ddrescue"], judgeCopy),
  ...named(["mv", "gmv", "rename"], judgeMove),
  ...named(["dd", "gdd", "dcfldd", "dc3dd"], judgeDd),
  ...named(["sed", "gsed"], (invocation, home) =>
    editsInPlace(invocation)
      ? writes(invocation, home, operandsOf(invocation, "efl"))
      : sedWrites(invocation, home),
  ),
  ...named(["perl", "ruby"], (invocation, home) =>
    editsInPlace(invocation) ? writes(invocation, home, operandsOf(invocation, "eEI")) : undefined,
  ),
  ...named(
    ["ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "sudoedit", "pico", "micro"],
    (invocation, home) =>
      writes(invocation, home, [...operandsOf(invocation, "cSuU"), ...savedByEditor(invocation)]),
  ),
  ...named(["scp", "sftp"], (invocation, home) => {
    const target = operandsOf(invocation, "oSiFPlcJ").at(-1) ?? "";
    return /^[^/]*:/.test(target) ? undefined : writes(invocation, home, [target]);
  }),
  ...named(["sudo"], (invocation, home) =>
    splitArguments(invocation.argv.slice(1), { short: "ugpCDhRrtTU" }, { stopAtOperand: true }).options.some(
      (option) => /^(-[a-zA-Z]*e|--edit)$/.test(option),
    )
      ? writes(invocation, home, operandsOf(invocation))
      : undefined,
  ),
  ...named(["chmod", "chown", "chgrp", "chattr", "setfacl", "chflags", "chcon", "xattr"], judgeMode),
  ...named(["curl", "wget", "aria2c", "axel"], judgeDownloadTarget),
  ...named(["tar", "gtar", "bsdtar", "unzip", "cpio", "7z", "7za", "ar"], judgeUnpack),
  ...named(["patch"], (invocation, home) =>
    writes(invocation, home, [
      ...operandsOf(invocation, "pdior").slice(0, 1),
      ...valuesOf(invocation, "pdior", "d", "o"),
    ]),
  ),
  ...named(["awk", "gawk"], (invocation, home) =>
    valuesOf(invocation, "iFvf", "i").includes("inplace")
      ? writes(invocation, home, operandsOf(invocation, "iFvf").slice(1))
      : undefined,
  ),
  ...named(["git"], (invocation, home) =>
    invocation.argv.includes("clone")
      ? writes(invocation, home, operandsOf(invocation, "bcoju").slice(2))
      : undefined,
  ),
]);

const operandsOf = ({ argv }: Invocation, short = ""): readonly string[] =>
  splitArguments(argv.slice(1), { short }).operands;

const valuesOf = ({ argv }: Invocation, short: string, ...names: readonly string[]): readonly string[] => {
  const { values } = splitArguments(argv.slice(1), { short });
  return names.flatMap((name) => values.get(name) ?? []);
};

/** `:w file` among the commands that an editor is given. */
const savedByEditor = ({ argv }: Invocation): readonly string[] =>
  argv.flatMap((arg) =>
    [...arg.matchAll(/(?:^|[:+|\s])w(?:rite|q)?!?\s+(\S+)/g)].map(([, path = ""]) => path),
  );

const writes = (invocation: Invocation, home: string, paths: readonly string[]): Finding | undefined =>
  strictestOf(paths, (path) => judgeWrite(path, placeOf(invocation, home)));

/** Where a copy goes: into a directory it is the directory and each name in it. */
function targetsOf(
  invocation: Invocation,
  short: string,
): { readonly sources: readonly string[]; readonly targets: readonly string[] } {
  const { operands, values } = splitArguments(invocation.argv.slice(1), {
    short,
    long: ["target-directory", "mode", "owner", "group", "suffix"],
  });
  const into = values.get("t")?.at(-1) ?? values.get("target-directory")?.at(-1);
  const sources = into === undefined ? operands.slice(0, -1) : operands;
  const target = into ?? (operands.length > 1 ? operands.at(-1) : undefined);
  if (target === undefined) return { sources, targets: [] };
  const inside = sources
    .slice(0, 32)
    .map((source) => `${target}/${source.replace(/\/+$/, "").split("/").at(-1) ?? ""}`);
  return { sources, targets: [target, ...inside] };
}

function judgeCopy(invocation: Invocation, home: string): Finding | undefined {
  const { targets } = targetsOf(invocation, invocation.name === "install" ? "tSmog" : "tS");
  const onlyDirectories = invocation.name === "install" && invocation.argv.includes("-d");
  const found = writes(invocation, home, onlyDirectories ? operandsOf(invocation, "mog") : targets);
  return found ?? setsUserId(invocation);
}

const setsUserId = ({ name, argv }: Invocation): Finding | undefined =>
  name === "install" &&
  argv.some(
    (arg, at) => /^(-m|--mode=?)?0?[4-7]\d{3}$/.test(arg) && (arg.startsWith("-") || argv[at - 1] === "-m"),
  )
    ? deny("privileges", "It would give a program the rights of another user")
    : undefined;

function judgeMove(invocation: Invocation, home: string): Finding | undefined {
  const { sources, targets } = targetsOf(invocation, "tS");
  const place = placeOf(invocation, home);
  const taken = strictestOf(sources, (path) => {
    const removed = judgeRemoval(path, place);
    return stricter(removed?.verdict === "deny" ? removed : undefined, judgeWrite(path, place));
  });
  const lost = targets.some((path) => resolvePath(path, place.cwd) === "/dev/null")
    ? deny("device", "It would replace /dev/null")
    : undefined;
  return stricter(stricter(taken, lost), writes(invocation, home, targets));
}

function judgeDd(invocation: Invocation, home: string): Finding | undefined {
  const targets = invocation.argv.flatMap((arg) => (arg.startsWith("of=") ? [arg.slice(3)] : []));
  return writes(invocation, home, targets);
}

const editsInPlace = ({ name, argv }: Invocation): boolean =>
  argv
    .slice(1)
    .some(
      (arg) =>
        /^--in-/.test(arg) ||
        (/^-[a-zA-Z0-9.]*i/.test(arg) && !(name.endsWith("sed") ? /^-e/ : /^-[eE]/).test(arg)),
    );

/** `w file` in a script of sed. */
function sedWrites(invocation: Invocation, home: string): Finding | undefined {
  const files = invocation.argv.flatMap((arg) =>
    [...arg.matchAll(/(?:^|[;}/|#,\s\d$])w\s+(\S+)/g)].map(([, path = ""]) => path),
  );
  return writes(invocation, home, files);
}

/** Modes, owners and attributes: below a system directory, or in a way that gives rights away. */
function judgeMode(invocation: Invocation, home: string): Finding | undefined {
  const { options, operands } = splitArguments(invocation.argv.slice(1), {
    short: "mxMX",
    long: ["reference", "from", "modify", "remove"],
  });
  const place: Place = placeOf(invocation, home);
  const recursive = hasLetter(options, "Rr") || hasLong(options, "recursive");
  const found = strictestOf(operands, (path) => {
    const removed = recursive ? judgeRemoval(path, place) : undefined;
    const all =
      removed?.verdict === "deny"
        ? deny("permissions", removed.reason.replace("remove", "change the rights of"))
        : undefined;
    const root =
      resolvePath(path, place.cwd) === "/"
        ? deny("permissions", "It would change the rights of the root directory")
        : undefined;
    return all ?? root ?? judgeWrite(path, place);
  });
  if (found?.verdict === "deny" || invocation.name !== "chmod") return found;
  const mode = operands[0] ?? "";
  if (
    /^0*[4-7]\d{3}$/.test(mode) ||
    mode.split(",").some((part) => /^[ugoa]*[+=][rwxXt]*s/.test(part) && !/^[go]+[+=]/.test(part))
  ) {
    return deny("privileges", "It would give a program the rights of another user");
  }
  return found;
}

/** Where a download is put. */
function judgeDownloadTarget(invocation: Invocation, home: string): Finding | undefined {
  const { values } = splitArguments(invocation.argv.slice(1), {
    short: invocation.name === "curl" ? "odFTHXuAebKxEcDw" : "OPo",
    long: words(`
      output output-document directory-prefix output-dir dir out dump-header cookie-jar
    `),
  });
  const names = words(`
    o O P output output-document directory-prefix output-dir dir out D c dump-header cookie-jar
  `);
  return writes(
    invocation,
    home,
    names.flatMap((name) => values.get(name) ?? []),
  );
}

function judgeUnpack(invocation: Invocation, home: string): Finding | undefined {
  const { argv, name } = invocation;
  const { values } = splitArguments(argv.slice(1), {
    short: name === "unzip" ? "d" : name === "cpio" ? "DFOIE" : "Cfo",
    long: ["directory", "file"],
  });
  const packs =
    name.includes("tar") && argv.some((arg, at) => /^-?[a-zA-Z]*[cru][a-zA-Z]*$/.test(arg) && at === 1);
  const archives = packs ? [...(values.get("f") ?? []), ...(values.get("file") ?? [])] : [];
  const where = packs ? [] : ["d", "C", "D", "o", "directory"].flatMap((key) => values.get(key) ?? []);
  const place = placeOf(invocation, home);
  const root = where.find((path) => resolvePath(path, place.cwd) === "/" || path === home);
  if (root !== undefined) return deny("system-files", `It would unpack onto "${root}"`);
  const own =
    name.includes("tar") && argv.includes("--remove-files")
      ? ask("remove-all", "It would remove what it packs")
      : undefined;
  return stricter(writes(invocation, home, [...archives, ...where]), own);
}

/** Redirections of any command. */
export function judgeRedirects(invocation: Invocation, home: string): Finding | undefined {
  const place = placeOf(invocation, home);
  return strictestOf(invocation.redirects, ({ operator, target }) => {
    if (!/>/.test(operator) || /^(\d+|-)$/.test(target)) return undefined;
    return judgeWrite(target, place);
  });
}
