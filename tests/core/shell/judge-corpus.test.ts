import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { judgeShell } from "../../../core/policy/shell/judge.ts";
import { corpusRows } from "../../adapters/corpus.ts";

const RULES = { home: "/home/u", denylist: [] };
const WORDS = { deny: "block", ask: "ask", allow: "allow" } as const;

const denylistRow = v.object({
  id: v.string(),
  input: v.string(),
  expected: v.picklist(["block", "allow"]),
  strength: v.picklist(["must", "should"]),
  accept: v.array(v.picklist(["block", "ask", "allow"])),
});

describe("judgeShell() on commands that must not run, and on those that only look like them", () => {
  for (const { id, input, expected, strength, accept } of corpusRows("shell-commands", denylistRow)) {
    test(`${id}: ${input.slice(0, 60)}`, () => {
      const got = WORDS[judgeShell(input, RULES).verdict];
      expect(strength === "must" ? [expected] : accept).toContain(got);
    });
  }
});

const readOnlyRow = v.object({
  id: v.string(),
  input: v.string(),
  expected: v.picklist(["ask", "read-only", "invalid-arguments"]),
});

describe("judgeShell() on commands that look harmless", () => {
  // Arguments outside their range never reach the policy: tests/core/run-shell.test.ts.
  const rows = corpusRows("not-read-only", readOnlyRow).filter(
    ({ expected }) => expected !== "invalid-arguments",
  );
  for (const { id, input, expected } of rows) {
    test(`${id}: ${input}`, () => {
      expect(judgeShell(input, RULES).readOnly).toBe(expected === "read-only");
    });
  }
});
