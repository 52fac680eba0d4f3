import { isFields, textAt } from "./lenient.ts";
import type { Message, ToolCall } from "./message.ts";
import { textOf } from "./message.ts";
import { digest, isConstraint } from "./statement.ts";
import { parseStrictJson } from "./strict-json.ts";
import { headTail } from "./truncate.ts";
import { numbersIn, quotedIn, valuesIn } from "./value-shapes.ts";

/**
 * What must survive any summary, found without a model: the first request, what the user said since, the values in it,
 * commands that worked, and values seen in results.
 */
export type ExactValue = { readonly kind: ValueKind; readonly text: string };

export type ValueKind = (typeof KINDS)[number]["kind"];

/** Each kind may fill the room up to its share; what an earlier one leaves is for the later ones. */
export const KINDS = [
  { kind: "task", label: "first request", upTo: 0.3, longest: 0.25 },
  { kind: "user", label: "user said", upTo: 0.65, longest: 0.15 },
  { kind: "stated", label: "user named", upTo: 0.8, longest: 0.1 },
  { kind: "command", label: "ran", upTo: 0.9, longest: 0.1 },
  { kind: "seen", label: "seen", upTo: 1, longest: 0.1 },
] as const;

export type Bounds = { readonly maxChars: number };

const MOST: Bounds = { maxChars: 2000 };
/** Of a long result or answer only head and tail are searched. */
const SEARCHED_CHARS = 16_000;

/** The values of the messages and of an earlier list, most worth keeping first, in bounded room. */
export function exactValues(
  messages: readonly Message[],
  earlier: readonly ExactValue[] = [],
  { maxChars }: Bounds = MOST,
): readonly ExactValue[] {
  const found = findings();
  for (const { kind, text } of earlier) found.carry(kind, text);
  const worked = successfulCalls(messages);
  for (const message of messages) {
    if (message.role === "user") found.said(textOf(message.content));
    else if (message.role === "tool") found.saw(plainText(textOf(message.content)));
    else {
      found.saw(message.content);
      for (const call of message.tool_calls) if (worked.has(call.id)) found.ran(commandOf(call));
    }
  }
  return choose(found.ranked(), maxChars);
}

/** Fills the room kind by kind. A value that a chosen line already shows needs no line of its own. */
function choose(ranked: Ranked, maxChars: number): readonly ExactValue[] {
  const chosen: ExactValue[] = [];
  let used = 0;
  for (const { kind, upTo, longest } of KINDS) {
    const isSpeech = kind === "task" || kind === "user";
    for (const whole of ranked[kind]) {
      const text = isSpeech ? digest(whole, Math.floor(maxChars * longest)) : whole;
      const chars = lineChars(text);
      if (text === "" || text.length > maxChars * longest || used + chars > maxChars * upTo) continue;
      if (!isSpeech && chosen.some((value) => value.text.includes(text))) continue;
      chosen.push({ kind, text });
      used += chars;
    }
  }
  return chosen;
}

/** A value with its label, and the indent of its further lines. */
const lineChars = (text: string): number => text.length + 18 + 2 * (text.split("\n").length - 1);

type Ranked = Readonly<Record<ValueKind, readonly string[]>>;

function findings() {
  let task: string | undefined;
  const user = tally();
  const stated = tally();
  const command = tally();
  const seen = tally();
  const nameValues = (prose: string) => {
    for (const value of [...valuesIn(prose), ...quotedIn(prose), ...numbersIn(prose)]) stated.add(value);
  };
  const said = (prose: string) => {
    const trimmed = prose.trim();
    if (trimmed === "") return;
    if (task === undefined) task = trimmed;
    else user.add(trimmed);
    nameValues(trimmed);
  };
  const saw = (prose: string) => {
    for (const value of valuesIn(bounded(prose))) seen.add(value);
  };
  const carry = (kind: ValueKind, text: string) => {
    if (kind === "task" || kind === "user") said(text);
    else if (kind === "stated") stated.add(text);
    else if (kind === "command") command.add(text);
    else seen.add(text);
  };
  const ranked = (): Ranked => ({
    task: task === undefined ? [] : [task],
    user: newestThenConstraints(user.newestFirst()),
    stated: stated.mostRepeatedFirst(),
    command: command.mostRepeatedFirst(),
    seen: seen.mostRepeatedFirst(),
  });
  return { said, saw, carry, ranked, ran: (line: string) => line !== "" && command.add(line) };
}

/** The newest message is what the agent works on; of the others, rules matter more than remarks. */
function newestThenConstraints(newestFirst: readonly string[]): readonly string[] {
  const rest = newestFirst.slice(1);
  return [
    ...newestFirst.slice(0, 1),
    ...rest.filter(isConstraint),
    ...rest.filter((prose) => !isConstraint(prose)),
  ];
}

/** From here on, more repeats do not count: what is new would never get in. */
const ENOUGH_REPEATS = 3;

function tally() {
  const counts = new Map<string, number>();
  const newestFirst = () => [...counts.keys()].reverse();
  return {
    add: (value: string) => {
      const count = (counts.get(value) ?? 0) + 1;
      // Taken out first, so that the order of the map is the order of last sight.
      counts.delete(value);
      counts.set(value, Math.min(count, ENOUGH_REPEATS));
    },
    newestFirst,
    mostRepeatedFirst: () => newestFirst().sort((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0)),
  };
}

function successfulCalls(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(
    messages.flatMap((message) =>
      message.role === "tool" && !message.is_error ? [message.tool_call_id] : [],
    ),
  );
}

function commandOf(call: ToolCall): string {
  if (call.name !== "run_shell") return "";
  const parsed = parseStrictJson(call.arguments);
  return parsed.ok && isFields(parsed.value) ? textAt(parsed.value, "command").trim() : "";
}

/** The strings of a JSON result: in its raw text, paths would run into escaped line ends. */
function plainText(result: string): string {
  const parsed = result.startsWith("{") ? parseStrictJson(result) : undefined;
  return parsed?.ok ? stringsIn(parsed.value).join("\n") : result;
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function bounded(prose: string): string {
  if (prose.length <= SEARCHED_CHARS) return prose;
  const kept = headTail(SEARCHED_CHARS);
  kept.add(prose);
  return kept.text();
}
