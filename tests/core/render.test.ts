import { expect, test } from "bun:test";
import { argumentsLine } from "../../core/render.ts";

test.each([
  ["the command", '{"why":"x","command":"ls -la","path":"/tmp"}', "ls -la"],
  ["the path", '{"limit":3,"path":"/tmp/a"}', "/tmp/a"],
  ["the address", '{"url":"https://x.example"}', "https://x.example"],
  ["the question", '{"query":"bun sqlite"}', "bun sqlite"],
  ["the raw text when nothing tells more", '{"a":1}', '{"a":1}'],
  ["the raw text when it is no JSON", '{"command":', '{"command":'],
  ["the raw text when it is no object", "[1, 2]", "[1, 2]"],
  ["nothing for no arguments", "{}", ""],
  ["nothing for an empty text", "", ""],
  ["one line only", '{"command":"a\\n  b"}', "a b"],
  ["nothing that steers a terminal", '{"command":"a\\u001b[2Jb\\rc"}', "ab\\x0dc"],
])("argumentsLine() shows %s", (_what, raw, line) => {
  expect(argumentsLine(raw, 40)).toBe(line);
});

test("argumentsLine() is cut to what fits", () => {
  expect(argumentsLine('{"command":"0123456789abcdef"}', 10)).toBe("012345678…");
});
