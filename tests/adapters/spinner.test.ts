import { expect, test } from "bun:test";
import { plain } from "../../adapters/output/paint.ts";
import { ASCII_FRAMES, spinner } from "../../adapters/output/spinner.ts";
import type { Event } from "../../core/event.ts";
import { keptOutput } from "../fakes/output.ts";

const CLEAR = "\r\u001b[K";

test("spinner() draws on ticks, hides before every event and stops with the run", () => {
  const stderr = keptOutput();
  let nowMs = 0;
  let tick: (() => void) | undefined;
  const sink = spinner(stderr, {
    paint: plain,
    frames: ASCII_FRAMES,
    monotonicMs: () => nowMs,
    every: (_ms, callback) => {
      tick = callback;
      return () => {
        tick = undefined;
      };
    },
  });
  const tell = (event: Event) => sink({ v: 1, seq: 1, ts_unix_ms: 0, event });
  tell({ family: "model", type: "request_started", turn: 1 });
  tick?.();
  nowMs = 61_000;
  tick?.();
  tell({ family: "model", type: "text_delta", text: "hello" });
  tick?.();
  tell({ family: "tool", type: "call_requested", call: { id: "1", name: "time", arguments: "{}" } });
  tick?.();
  tell({ family: "lifecycle", type: "stopped" });
  expect(stderr.written).toEqual([
    `${CLEAR}| waiting for the model 0s`,
    `${CLEAR}/ waiting for the model 1m01s`,
    CLEAR,
    `${CLEAR}- time 0s`,
    CLEAR,
  ]);
  expect(tick).toBeUndefined();
});
