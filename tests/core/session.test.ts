import { expect, test } from "bun:test";
import { entryId } from "../../core/id.ts";
import { userMessage } from "../../core/message.ts";
import { redactor } from "../../core/redact.ts";
import { redactKnown } from "../../core/redact-known.ts";
import { type Entry, entryLine } from "../../core/session.ts";
import { assistant, call } from "../fakes/model.ts";

const KNOWN = ["hunter22"];
const redact = { anything: redactor(KNOWN), known: redactKnown(KNOWN) };
const place = { id: entryId(1), parentId: entryId(0), ts: 5 } as const;

test("entryLine() is one line of JSON that says the entry", () => {
  const entry: Entry = { ...place, type: "message", ...userMessage('a\n"b"\u2028') };
  const line = entryLine(entry, redact);
  expect(line).not.toContain("\n");
  expect(JSON.parse(line)).toEqual(entry);
});

test("entryLine() masks what is known and what looks like a secret, in every field", () => {
  const token = `ghp_${"aB3".repeat(12)}`;
  const asked = call("c1", "run_shell", { command: `curl -u me:hunter22 x; echo ${token}` });
  const entry: Entry = { ...place, type: "message", ...assistant(`use hunter22 or ${token}`, [asked]) };
  const line = entryLine(entry, redact);
  expect(line).not.toContain("hunter22");
  expect(line).not.toContain(token);
  expect(JSON.parse(line)).toMatchObject({ ...place, type: "message", role: "assistant" });
});

test("entryLine() keeps the fields of the provider byte for byte, but for known secrets", () => {
  const signature = `ghp_${"aB3".repeat(12)}`;
  const extra = { origin: "responses@h", fields: { signature, note: "hunter22" } };
  const entry: Entry = { ...place, type: "message", ...assistant("ok"), extra };
  expect(JSON.parse(entryLine(entry, redact))).toEqual({
    ...entry,
    extra: { origin: "responses@h", fields: { signature, note: "***" } },
  });
});
