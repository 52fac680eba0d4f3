import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Endpoint, type ReceivedRequest, type Reply, startEndpoint } from "../fakes/endpoint.ts";

export const BUDDY = join(import.meta.dir, "../../dist/buddy");

/** A fresh home and a fresh directory to work in; both are gone at the end of the scope. */
export type Place = Disposable & {
  readonly root: string;
  readonly home: string;
  readonly cwd: string;
};

/** Paths of `files` begin with `home/` or `cwd/`. */
export function newPlace(files: Readonly<Record<string, string>> = {}): Place {
  const root = mkdtempSync(join(tmpdir(), "buddy-cmd-"));
  const place = { root, home: join(root, "home"), cwd: join(root, "cwd") };
  mkdirSync(place.home);
  mkdirSync(place.cwd);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { ...place, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}

export type Script = readonly Reply[] | ((request: ReceivedRequest, index: number) => Reply);

/** A scripted endpoint that ends with the scope. */
export function newEndpoint(script: Script): Endpoint & AsyncDisposable {
  const endpoint = startEndpoint(script);
  return { ...endpoint, [Symbol.asyncDispose]: endpoint.stop };
}

export const USER_FILE = "home/.config/buddy/buddy.toml";

/** A user's configuration with one profile that is tried once; `more` is TOML that follows its table. */
export const configFor = (url: string, more = ""): Readonly<Record<string, string>> => ({
  [USER_FILE]: `[network]\nretries = 0\n\n[models.mock]\napi_base_url = "${url}"\n${more}`,
});

export type Ran = {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, or the signal that ended it. */
  readonly code: number | string | null;
  /** Every file below the place's root afterwards, by its path from there. */
  readonly files: Readonly<Record<string, string>>;
  readonly maxRssBytes: number;
};

export type RunOptions = {
  /** Added to PATH and HOME; undefined takes one of them away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text is written and the pipe closed; `open` stays silent until buddy has ended. */
  readonly stdin?: { readonly text: string } | "null" | "open";
};

export type Started = {
  readonly pid: number;
  readonly signal: (name: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGKILL") => void;
  /** Settles as soon as stderr so far has a match; rejects when it ends without one. */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>;
  readonly done: Promise<Ran>;
};

/** Starts the executable in a session of its own, without a terminal, and with nothing inherited but PATH. */
export const startBuddy = (place: Place, args: readonly string[], options: RunOptions = {}): Started =>
  startProgram(place, [BUDDY, ...args], options);

export const runBuddy = (place: Place, args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  startBuddy(place, args, options).done;

/** Runs a shell line in which `$BUDDY` is the executable. */
export const runShell = (place: Place, line: string, options: RunOptions = {}): Promise<Ran> =>
  startProgram(place, ["/bin/sh", "-c", line], { ...options, env: { BUDDY, ...options.env } }).done;

/** One run against a script: the plainest black-box test. */
export async function execAgainst(
  script: Script,
  args: readonly string[],
  { toml, files, ...options }: RunOptions & { toml?: string; files?: Readonly<Record<string, string>> } = {},
): Promise<Ran & { readonly requests: readonly ReceivedRequest[]; readonly url: string }> {
  await using endpoint = newEndpoint(script);
  using place = newPlace({ ...configFor(endpoint.url, toml), ...files });
  const ran = await runBuddy(place, ["exec", ...args], options);
  return { ...ran, requests: endpoint.requests, url: endpoint.url };
}

function startProgram(place: Place, argv: readonly string[], { env, stdin = "null" }: RunOptions): Started {
  const child = Bun.spawn([...argv], {
    cwd: place.cwd,
    env: { PATH: process.env.PATH ?? "", HOME: place.home, ...env },
    stdin: typeof stdin === "object" ? new Blob([stdin.text]) : stdin === "open" ? "pipe" : "ignore",
    stdout: "pipe",
    stderr: "pipe",
    detached: true,
  });
  const errors = liveText(child.stderr);
  const finish = async (): Promise<Ran> => {
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      errors.whole,
      child.exited,
    ]);
    const code = child.signalCode ?? child.exitCode;
    const maxRssBytes = child.resourceUsage()?.maxRSS ?? 0;
    return { stdout, stderr, code, maxRssBytes, files: filesBelow(place.root) };
  };
  return { pid: child.pid, signal: (name) => child.kill(name), said: errors.match, done: finish() };
}

/** A text that can be watched while it comes in. */
function liveText(stream: ReadableStream<Uint8Array>) {
  let text = "";
  let ended = false;
  let news = Promise.withResolvers<void>();
  const read = async (): Promise<string> => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      text += decoder.decode(bytes, { stream: true });
      news.resolve();
      news = Promise.withResolvers();
    }
    ended = true;
    news.resolve();
    return text;
  };
  const match = async (pattern: RegExp): Promise<RegExpExecArray> => {
    while (true) {
      const found = pattern.exec(text);
      if (found) return found;
      if (ended) throw new Error(`It ended without ${pattern}: ${text}`);
      await news.promise;
    }
  };
  return { whole: read(), match };
}

function filesBelow(root: string): Readonly<Record<string, string>> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(
    paths.flatMap((path) => {
      const text = textOfFile(join(root, path));
      return text === undefined ? [] : [[path, text]];
    }),
  );
}

/** What is larger is not read: the memory of a program counts from that of whoever starts it. */
const READ_BYTES = 4 * 1024 * 1024;

/** Undefined for what is no file, or is gone: others may still be at work in the same place. */
function textOfFile(path: string): string | undefined {
  try {
    const stat = lstatSync(path);
    if (stat.size > READ_BYTES) return `(${stat.size} bytes)`;
    return stat.isFile() ? readFileSync(path, "utf8") : undefined;
  } catch (error) {
    if (existsSync(path)) throw error;
    return undefined;
  }
}

/** What differs from run to run, made the same: times, the port, the place. */
export const steady = (text: string, place?: Place): string =>
  text
    .replaceAll(place?.root ?? "\0", "ROOT")
    .replace(/127\.0\.0\.1:\d+/g, "ENDPOINT")
    .replace(/\b\d+(\.\d+)?m?s\b/g, "TIME");

/** The lines of stderr that are errors and hints, without the rest of the chrome. */
export const errorLines = ({ stderr }: Pick<Ran, "stderr">): readonly string[] =>
  stderr.split("\n").filter((line) => /^(buddy|hint): /.test(line));

/** Settles with the text of a file as soon as somebody has moved it to that path. */
export function fileAppears(path: string): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      if (!existsSync(path)) return;
      watcher.close();
      resolve(readFileSync(path, "utf8"));
    };
    const watcher = watch(dirname(path), look);
    look();
  });
}

/** Those of the pids that still run; a zombie only waits for its parent to look. */
export const stillRunning = (pids: readonly number[]): readonly number[] =>
  pids.filter((pid) => {
    try {
      return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false; // gone
    }
  });
