import { type Fields, isFields, listAt, textAt } from "../../core/lenient.ts";
import type { Turn } from "./script.ts";
import { thinkingBlock } from "./wire-anthropic.ts";
import { reasoningItem } from "./wire-responses.ts";

/** How one protocol carries what only the provider can read. */
export type PrivateForm = {
  /** What a turn must bring back, byte for byte; nothing when it did not think. */
  readonly issued: (turn: Turn) => string | undefined;
  /** What a request brings back, in order. */
  readonly returned: (body: unknown) => readonly Returned[];
};

/** `of` names the turn that it stands before: the ids of its calls, or its text. */
type Returned = { readonly bytes: string; readonly of: string };

/** What is wrong with the private fields of a request that continues these turns, and nothing else. */
export function privateProblems(form: PrivateForm, turns: readonly Turn[], body: unknown): readonly string[] {
  const returned = form.returned(body);
  const issued = turns.flatMap((turn) => {
    const bytes = form.issued(turn);
    return bytes === undefined ? [] : [{ bytes, of: nameOf(turn), number: turn.number }];
  });
  const foreign = returned.filter(({ bytes }) => !issued.some((one) => one.bytes === bytes));
  return [
    ...foreign.map(({ bytes }) => `a private field that is not from here: ${bytes.slice(0, 80)}`),
    ...issued.flatMap(({ bytes, of, number }) =>
      returned.some((one) => one.bytes === bytes && one.of === of)
        ? []
        : [`the reasoning of turn ${number} did not come back unchanged and in its place`],
    ),
  ];
}

const nameOf = (turn: Turn): string => turn.calls.map(({ id }) => id).join(",") || turn.text;

export const completionsPrivate: PrivateForm = {
  issued: (turn) => turn.reasoning?.text,
  returned: (body) =>
    messagesIn(body).flatMap((message) => {
      const bytes = textAt(message, "reasoning_content");
      const ids = fieldsIn(message, "tool_calls").map((call) => textAt(call, "id"));
      return bytes === "" ? [] : [{ bytes, of: ids.join(",") || textAt(message, "content") }];
    }),
};

export const responsesPrivate: PrivateForm = {
  issued: (turn) => bytesOf(reasoningItem(turn)),
  returned: (body) => {
    const items = isFields(body) ? fieldsIn(body, "input") : [];
    return items.flatMap((item, at) =>
      item.type === "reasoning" ? [{ bytes: JSON.stringify(item), of: outputBehind(items, at) }] : [],
    );
  },
};

/** The calls, or else the text, of the items between some reasoning and whatever is not of its turn. */
function outputBehind(items: readonly Fields[], at: number): string {
  const rest = items.slice(at + 1);
  const end = rest.findIndex((item) => item.type !== "function_call" && item.role !== "assistant");
  const own = end === -1 ? rest : rest.slice(0, end);
  const ids = own.filter((item) => item.type === "function_call").map((item) => textAt(item, "call_id"));
  const texts = own.flatMap((item) => fieldsIn(item, "content").map((part) => textAt(part, "text")));
  return ids.join(",") || texts.join("");
}

export const anthropicPrivate: PrivateForm = {
  issued: (turn) => bytesOf(thinkingBlock(turn)),
  returned: (body) =>
    messagesIn(body).flatMap((message) => {
      const blocks = fieldsIn(message, "content");
      const ids = blocks.filter(({ type }) => type === "tool_use").map((block) => textAt(block, "id"));
      const texts = blocks.map((block) => textAt(block, "text"));
      return blocks.flatMap((block, at) => {
        if (block.type !== "thinking" && block.type !== "redacted_thinking") return [];
        // Thinking that does not come first stands before no turn.
        const of = at === 0 ? ids.join(",") || texts.join("") : "";
        return [{ bytes: JSON.stringify(block), of }];
      });
    }),
};

const bytesOf = (value: object | undefined): string | undefined => value && JSON.stringify(value);

const messagesIn = (body: unknown): readonly Fields[] => (isFields(body) ? fieldsIn(body, "messages") : []);

const fieldsIn = (fields: Fields, key: string): readonly Fields[] => listAt(fields, key).filter(isFields);
