// What all protocols demand of calls, so that each validator says it in the same words.
import { isFields } from "../../core/lenient.ts";

/** Names of tools, and of calls to them. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

export const IMAGE_TYPES = /^image\/(png|jpeg|gif|webp)$/;
export const IMAGE_URL = /^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$)/;

/** One problem for each field that the protocol does not have. */
export function* unknownFields(where: string, fields: object, known: string): Generator<string> {
  const names = new Set(known.split(" "));
  for (const name of Object.keys(fields)) if (!names.has(name)) yield `${where}.${name}: unknown field`;
}

/** JSON can spell half a character, but few servers can read it. */
export function* halfCharacters(body: unknown): Generator<string> {
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(JSON.stringify(body))) yield "body: has half a character";
}

/** Hosted models take any text, but a local server that cannot parse it refuses the whole conversation. */
export function* wrongArguments(where: string, value: unknown): Generator<string> {
  if (typeof value !== "string") return yield `${where}.arguments: must be a text`;
  try {
    if (isFields(JSON.parse(value))) return;
  } catch {
    // said below
  }
  yield `${where}.arguments: is not the text of a JSON object`;
}

export function* wrongTemperature(body: object, most: number): Generator<string> {
  const temperature = "temperature" in body ? body.temperature : undefined;
  if (temperature === undefined) return;
  if (typeof temperature !== "number" || temperature < 0 || temperature > most)
    yield `temperature: must be between 0 and ${most}`;
}

export const isPositive = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0;

/** Keeps track of calls: each is answered once, right behind the message that made it. */
export function openCalls({ idsOfEarlierTurns }: { readonly idsOfEarlierTurns: "free" | "taken" }) {
  const open = new Set<string>();
  const seen = new Set<string>();
  return {
    *call(where: string, id: string): Generator<string> {
      if (id === "") yield `${where}: a call without id`;
      if (seen.has(id)) yield `${where}: the id "${id}" is used twice`;
      seen.add(id);
      open.add(id);
    },
    *answer(where: string, id: string): Generator<string> {
      if (open.delete(id)) return;
      yield seen.has(id)
        ? `${where}: the call "${id}" is answered twice, or too late`
        : `${where}: a result for "${id}", which was not called`;
    },
    /** Nothing but results may come before this is clear. */
    *settle(where: string): Generator<string> {
      for (const id of open) yield `${where}: the call "${id}" has no result`;
      open.clear();
      if (idsOfEarlierTurns === "free") seen.clear();
    },
  };
}

export type OpenCalls = ReturnType<typeof openCalls>;
