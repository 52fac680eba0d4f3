import { expect, test } from "bun:test";
import { userMessage } from "../../core/message.ts";
import type { Panes } from "../../core/ports/panes.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { screenExtension } from "../../core/screen-note.ts";

const showing = (screen: Result<string, string>): Panes => ({
  capture: async () => (screen.ok ? ok({ pane: "%1", text: screen.value, noAlternate: false }) : screen),
  sendKeys: async () => err("not here"),
  attachHint: "",
});

const messages = [userMessage("hi")];
const sent = (screen: Result<string, string>) =>
  screenExtension(showing(screen)).hooks?.beforeModelCall?.(messages, new AbortController().signal);

test("screenExtension() puts the screen behind everything else and leaves that as it is", async () => {
  const all = await sent(ok("$ make\ndone\n\n"));
  expect(all?.slice(0, 1)).toEqual(messages);
  expect(JSON.stringify(all?.[1])).toContain("$ make\\ndone\\n</harness_note>");
});

test("screenExtension() adds nothing where nothing is to be seen", async () => {
  expect([await sent(ok("\n \n")), await sent(err("gone"))]).toEqual([undefined, undefined]);
});

test("screenExtension() is bounded, and keeps the end", async () => {
  const text = JSON.stringify((await sent(ok(`${"x".repeat(9000)}\nlast`)))?.[1]);
  expect([text.length < 4500, text.includes("last")]).toEqual([true, true]);
});
