import { hasHole } from "./hole.ts";
import { ask, deny, type Finding, type Invocation } from "./invocation.ts";
import { isInterpreter, isShell, isStdinPath, sourceOf } from "./shells.ts";

const DOWNLOADERS =
  /^(curl|wget|wget2|fetch|aria2c|axel|lwp-request|lwp-download|http|https|httpie|xh|curlie|lynx|links|w3m|elinks|nc|ncat|netcat|socat|telnet|ftp|tftp|scp|sftp|gsutil|openssl|dig|nslookup|host|ssh|aws|gh|ipfs)$/;
const DECODERS =
  /^(base64|base32|basenc|rev|tr|xxd|od|hexdump|openssl|uudecode|gunzip|zcat|gzip|bzip2|bunzip2|bzcat|xz|unxz|xzcat|zstd|unzstd|zstdcat|brotli|lz4|gpg|age|iconv|rot13|fold|dd|tac|cut|python[\d.]*|perl|ruby|node|php)$/;

const CHANGES = /^(sed|awk|gawk|mawk|grep|paste|fmt|sort|head|tail|column|jq|bc|dc|m4|ed|nl|pr)$/;

export const REMOTE = deny("remote-code", "It would run what a server sends, without anyone having seen it");

/** An interpreter that runs what was downloaded, decoded, or put together out of sight. */
export function judgeInterpreter(invocation: Invocation): Finding | undefined {
  const { name, argv, stdin, inner, via } = invocation;
  const downloads = (commands: readonly Invocation[]) => commands.some((one) => DOWNLOADERS.test(one.name));
  if (READS_COMMANDS.has(name) && downloads(stdin.from)) return REMOTE;
  if (feedsInterpreter(invocation)) return REMOTE;
  if (!runsText(invocation)) return undefined;
  const args = argv.slice(1);
  if (RUNS_ITS_WORDS.has(name)) {
    if (!args.some(hasHole)) return undefined;
    const from = name === "eval" ? [...inner, ...stdin.from] : inner;
    return downloads(from) ? REMOTE : name === "eval" ? unknownText(inner) : undefined;
  }
  const source = name === "." || name === "source" ? sourcedFrom(args) : sourceOf(name, args);
  switch (source.type) {
    case "text":
      if (!hasHole(source.text)) return undefined;
      return downloads([...inner, ...(GATHERS.has(via.at(-1) ?? "") ? stdin.from : [])])
        ? REMOTE
        : unknownText(inner);
    case "stdin":
      if (downloads(stdin.from)) return REMOTE;
      if (stdin.text !== undefined && !hasHole(stdin.text)) return undefined;
      return stdin.from.length > 0 || stdin.text !== undefined ? unknownText(stdin.from) : undefined;
    case "file":
      return hasHole(source.path) && downloads(inner)
        ? REMOTE
        : hasHole(source.path) && inner.length > 0
          ? unknownText(inner)
          : undefined;
    case "nothing":
      return undefined;
  }
}

/** Their standard input is commands. */
const READS_COMMANDS = new Set(["parallel", "at", "batch"]);

/** `curl … > >(sh)`. */
const feedsInterpreter = ({ name, redirects, inner }: Invocation): boolean =>
  isDownloader(name) &&
  redirects.some(({ operator, target }) => operator.includes(">") && target.startsWith("/dev/fd/")) &&
  inner.some((one) => isInterpreter(one.name));

/** Their commands have words from standard input. */
const GATHERS = new Set(["xargs", "parallel"]);

const RUNS_ITS_WORDS = new Set(["eval", "xargs", "ssh", "su", "parallel"]);

const runsText = ({ name }: Invocation): boolean =>
  isInterpreter(name) || name === "." || name === "source" || RUNS_ITS_WORDS.has(name);

const sourcedFrom = ([path = ""]: readonly string[]) =>
  isStdinPath(path) ? ({ type: "stdin" } as const) : ({ type: "file", path } as const);

function unknownText(from: readonly Invocation[]): Finding {
  // Words that stand in the command need no changing on their way, unless they are not to be seen.
  const changed = /^(echo|printf)$/.test(from[0]?.name ?? "") && from.some(({ name }) => CHANGES.test(name));
  return changed || from.some(({ name }) => DECODERS.test(name))
    ? deny("hidden-code", "It would run text that is put together or decoded out of sight")
    : ask("cannot-tell", "What it would run is not known before it runs");
}

/** A shell for somebody else: its input and output go through a connection. */
export function judgeReverseShell(invocation: Invocation): Finding | undefined {
  const { name, argv, redirects, stdin } = invocation;
  const found = deny("reverse-shell", "It would give somebody else a shell on this machine");
  const args = argv.slice(1);
  if (/^(nc|ncat|netcat|nc\.\w+)$/.test(name)) {
    if (args.some((arg) => /^-[a-zA-Z]*[ec]$|^-[a-zA-Z]*e.|^--(exec|sh-exec|lua-exec)/.test(arg)))
      return found;
    return stdin.from.some((one) => isShell(one.name)) ? found : undefined;
  }
  if (name === "socat" && args.some((arg) => /\b(exec|system|shell)\s*:/i.test(arg))) return found;
  if ((name === "telnet" || name === "openssl") && stdin.from.some((one) => isShell(one.name))) return found;
  const connects = redirects.some(({ target }) => /^\/dev\/(tcp|udp)\//.test(target));
  if (!connects) return undefined;
  return isShell(name) || name === "exec" || name === "" || /^\/dev/.test(argv[0] ?? "")
    ? found
    : ask("network", "It would open a connection of its own");
}

export const isDownloader = (name: string): boolean =>
  /^(curl|wget|wget2|aria2c|axel|http|https|xh|fetch)$/.test(name);

/** Files that a download is put into. */
export function downloadedFiles({ name, argv, redirects }: Invocation): readonly string[] {
  if (!isDownloader(name)) return [];
  const named = argv.flatMap((arg, at) => {
    const before = argv[at - 1] ?? "";
    if (/^(-[a-zA-Z]*[oO]|--output|--output-document)$/.test(before) && !/^(-|https?:)/.test(arg))
      return [arg];
    const [, joined] = /^(?:--output(?:-document)?=|-[oO])([^-].*)$/.exec(arg) ?? [];
    return joined === undefined ? [] : [joined];
  });
  const saved = argv
    .filter((arg) => /^https?:|^[\w.-]+\.[a-z]+\//.test(arg))
    .map(
      (url) =>
        url
          .replace(/[?#].*$/, "")
          .split("/")
          .at(-1) ?? "",
    );
  return [
    ...named,
    ...redirects.filter(({ operator }) => operator.includes(">")).map(({ target }) => target),
    ...saved,
  ].filter((file) => file !== "" && file !== "-" && file !== "/dev/null");
}

/** What a command runs from a file: itself, or the script it is given. */
export function runFile({ name, argv }: Invocation): string | undefined {
  const [program = "", ...args] = argv;
  if (program.includes("/")) return program;
  if (name === "." || name === "source") return args[0];
  if (!isInterpreter(name)) return undefined;
  const source = sourceOf(name, args);
  return source.type === "file" ? source.path : undefined;
}
