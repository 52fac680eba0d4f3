import { expect, test } from "bun:test";
import { isFree, NEW_PANE, type PaneState, stepPane } from "../../../adapters/target/tmux/pane-state.ts";

const READY: PaneState = { ...NEW_PANE, shell: "zsh", atPrompt: true, takesBlocks: true };
const after = (text: string): PaneState => stepPane(READY, { type: "text", text }, "n");

test.each(["\u001b[K", "\u001b=", "\u001b>\u001b(B", "\r"])(
  "a prompt is free after %j, which shows nothing",
  (text) => {
    expect(isFree(after(text))).toBe(true);
  },
);

test("typing is told from what a job behind writes over the prompt", () => {
  expect([after("l").touched, after("log line\r\n").touched]).toEqual(["line", "lines"]);
});

test("only the end with the right nonce ends what runs", () => {
  const running = stepPane(READY, { type: "mark", mark: { type: "start" } }, "n");
  const end = (nonce: string) =>
    stepPane(running, { type: "mark", mark: { type: "end", nonce, code: 0 } }, "n");
  expect([end("old").running, end("n").running]).toEqual([true, false]);
});
