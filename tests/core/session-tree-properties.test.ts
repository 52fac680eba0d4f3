import { expect, test } from "bun:test";
import fc from "fast-check";
import { messagesOn, pathOf, readSession, type SessionTree } from "../../core/session-tree.ts";
import { chain, fileOf, readText, reply, treeOf, user } from "./session-lines.ts";

const texts = fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), {
  minLength: 1,
  maxLength: 12,
});
const files = texts.map((said) =>
  fileOf(chain(said.map((text, index) => (index % 2 === 0 ? user(text) : reply(text))))),
);
const encoded = (text: string) => new TextEncoder().encode(text);
const decoded = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** The raw entries in the order of the file, as JSON. */
const entriesOf = (tree: SessionTree): readonly string[] =>
  tree.nodes.map(({ entry }) => JSON.stringify(entry));

test("any prefix of a file keeps every line that is whole in it", () => {
  fc.assert(
    fc.property(files, fc.double({ min: 0, max: 1, noNaN: true }), (file, share) => {
      const bytes = encoded(file);
      const cut = bytes.subarray(0, Math.floor(bytes.length * share));
      const whole = entriesOf(treeOf(file));
      const ended = cut.reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
      const read = readText(decoded(cut));
      // Without the end of its first line a file is not known to be a session, unless that was all that was missing.
      if (!read.ok) return expect(ended).toBe(0);
      const kept = entriesOf(read.value);
      expect(kept).toEqual(whole.slice(0, kept.length));
      expect(kept.length).toBeGreaterThanOrEqual(ended - 1);
    }),
  );
});

test("any one damaged line costs that line and no other", () => {
  fc.assert(
    fc.property(files, fc.nat(), fc.string({ unit: "binary" }), (file, pick, noise) => {
      const lines = file.slice(0, -1).split("\n");
      const at = pick % lines.length;
      const garbage = `\u0001${noise.replaceAll("\n", " ")}`;
      const damaged = lines.map((line, index) => (index === at ? garbage : line)).join("\n");
      const whole = entriesOf(treeOf(file));
      const tree = readText(`${damaged}\n`);
      if (!tree.ok) return expect([at, whole.length]).toEqual([0, 0]);
      expect(entriesOf(tree.value)).toEqual(whole.filter((_, index) => index !== at - 1));
      // And what is left is still one conversation.
      expect(pathOf(tree.value).length).toBe(tree.value.nodes.length);
      expect(tree.value.warnings).toEqual([`Line ${at + 1} is damaged and is left out`]);
    }),
  );
});

test("bytes taken out of the middle never lose a line before them", () => {
  fc.assert(
    fc.property(files, fc.nat(), fc.nat({ max: 80 }), (file, pick, length) => {
      const bytes = encoded(file);
      const from = pick % bytes.length;
      const left = new Uint8Array([...bytes.subarray(0, from), ...bytes.subarray(from + length)]);
      const ended = bytes.subarray(0, from).reduce((count, byte) => count + (byte === 10 ? 1 : 0), 0);
      const before = Math.max(0, ended - 1);
      const read = readText(decoded(left));
      if (!read.ok) return expect(ended).toBe(0);
      const kept = entriesOf(read.value);
      expect(kept.slice(0, before)).toEqual(entriesOf(treeOf(file)).slice(0, before));
    }),
  );
});

test("whatever the lines are, reading ends with a tree or a reason, and a tree has no rings", () => {
  const odd = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({
        id: fc.constantFrom("0000", "0001", "0002", "x"),
        parentId: fc.constantFrom("0000", "0001", "0002", "x", null, 7),
        ts: fc.constantFrom(1, "2"),
        type: fc.constantFrom("message", "leaf", "title", "compaction", "session", "dream"),
        role: fc.constantFrom("user", "assistant", "tool", "root"),
        content: fc.constantFrom("text", [], [{ type: "text", text: "t" }], null),
        tool_calls: fc.constantFrom([], [{ id: "c", name: "n", arguments: "{}" }], 5),
        tool_call_id: fc.constant("c"),
        name: fc.constant("n"),
        tip: fc.constantFrom("0000", "0001", null, "x"),
        title: fc.constant("t"),
        summary: fc.constant("s"),
        first_kept_id: fc.constantFrom("0000", "0001", null),
      })
      .map((entry) => JSON.stringify(entry)),
  );
  fc.assert(
    fc.property(fc.array(odd, { maxLength: 15 }), (lines) => {
      const read = readSession(fileOf(lines.map((line) => line.replaceAll("\n", " "))).split("\n"));
      if (!read.ok) return;
      const { nodes } = read.value;
      expect(nodes.every(({ parent }, index) => parent < index)).toBe(true);
      for (const { entry } of nodes)
        expect(pathOf(read.value, entry.id).length).toBeLessThanOrEqual(nodes.length);
      const messages = messagesOn(read.value);
      const calls = messages.flatMap((message) => (message.role === "assistant" ? message.tool_calls : []));
      expect(messages.filter(({ role }) => role === "tool").length).toBe(calls.length);
    }),
    { numRuns: 300 },
  );
});
