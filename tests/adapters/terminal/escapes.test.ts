import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { approvalLines } from "../../../adapters/terminal/approval.ts";
import { noPaint } from "../../../adapters/terminal/theme.ts";
import type { Event } from "../../../core/event.ts";
import { failure } from "../../../core/failure.ts";
import { approvalId, sessionIdOf, taskId } from "../../../core/id.ts";
import { text, userMessage } from "../../../core/message.ts";
import { needFor } from "../../fakes/tools.ts";
import { envelopes, replay } from "./replay.ts";

const rows = v.parse(
  v.array(
    v.object({
      id: v.string(),
      input: v.string(),
      expected: v.object({
        approval_display: v.optional(v.string()),
        output_display: v.optional(v.string()),
      }),
    }),
  ),
  JSON.parse(readFileSync(join(import.meta.dir, "../../../fixtures/corpus/terminal-escapes.json"), "utf8")),
);

const T1 = taskId(1);
const WIDTH = 20_000;

/** A text in every place of the screen that text from outside can reach. */
const everywhere = (input: string): readonly Event[] => [
  { family: "session", type: "resumed", id: sessionIdOf("s1"), path: input, title: input, messages: 1 },
  { family: "task", type: "started", task_id: T1, message: userMessage(input) },
  { family: "task", type: "queued", task_id: T1, message: userMessage(input), as: "steer" },
  { family: "model", type: "reasoning_delta", text: input },
  { family: "model", type: "text_delta", text: `${input}\n\n${input}` },
  {
    family: "tool",
    type: "call_requested",
    call: { id: "c", name: input, arguments: JSON.stringify({ path: input }) },
  },
  { family: "tool", type: "stdout_chunk", call_id: "c", text: input },
  {
    family: "tool",
    type: "completed",
    call_id: "c",
    name: input,
    duration_ms: 1,
    is_error: false,
    summary: input,
    diff: input,
  },
  {
    family: "tool",
    type: "result",
    message: { role: "tool", tool_call_id: "c", name: input, content: [text(input)], is_error: false },
  },
  { family: "error", type: "error", failure: failure("model", input, { hint: input }) },
  { family: "warning", type: "warning", code: "x", message: input },
];

const STEERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

describe("text that would steer the terminal", () => {
  test.each(rows.map((row) => [row.id, row] as const))("%s is only text on the screen", (_id, { input }) => {
    const events = everywhere(input);
    for (let count = 1; count <= events.length; count++) {
      expect(replay(envelopes(events.slice(0, count)), 80).screen).not.toMatch(STEERS);
    }
  });

  test.each(
    rows.flatMap((row) => (row.expected.output_display === undefined ? [] : [[row.id, row] as const])),
  )("%s is displayed as expected", (_id, { input, expected }) => {
    const failed: Event = { family: "error", type: "error", failure: failure("model", input) };
    const { screen } = replay(envelopes([failed]), WIDTH);
    expect(screen.replaceAll(" ", "")).toContain((expected.output_display ?? "").replaceAll(/[ \t]/g, ""));
  });

  test.each(
    rows.flatMap((row) => (row.expected.approval_display === undefined ? [] : [[row.id, row] as const])),
  )("%s is spelled before it is approved", (_id, { input, expected }) => {
    const request = {
      approval_id: approvalId(1),
      call_id: "c",
      tool: "t",
      need: needFor(input),
      target: "local",
      cwd: "/",
    };
    const look = { width: WIDTH, rows: 4000, paint: noPaint, place: "me@here", scrolled: 0, typing: false };
    const shown = approvalLines(request, look).join("\n");
    expect(shown).not.toMatch(STEERS);
    // Lines are shown as lines here.
    for (const line of (expected.approval_display ?? "").split("\\x0a")) expect(shown).toContain(line);
  });
});
