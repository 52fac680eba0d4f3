import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ProtocolName } from "../../adapters/model/protocol.ts";
import { modelFacts } from "../../core/catalogue.ts";
import { repair } from "../../core/history.ts";
import type { AssistantMessage, Message, Part, ToolCall } from "../../core/message.ts";
import { WIRES } from "../fakes/wire.ts";
import { newProtocol, PROTOCOLS } from "./new-protocol.ts";
import { originOf } from "./read-stream.ts";
import { PNG } from "./sdk-clients.ts";

// Whatever a model called and whoever it was: the loop keeps ids unique and printable, the history keeps every call
// answered, and no protocol writes a body that a strict server would refuse.

const words = fc.constantFrom("", " ", "\n\n", "Hello", "ü😀", '"quoted"\\', "\ud800", "data: [DONE]");
const part: fc.Arbitrary<Part> = fc.oneof(
  words.map((text) => ({ type: "text", text }) as const),
  fc.constant({ type: "image", media_type: "image/png", data: PNG } as const),
);
const name = fc.oneof(
  fc.constantFrom("look", "", "rm -rf", "../run_shell", "a".repeat(100), "näme"),
  fc.string(),
);
const args = fc.oneof(
  fc.constantFrom(
    "{}",
    "",
    "  ",
    "null",
    "[1]",
    '{"path":',
    '{"a":1,"a":2}',
    '{"__proto__":{"x":1}}',
    '{"1":2}',
  ),
  fc.json(),
  fc.string(),
);
const id = fc.oneof(
  fc.stringMatching(/^[\x21-\x7e]{1,20}$/),
  fc.constantFrom("functions.look:0", "x".repeat(200)),
);

type Turn = {
  readonly content: string;
  readonly calls: readonly Omit<ToolCall, "id">[];
  readonly ids: readonly string[];
  readonly result: readonly Part[];
  readonly answered: boolean;
  readonly user: readonly Part[];
};

const turn: fc.Arbitrary<Turn> = fc.record({
  content: words,
  calls: fc.array(fc.record({ name, arguments: args }), { maxLength: 3 }),
  ids: fc.array(id, { minLength: 3, maxLength: 3 }),
  result: fc.array(part, { minLength: 1, maxLength: 3 }),
  answered: fc.boolean(),
  user: fc.array(part, { minLength: 0, maxLength: 2 }),
});

/** The messages of some turns as a session may hold them: results missing, users silent, ids from anywhere. */
function messagesOf(turns: readonly Turn[]): readonly Message[] {
  return [
    { role: "user", content: [{ type: "text", text: "go" }] },
    ...turns.flatMap((made, at): readonly Message[] => {
      const tool_calls = made.calls.map((call, index) => ({
        ...call,
        id: `${made.ids[index]}-${at}-${index}`,
      }));
      const assistant: AssistantMessage = { role: "assistant", content: made.content, tool_calls };
      const results = tool_calls.map(
        (call): Message => ({
          role: "tool",
          tool_call_id: call.id,
          name: call.name,
          content: made.result,
          is_error: false,
        }),
      );
      return [
        ...(made.content.trim() === "" && tool_calls.length === 0 ? [] : [assistant]),
        ...(made.answered ? results : []),
        { role: "user", content: made.user },
      ];
    }),
    { role: "user", content: [{ type: "text", text: "and now?" }] },
  ];
}

const OPTIONS = {
  model: "m-1",
  stream: true,
  streamUsage: true,
  maxOutputTokens: 0,
  temperature: undefined,
  topP: undefined,
  thinking: "medium",
  facts: { ...modelFacts([], "m-1"), reasoning: true },
} as const;

function bodyOf(protocol: ProtocolName, messages: readonly Message[]): unknown {
  const request = { system: "be good", tools: [], messages };
  const written = newProtocol(protocol).body(request, { ...OPTIONS, origin: originOf(protocol) });
  return JSON.parse(new TextDecoder().decode(written));
}

describe("body() of any history", () => {
  test.each(PROTOCOLS)("%s is what a strict server takes", (protocol) => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 5 }), (turns) => {
        expect(WIRES[protocol].problems(bodyOf(protocol, repair(messagesOf(turns))))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test.each(PROTOCOLS)("%s is the same whether it grew or was written at once", (protocol) => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 5 }), (turns) => {
        const messages = repair(messagesOf(turns));
        const growing = newProtocol(protocol);
        const options = { ...OPTIONS, origin: originOf(protocol) };
        const ends = messages.flatMap((_, at) => (messages[at + 1]?.role === "tool" ? [] : [at + 1]));
        const bodies = ends.map((end) => {
          const request = { system: "be good", tools: [], messages: messages.slice(0, end) };
          return new TextDecoder().decode(growing.body(request, options));
        });
        expect(JSON.parse(bodies.at(-1) ?? "")).toEqual(bodyOf(protocol, messages));
      }),
      { numRuns: 100 },
    );
  });
});
