import { describe, expect, test } from "bun:test";
import { entryId } from "../../core/id.ts";
import { text, userMessage } from "../../core/message.ts";
import { readSnapshot, snapshotEntries } from "../../core/session-snapshot.ts";

const read = (value: unknown) => {
  const snapshot = readSnapshot(typeof value === "string" ? value : JSON.stringify(value));
  if (!snapshot.ok) throw new Error(snapshot.error.detail);
  return snapshot.value;
};
const call = (id: string) => ({ id, type: "function", function: { name: "time", arguments: "{}" } });

describe("readSnapshot()", () => {
  test("reads messages as chat endpoints have them, without the system prompt", () => {
    const messages = [
      { role: "system", content: "be good" },
      { role: "user", content: "hi" },
      { role: "assistant", content: null, tool_calls: [call("c1")] },
      { role: "tool", tool_call_id: "c1", content: "12:00" },
      { role: "assistant", content: [{ type: "text", text: "noon" }] },
    ];
    expect(read({ version: 1, id: "s1", updated_at_millis: 5, state: { messages } })).toEqual({
      id: "s1",
      updatedMs: 5,
      messages: [
        userMessage("hi"),
        { role: "assistant", content: "", tool_calls: [{ id: "c1", name: "time", arguments: "{}" }] },
        { role: "tool", tool_call_id: "c1", name: "time", content: [text("12:00")], is_error: false },
        { role: "assistant", content: "noon", tool_calls: [] },
      ],
      warnings: [],
    });
  });

  test("reads calls and images of other spellings", () => {
    const { messages } = read({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "see" },
            { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
            { type: "image_url", image_url: { url: "https://example.com/x.png" } },
          ],
        },
        {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "c", name: "ls", arguments: { a: 1 } }, null, {}],
        },
      ],
    });
    expect(messages).toEqual([
      { role: "user", content: [text("see"), { type: "image", media_type: "image/png", data: "AAAA" }] },
      { role: "assistant", content: "", tool_calls: [{ id: "c", name: "ls", arguments: '{"a":1}' }] },
    ]);
  });

  test("leaves out what is no message, and says so", () => {
    const { messages, warnings } = read({
      messages: [null, { role: "root" }, { role: "user", content: "hi" }],
    });
    expect([messages, warnings]).toEqual([
      [userMessage("hi")],
      [
        "Message 1 of the snapshot is damaged and is left out",
        "Message 2 of the snapshot is damaged and is left out",
      ],
    ]);
  });

  test.each([
    ["", "corrupt"],
    ["[]", "corrupt"],
    ["null", "corrupt"],
    ['{"version":1}', "corrupt"],
    ['{"messages":{"0":{}}}', "corrupt"],
    [`${'{"a":'.repeat(100_000)}`, "corrupt"],
    ['{"version":2,"state":{"messages":[]}}', "newer"],
    ['{"schema":999,"messages":[]}', "newer"],
  ])("refuses %j", (raw, kind) => {
    const snapshot = readSnapshot(raw);
    expect(snapshot.ok ? "ok" : snapshot.error.kind).toBe(kind);
  });
});

test("snapshotEntries() makes a chain of messages", () => {
  const entries = snapshotEntries(
    read({ updated_ms: 7, messages: ["a", "b"].map((content) => ({ role: "user", content })) }),
  );
  expect(entries).toEqual([
    { id: entryId(0), parentId: null, ts: 7, type: "message", ...userMessage("a") },
    { id: entryId(1), parentId: entryId(0), ts: 7, type: "message", ...userMessage("b") },
  ]);
});
