import { expect, test } from "bun:test";
import * as fc from "fast-check";
import * as v from "valibot";
import { judgeShell } from "../../../core/policy/shell/judge.ts";
import { corpusRows } from "../../adapters/corpus.ts";
import { broken, disguised } from "./mutate.ts";
import { ownCommands } from "./own-commands.ts";

const judged = (command: string) => judgeShell(command, { home: "/home/u", denylist: [] });

const row = v.object({ input: v.string(), expected: v.string() });
const inputs = (name: string, expected: string): readonly string[] =>
  corpusRows(name, row).flatMap((one) => (one.expected === expected ? [one.input] : []));

const denied = [...inputs("shell-commands", "block"), ...ownCommands.denied];
// What is not whole may become so inside another.
const dangerous = [
  ...denied,
  ...inputs("not-read-only", "ask"),
  ...ownCommands.careful,
  ...ownCommands.not_read_only,
].filter((command) => judged(command).readable);
const all = [...dangerous, ...ownCommands.allowed, ...ownCommands.read_only];

// Together 100,000 commands.
test("judgeShell() takes no dangerous command for reading, however it is dressed", () => {
  const holds = (command: string) => expect(judged(command).readOnly).toBe(false);
  fc.assert(fc.property(disguised(dangerous), holds), { numRuns: 50_000 });
}, 60_000);

test("judgeShell() waves no denied command through, however it is dressed", () => {
  const holds = (command: string) => expect(judged(command).verdict).not.toBe("allow");
  fc.assert(fc.property(disguised(denied), holds), { numRuns: 20_000 });
}, 60_000);

test("judgeShell() has an answer for every nonsense, the same each time", () => {
  const holds = (command: string) => {
    const first = judged(command);
    expect(judged(command)).toEqual(first);
    expect(first.readOnly && (first.verdict !== "allow" || !first.readable)).toBe(false);
  };
  fc.assert(fc.property(broken(all), holds), { numRuns: 30_000 });
}, 60_000);
