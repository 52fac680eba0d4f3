import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import type { FileEvent, RunEnd, RunEvent, Target } from "../../core/ports/target.ts";

// What the target contract does with a target: run, watch, abort, read.

/** Says the pids of a child and a grandchild that both keep stdout open. */
export const FAMILY = "sh -c 'sleep 300 & echo $!; wait' & echo $!";
export const QUIET_CHILD = "sleep 300 >/dev/null 2>&1 & echo $!";

export type Ran = {
  readonly end: RunEnd;
  readonly stdout: string;
  readonly stderr: string;
  readonly notices: readonly string[];
};

export const ended = (end: RunEnd): Ran => ({ end, stdout: "", stderr: "", notices: [] });

export const plainEnv = (): Readonly<Record<string, string>> => ({ PATH: process.env.PATH ?? "" });

export const never = (): AbortSignal => new AbortController().signal;

export const asks = (command: string, timeoutMs = 60_000) => ({ command, timeoutMs });

export async function run(
  target: Target,
  command: string,
  timeoutMs = 60_000,
  signal = never(),
): Promise<Ran> {
  return collect(target.run(asks(command, timeoutMs), signal));
}

/** Gathers a run and checks on the way that exactly one closing event comes, and comes last. */
async function collect(events: AsyncIterable<RunEvent>, onOutput = (_: string) => {}): Promise<Ran> {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  const texts = { stdout: "", stderr: "" };
  const notices: string[] = [];
  let end: RunEnd | undefined;
  for await (const event of events) {
    if (end !== undefined) throw new Error(`${event.type} came after the closing event ${end.type}`);
    switch (event.type) {
      case "stdout":
      case "stderr":
        texts[event.type] += decoders[event.type].decode(event.bytes, { stream: true });
        onOutput(texts.stdout);
        break;
      case "notice":
      case "attention":
        notices.push(event.text);
        break;
      default:
        end = event;
    }
  }
  if (end === undefined) throw new Error("The run ended without a closing event");
  return { end, ...texts, notices };
}

/** Runs a command that says pids on stdout. */
export async function runWatched(target: Target, command: string, timeoutMs: number) {
  const ran = await run(target, command, timeoutMs);
  return { ran, pids: pidsIn(ran.stdout) };
}

export const pidsIn = (text: string): readonly number[] => (text.match(/^\d+$/gm) ?? []).map(Number);

/** Aborts a command as soon as it has said the pids of its family. */
export async function abortOnceStarted(target: Target, command: string) {
  const controller = new AbortController();
  let pids: readonly number[] = [];
  let abortedMs = 0;
  const failure = await collect(target.run(asks(command), controller.signal), (said) => {
    pids = pidsIn(said);
    if (pids.length < 2 || controller.signal.aborted) return;
    abortedMs = performance.now();
    controller.abort(new Error("the user said stop"));
  }).catch((error: unknown) => error);
  return { failure, pids, tookMs: performance.now() - abortedMs };
}

/** Those of the pids that still run on the target. A zombie does not run; it waits for its parent to look. */
export async function alive(target: Target, pids: readonly number[]): Promise<readonly number[]> {
  expect(pids.length).toBeGreaterThan(0);
  const check = `for pid in ${pids.join(" ")}; do grep -qs ') [^ZX] ' /proc/$pid/stat && echo $pid; done; true`;
  const { end, stdout } = await run(target, check);
  expect(end).toEqual({ type: "exited", code: 0 });
  return pidsIn(stdout);
}

export type Read = {
  readonly events: readonly FileEvent["type"][];
  readonly size: number | undefined;
  readonly text: string;
};

export async function read(target: Target, path: string): Promise<Read> {
  const events: FileEvent["type"][] = [];
  const decoder = new TextDecoder();
  let text = "";
  let size: number | undefined;
  for await (const event of target.readFile(path, never())) {
    events.push(event.type);
    if (event.type === "opened") size = event.size;
    if (event.type === "chunk") text += decoder.decode(event.bytes, { stream: true });
  }
  return { events, size, text };
}

export async function failureKind(target: Target, path: string): Promise<string> {
  const kinds: string[] = [];
  for await (const event of target.readFile(path, never())) {
    kinds.push(event.type === "failed" ? event.kind : event.type);
  }
  return kinds.join(",");
}

/** Checks that work leaves no descriptor open. Elsewhere a session that is opened or closed meanwhile has some. */
export async function leavesNoDescriptor(
  place: "here" | "elsewhere",
  rounds: number,
  round: () => Promise<void>,
): Promise<void> {
  await round();
  const before = openDescriptors();
  for (let count = 0; count < rounds; count++) await round();
  const added = openDescriptors().filter((fd) => !before.includes(fd));
  if (place === "here") expect(added).toEqual([]);
  else expect(added.length).toBeLessThan(rounds);
}

const openDescriptors = (): readonly string[] => readdirSync("/proc/self/fd").sort();
