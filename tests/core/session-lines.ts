import { entryId, sessionIdOf } from "../../core/id.ts";
import type { SessionHeader } from "../../core/session.ts";
import { readSession, type SessionTree } from "../../core/session-tree.ts";

export const HEADER: SessionHeader = {
  type: "session",
  v: 1,
  id: sessionIdOf("s1"),
  created_at: "2026-01-02T03:04:05.000Z",
  cwd: "/work",
  target: "local",
  buddy: "1.0.0",
};

/** Entries that hang on one another in this order, whatever they say of their place themselves. */
export const chain = (bodies: readonly object[]): readonly object[] =>
  bodies.map((body, index) => ({
    id: entryId(index),
    parentId: index === 0 ? null : entryId(index - 1),
    ts: 1_800_000_000_000 + index,
    ...body,
  }));

export const user = (text: string) => ({
  type: "message",
  role: "user",
  content: [{ type: "text", text }],
});

export const reply = (content: string, calls: readonly string[] = [], more: object = {}) => ({
  type: "message",
  role: "assistant",
  content,
  tool_calls: calls.map((id) => ({ id, name: "echo", arguments: "{}" })),
  ...more,
});

export const toolResult = (id: string, text = "ok") => ({
  type: "message",
  role: "tool",
  tool_call_id: id,
  name: "echo",
  content: [{ type: "text", text }],
  is_error: false,
});

export const fileOf = (lines: readonly (object | string)[], header: object = HEADER): string =>
  [header, ...lines].map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

export const readText = (text: string) => readSession(text.split("\n"));

export function treeOf(text: string): SessionTree {
  const tree = readText(text);
  if (!tree.ok) throw new Error(tree.error.detail);
  return tree.value;
}
