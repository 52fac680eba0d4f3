import { fuzzyFilter } from "@earendil-works/pi-tui";
import type { Target } from "../../core/ports/target.ts";

/** Files where the commands run, for completion. */
export type TargetFiles = {
  /** Anywhere below the working directory, best fit first. */
  readonly find: (query: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** Paths that begin so. */
  readonly list: (prefix: string, signal: AbortSignal) => Promise<readonly string[]>;
};

const TIMEOUT_MS = 2000;
const MOST_CHARS = 400_000;
const MOST_FOUND = 50;
/** A list of all files is used again for so long. */
const FRESH_MS = 5000;

// Git without anything of the repository that could run, and only names that fit into a line.
const ALL_FILES =
  "git -c core.fsmonitor=false -c core.hooksPath=/dev/null ls-files -co --exclude-standard 2>/dev/null | head -n 20000 | grep . || " +
  "find . -maxdepth 6 -name '.?*' -prune -o -type f -print 2>/dev/null | head -n 20000 | sed 's|^\\./||'";

export function targetFiles(target: Pick<Target, "run">, monotonicMs: () => number): TargetFiles {
  let all: { readonly paths: Promise<readonly string[]>; readonly atMs: number } | undefined;

  const everything = (signal: AbortSignal): Promise<readonly string[]> => {
    if (all === undefined || monotonicMs() - all.atMs > FRESH_MS) {
      all = { paths: linesOf(target, ALL_FILES, signal), atMs: monotonicMs() };
      // What was given up half way is no list.
      all.paths.catch(() => {
        all = undefined;
      });
    }
    return all.paths;
  };

  return {
    find: async (query, signal) => {
      if (query.startsWith("/") || query.startsWith("~") || query.startsWith("../"))
        return listed(target, query, signal);
      const paths = await everything(signal).catch(() => []);
      return fuzzyFilter([...paths], query, (path) => path).slice(0, MOST_FOUND);
    },
    list: (prefix, signal) => listed(target, prefix, signal),
  };
}

async function listed(
  target: Pick<Target, "run">,
  prefix: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const cut = prefix.lastIndexOf("/") + 1;
  const [dir, begun] = [prefix.slice(0, cut), prefix.slice(cut)];
  const from = dir === "" ? "." : dir.startsWith("~/") ? `"$HOME"/${quoted(dir.slice(2))}` : quoted(dir);
  const names = await linesOf(target, `ls -1Ap -- ${from} 2>/dev/null | head -n 2000`, signal).catch(
    () => [],
  );
  return names
    .filter((name) => name.startsWith(begun) && (begun.startsWith(".") || !name.startsWith(".")))
    .slice(0, MOST_FOUND)
    .map((name) => dir + name);
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

async function linesOf(
  target: Pick<Target, "run">,
  command: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const event of target.run({ command, timeoutMs: TIMEOUT_MS }, signal)) {
    if (event.type === "stdout" && text.length < MOST_CHARS)
      text += decoder.decode(event.bytes, { stream: true });
  }
  return text.split("\n").filter((line) => line !== "" && !/[\u0000-\u001f\u007f]/.test(line));
}
