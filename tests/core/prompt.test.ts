import { expect, test } from "bun:test";
import { systemPrompt } from "../../core/prompt.ts";
import builtin from "../../core/system-prompt.md" with { type: "text" };

const facts = { operator: [], target: "local", cwd: "/work", date: "2026-01-02" };
const WHERE = "You work on this machine. Working directory: /work. Date: 2026-01-02.";

test("systemPrompt() is the built-in prompt and the place", () => {
  expect(systemPrompt(facts)).toBe(`${builtin.trim()}\n\n${WHERE}`);
  expect(systemPrompt(facts)).toMatchSnapshot();
});

test("systemPrompt() adds the operator's instructions between the two, trimmed, and no empty ones", () => {
  expect(systemPrompt({ ...facts, operator: [" Be brief.\n", "  ", "Speak Dutch."] })).toBe(
    `${builtin.trim()}\n\nOperator instructions:\nBe brief.\n\nSpeak Dutch.\n\n${WHERE}`,
  );
});

test("systemPrompt() names a target that is not this machine", () => {
  expect(systemPrompt({ ...facts, target: "ssh admin@db1", cwd: "/srv" })).toBe(
    `${builtin.trim()}\n\nYou work on ssh admin@db1. Working directory: /srv. Date: 2026-01-02.`,
  );
});

test("systemPrompt() begins the same whatever the facts, so that providers can cache it", () => {
  const other = systemPrompt({ ...facts, target: "container x", date: "2027-12-31" });
  expect([systemPrompt(facts), other].map((prompt) => prompt.startsWith(builtin.trim()))).toEqual([
    true,
    true,
  ]);
});
