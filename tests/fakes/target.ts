import { resolve } from "node:path";
import type { FileEvent, FileFailure, RunEvent, RunRequest, Target } from "../../core/ports/target.ts";
import { err, ok } from "../../core/result.ts";

type RunScript =
  | readonly RunEvent[]
  | ((request: RunRequest, signal: AbortSignal) => AsyncIterable<RunEvent>);

export type FakeTargetSetup = {
  /** What each command line does. Any other command throws. */
  readonly commands?: Readonly<Record<string, RunScript>>;
  /** Where links lead, by absolute path. */
  readonly links?: Readonly<Record<string, string>>;
  /** Content by path, relative ones in `/work`. Any other path is not found. */
  readonly files?: Readonly<Record<string, string | Uint8Array | Omit<FileFailure, "type">>>;
  /** How many bytes of a file arrive at a time. */
  readonly chunkBytes?: number;
  readonly timeZone?: string;
};

export type FakeTarget = Target & {
  readonly runs: readonly RunRequest[];
  /** Bytes of files handed out so far. */
  readonly bytesRead: () => number;
  /** Texts of files that were written, by absolute path. */
  readonly written: () => Readonly<Record<string, string>>;
};

/** A machine of scripted commands and files in memory. */
export function fakeTarget(setup: FakeTargetSetup = {}): FakeTarget {
  const commands = new Map(Object.entries(setup.commands ?? {}));
  const at = (path: string) => resolve("/work", path);
  const files = new Map(Object.entries(setup.files ?? {}).map(([path, file]) => [at(path), file]));
  const written = new Map<string, string>();
  const runs: RunRequest[] = [];
  let bytesRead = 0;

  async function* run(request: RunRequest, signal: AbortSignal): AsyncGenerator<RunEvent> {
    signal.throwIfAborted();
    runs.push(request);
    const script = commands.get(request.command);
    if (script === undefined) throw new Error(`The target script has no command "${request.command}"`);
    if (typeof script === "function") return yield* script(request, signal);
    for (const event of script) {
      signal.throwIfAborted();
      yield event;
    }
  }

  async function* readFile(path: string, signal: AbortSignal): AsyncGenerator<FileEvent> {
    signal.throwIfAborted();
    const file = files.get(at(path)) ?? { kind: "not_found", detail: "ENOENT" };
    if (typeof file === "object" && "kind" in file) return yield { type: "failed", ...file };
    const bytes = typeof file === "string" ? utf8(file) : file;
    const size = setup.chunkBytes ?? 65_536;
    yield { type: "opened", size: bytes.length };
    for (let at = 0; at < bytes.length; at += size) {
      signal.throwIfAborted();
      const chunk = bytes.subarray(at, at + size);
      bytesRead += chunk.length;
      yield { type: "chunk", bytes: chunk };
    }
    yield { type: "ended" };
  }

  return {
    summary: "local",
    cwd: "/work",
    runs,
    bytesRead: () => bytesRead,
    written: () => Object.fromEntries(written),
    run,
    readFile,
    resolvePath: async (path) => ok(setup.links?.[at(path)] ?? at(path)),
    stat: async (path) => {
      const file = files.get(at(path)) ?? { kind: "not_found", detail: "ENOENT" };
      if (typeof file === "object" && "kind" in file) return err({ type: "failed", ...file });
      return ok({
        type: "file",
        size: typeof file === "string" ? utf8(file).length : file.length,
        mode: 0o644,
      });
    },
    writeFile: async (path, bytes) => {
      const file = files.get(at(path));
      if (typeof file === "object" && "kind" in file) return err({ type: "failed", ...file });
      files.set(at(path), bytes);
      written.set(at(path), new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
      return ok({ created: file === undefined });
    },
    timeZone: async () => setup.timeZone ?? "Europe/Berlin",
    close: async () => {},
    killNow: () => {},
  };
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export const stdout = (text: string | Uint8Array): RunEvent => ({
  type: "stdout",
  bytes: typeof text === "string" ? utf8(text) : text,
});

export const stderr = (text: string | Uint8Array): RunEvent => ({
  type: "stderr",
  bytes: typeof text === "string" ? utf8(text) : text,
});

export const exited = (code = 0): RunEvent => ({ type: "exited", code });

/** Says what is given, then runs until it is aborted. `reached` runs when there is no more to say. */
export function runsForEver(reached: () => void, ...before: readonly RunEvent[]): RunScript {
  return async function* (_request, signal) {
    yield* before;
    signal.throwIfAborted();
    await new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      reached();
    });
  };
}
