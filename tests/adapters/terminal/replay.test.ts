import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Event } from "../../../core/event.ts";
import { taskId } from "../../../core/id.ts";
import { NO_USAGE, text, userMessage } from "../../../core/message.ts";
import { EXAMPLES } from "../../../scripts/event-examples.ts";
import { piecesOf } from "../../fakes/script.ts";
import { CHOICES, envelopes, replay } from "./replay.ts";

const T1 = taskId(1);
const TOTALS = { usage: NO_USAGE, cost_usd: null, turns: 1, tool_calls: 0, denials: [], unapproved: false };
const started = (prompt: string): Event => ({
  family: "task",
  type: "started",
  task_id: T1,
  message: userMessage(prompt),
});
const delta = (said: string): Event => ({ family: "model", type: "text_delta", text: said });
const message = (content: string): Event => ({
  family: "model",
  type: "message",
  message: { role: "assistant", content, tool_calls: [] },
  model: "m",
  profile: "p",
});
const completed = (result: string): Event => ({
  family: "task",
  type: "completed",
  task_id: T1,
  result,
  totals: TOTALS,
});

const ANSWER = "# Head\n\nSome *words* here.\n\n```sh\nls\n\nls -l\n```\n\n- one\n- two\n\nThe end.";

describe("step()", () => {
  test("takes every event that there is", () => {
    for (const example of EXAMPLES) {
      const event: Event = JSON.parse(JSON.stringify(example));
      expect(() => replay(envelopes([started("go"), event]))).not.toThrow();
    }
  });

  test("an answer looks the same however it is cut into deltas, and without any", () => {
    const whole = replay(envelopes([started("go"), message(ANSWER), completed(ANSWER)])).screen;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (pieces) => {
        const deltas = piecesOf(ANSWER, pieces).map(delta);
        const { screen } = replay(envelopes([started("go"), ...deltas, message(ANSWER), completed(ANSWER)]));
        expect(screen).toBe(whole);
      }),
    );
    expect(whole).toContain(
      "> go\n\nHead\n====\n\nSome words here.\n\n+- sh\n| ls\n|\n| ls -l\n+-\n\n  * one\n  * two\n\nThe end.\n",
    );
  });

  test("prints nothing twice and nothing that may still change", () => {
    const deltas = piecesOf(ANSWER, 40).map(delta);
    let before = "";
    for (let count = 1; count <= deltas.length; count++) {
      const { items } = replay(envelopes([started("go"), ...deltas.slice(0, count)]));
      const now = JSON.stringify(items).slice(0, -1);
      expect(now.startsWith(before)).toBe(true);
      before = now;
    }
  });

  test("an answer that is withdrawn says so only where something of it was printed", () => {
    const withdrawn: Event = { family: "model", type: "delta_withdrawn" };
    const printed = replay(envelopes([started("go"), delta("one\n\ntwo"), withdrawn, delta("anew")])).screen;
    expect(printed).toContain("starts again");
    const clean = replay(envelopes([started("go"), delta("one"), withdrawn, delta("anew")])).screen;
    expect(clean).not.toContain("starts again");
    expect(clean).not.toContain("one");
  });

  test("reasoning is dim and can be hidden", () => {
    const thinks: Event = { family: "model", type: "reasoning_delta", text: "Hm, let me see" };
    const events = envelopes([
      started("go"),
      thinks,
      delta("Answer"),
      message("Answer"),
      completed("Answer"),
    ]);
    expect(replay(events).screen).toContain("Hm, let me see\n\nAnswer");
    expect(replay(events, 80, { ...CHOICES, reasoning: false }).screen).not.toContain("Hm");
  });

  test("a cancelled answer is kept as far as it came", () => {
    const cancelled: Event = { family: "task", type: "cancelled", task_id: T1, totals: TOTALS };
    const { screen, view } = replay(envelopes([started("go"), delta("half an ans"), cancelled]));
    expect(screen).toContain("half an ans\n\n· Stopped\n");
    expect(view.task).toBeUndefined();
  });

  test("nothing from outside steers the terminal, and no line is wider than it", () => {
    const evil =
      "\u001b[2J\u001b]0;x\u0007a\u202eb\u009b5n&#27;[31m \u001b[31mred\r\n\u0008" +
      "wide 日本語 ".repeat(30);
    const call: Event = {
      family: "tool",
      type: "call_requested",
      call: { id: "1", name: `x${evil}`, arguments: JSON.stringify({ command: evil }) },
    };
    const done: Event = {
      family: "tool",
      type: "completed",
      call_id: "1",
      name: "x",
      duration_ms: 3,
      is_error: false,
      summary: evil,
    };
    const result: Event = {
      family: "tool",
      type: "result",
      message: {
        role: "tool",
        tool_call_id: "1",
        name: "x",
        content: [text(JSON.stringify({ result: { stdout: `${evil}\n${evil}` } }))],
        is_error: false,
      },
    };
    const warned: Event = { family: "warning", type: "warning", code: "c", message: evil, hint: evil };
    const queued: Event = {
      family: "task",
      type: "queued",
      task_id: T1,
      message: userMessage(evil),
      as: "steer",
    };
    const events = [started(evil), delta(`${evil}\n\n${evil}`), call, done, result, warned, queued];
    for (const width of [20, 40, 80]) {
      const { screen } = replay(envelopes(events), width);
      const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069].{0,20}/.exec(
        screen,
      );
      expect(steering).toBeNull();
      for (const line of screen.split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
    }
  });
});
