import { statSync } from "node:fs";
import { DELTAS } from "./replies.ts";
import type { Samples } from "./statistics.ts";

export type Unit = "ms" | "µs" | "MB";

/** What must not be exceeded. `none`: a figure to compare with. */
export type Goal =
  | { readonly type: "ratio"; readonly most: number }
  | { readonly type: "over"; readonly most: number }
  | { readonly type: "value"; readonly most: number }
  | { readonly type: "none" };

export type Figure = { readonly name: string; readonly value: number };

export type Row = {
  readonly what: string;
  readonly unit: Unit;
  readonly value: number;
  readonly floor: Figure | undefined;
  readonly goal: Goal;
};

/** A row that could not be measured, and why. */
export type Gap = { readonly what: string; readonly reason: string };

export type Programs = { readonly buddy: string; readonly empty: string; readonly peers: readonly string[] };

/** Goals as the project sets them; a median each, against the median of the floor in the same rounds. */
export function rowsOf(samples: Samples, programs: Programs): readonly (Row | Gap)[] {
  const row = rowMaker(samples);
  return [
    row("buddy --version", "ms", ["buddy --version"], ["empty program"], ratio(1.5)),
    ...programs.peers.map((name) =>
      row(`${name} --version (peer)`, "ms", [`${name} --version`], ["empty program"], NONE),
    ),
    row("exec, one line, whole process", "ms", ["buddy one-line"], ["curl one-line"], ratio(2.5)),
    row(
      "exec, first byte of the request",
      "ms",
      ["buddy one-line first byte"],
      ["curl one-line first byte"],
      ratio(1.5),
    ),
    ...turnRows(row),
    ...streamRows(row),
    ...farRows(row),
    row("shell policy, one verdict", "µs", ["verdict"], [], value(50)),
    row("keystroke to screen, 500 deltas a second", "ms", ["keystroke"], [], value(16)),
    row("CPU of the REPL meanwhile, each second", "ms", ["repl cpu each second"], [], value(150)),
    row(
      "REPL memory, 200 answers against 50",
      "MB",
      ["repl memory after 200 answers"],
      ["repl memory after 50 answers"],
      SAME,
    ),
    row("resume of 10,000 messages", "ms", ["resume"], [], value(300)),
    row("list of 5,000 sessions", "ms", ["list"], [], value(200)),
    row("peak memory, one-line exec", "MB", ["buddy one-line memory"], [], value(45)),
    row("peak memory, 1,000 time turns", "MB", ["many turns memory"], [], value(120)),
    {
      what: "executable",
      unit: "MB",
      value: megabytes(statSync(programs.buddy).size),
      floor: { name: "empty program", value: megabytes(statSync(programs.empty).size) },
      goal: ratio(1.15),
    },
  ];
}

function turnRows(row: RowMaker): readonly (Row | Gap)[] {
  return [
    row("time turn, own time, 200 turns", "ms", ["time turn"], ["bare loop turn"], value(1)),
    row("time turn, around turn 10", "ms", ["time turn at 10"], ["bare loop turn at 10"], value(1)),
    row("time turn, around turn 1,000", "ms", ["time turn at 1000"], ["bare loop turn at 1000"], value(1)),
    row("time turn, turn 1,000 against turn 10", "ms", ["time turn at 1000"], ["time turn at 10"], SAME),
    row("run_shell true turn, plain", "ms", ["shell turn"], ["sh -c true"], over(1)),
    row("run_shell true turn, tmux", "ms", ["shell turn in tmux"], ["sh -c true"], over(3)),
    row("run_shell true turn, plain, no session", "ms", ["shell turn, no session"], ["sh -c true"], over(1)),
  ];
}

/** Through a link with a delay, so that a second round trip could not hide. */
function farRows(row: RowMaker): readonly (Row | Gap)[] {
  return [
    row(
      "run_shell true turn, far away by SSH",
      "ms",
      ["shell turn over ssh"],
      ["one round trip"],
      ratio(1.5),
    ),
    row("read_file turn, far away by SSH", "ms", ["read turn over ssh"], ["one round trip"], ratio(1.5)),
    row("the same as `ssh -S … true`", "ms", ["ssh session"], ["one round trip"], NONE),
  ];
}

function streamRows(row: RowMaker): readonly (Row | Gap)[] {
  const perDelta = (name: string) => [`${name} stream cpu`, `${name} one-line cpu`, DELTAS] as const;
  return [
    row("stream of 20,000 deltas, CPU", "ms", ["buddy stream cpu"], ["curl stream cpu"], ratio(5)),
    row("the same, for each delta", "µs", perDelta("buddy"), perDelta("curl"), NONE),
    // Not shorter ones: until its first collections the heap grows whatever the program keeps.
    row(
      "peak memory, 80,000 deltas against 40,000",
      "MB",
      ["twice as long stream memory"],
      ["long stream memory"],
      SAME,
    ),
  ];
}

const ratio = (most: number): Goal => ({ type: "ratio", most });
const over = (most: number): Goal => ({ type: "over", most });
const value = (most: number): Goal => ({ type: "value", most });
const NONE: Goal = { type: "none" };
/** "The same", as far as a machine with other things to do can tell. */
const SAME = ratio(1.25);

/** One sample set, or one less another; `each`: spread over so many. */
type Source = readonly [name: string, less?: string | undefined, each?: number | undefined];

type RowMaker = (
  what: string,
  unit: Unit,
  source: Source,
  floor: Source | readonly [],
  goal: Goal,
) => Row | Gap;

function rowMaker(samples: Samples): RowMaker {
  const read = ([name, less, each = 1]: Source, unit: Unit): number => {
    const found = samples.median(name) ?? Number.NaN;
    const rest = less === undefined ? found : found - (samples.median(less) ?? Number.NaN);
    return inUnit(rest / each, unit);
  };
  return (what, unit, source, floor, goal) => {
    const measured = read(source, unit);
    if (Number.isNaN(measured)) return { what, reason: `"${source[0]}" did not run` };
    const [name] = floor;
    if (name === undefined) return { what, unit, value: measured, floor: undefined, goal };
    const least = { name, value: read([name, floor[1], floor[2]], unit) };
    if (!Number.isNaN(least.value)) return { what, unit, value: measured, floor: least, goal };
    if (goal.type === "value") return { what, unit, value: measured, floor: undefined, goal };
    return { what, reason: `"${name}" did not run` };
  };
}

/** Samples are milliseconds and bytes. */
function inUnit(value: number, unit: Unit): number {
  if (unit === "MB") return megabytes(value);
  return unit === "µs" ? value * 1000 : value;
}

const megabytes = (bytes: number): number => bytes / 1_000_000;
