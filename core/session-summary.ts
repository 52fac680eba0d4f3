import type { SessionId } from "./id.ts";
import { type Fields, isFields, listAt, textAt } from "./lenient.ts";
import { oneLine } from "./sanitize.ts";
import { SESSION_VERSION } from "./session.ts";
import { readSnapshot } from "./session-snapshot.ts";

// Listing thousands of sessions must not read them: what a list shows comes from the two ends of each file.

/** One line of a list. */
export type SessionSummary = SummaryFacts & {
  readonly id: SessionId;
  readonly path: string;
  readonly format: "session" | "snapshot";
  readonly lastUsedMs: number;
};

export type SummaryFacts = {
  readonly title: string;
  readonly model: string;
  /** `about` when only a part of the file was looked at. */
  readonly turns: { readonly type: "exact" | "about"; readonly count: number };
  /** Why it cannot be used; absent when it can. */
  readonly damage?: string;
  /** When its last entry was written, if that could be seen. */
  readonly lastEntryMs?: number;
};

/** `tail` is absent when `head` is the whole file. */
export type FileEnds = { readonly head: string; readonly tail?: string };

const TITLE_CHARS = 80;

/** Of the file that is named after `id`. */
export function summarise({ head, tail }: FileEnds, id: string): SummaryFacts {
  const [first = "", ...rest] = head.split("\n");
  const damage = damageOf(first, id);
  const cut = tail === undefined ? undefined : rest.pop();
  const inHead = rest.flatMap(entryOf);
  const inTail = tail === undefined ? [] : tail.split("\n").slice(1).flatMap(entryOf);
  const seen = [...inHead, ...inTail];
  const last = seen.at(-1);
  const ts = last?.ts;
  return {
    title: titleIn(seen) || cutTitle(cut ?? ""),
    model: modelIn(seen),
    turns: turnsOf(seen, tail === undefined ? "exact" : "about"),
    ...(damage === undefined ? {} : { damage }),
    ...(typeof ts === "number" ? { lastEntryMs: ts } : {}),
  };
}

/** Whether the tail shows when the session was last used. */
export const showsLastEntry = (tail: string): boolean => tail.split("\n").slice(1).some(isEntryLine);

const isEntryLine = (line: string): boolean => entryOf(line).length > 0;

function damageOf(first: string, id: string): string | undefined {
  const header = parsed(first.replace(/^\ufeff/, ""));
  if (!isFields(header) || header.type !== "session" || typeof header.v !== "number") {
    return "it does not begin like a session";
  }
  if (header.v > SESSION_VERSION) return "it was made by a newer buddy";
  return header.id === id ? undefined : "it holds another session";
}

function entryOf(line: string): readonly Fields[] {
  const value = line === "" ? undefined : parsed(line);
  return isFields(value) && typeof value.id === "string" && value.type !== "session" ? [value] : [];
}

function titleIn(entries: readonly Fields[]): string {
  const given = entries.findLast(({ type }) => type === "title");
  if (given) return oneLine(textAt(given, "title"), TITLE_CHARS);
  for (const entry of entries) {
    const said = textAt(entry, "role") === "user" ? saidIn(entry) : "";
    if (said !== "") return said;
  }
  return "";
}

const saidIn = (entry: Fields): string =>
  oneLine(
    listAt(entry, "content")
      .map((part) => (isFields(part) ? textAt(part, "text") : ""))
      .join(""),
    TITLE_CHARS,
  );

/** The text of a first message that is longer than the head. */
function cutTitle(line: string): string {
  const text = /"role":"user","content":\[\{"type":"text","text":"((?:[^"\\]|\\.)*)/.exec(line)?.[1] ?? "";
  const value = parsed(`"${text.replace(/\\u[0-9a-fA-F]{0,3}$/, "")}"`);
  return typeof value === "string" ? oneLine(value, TITLE_CHARS) : "";
}

function modelIn(entries: readonly Fields[]): string {
  const named = entries.findLast((entry) => textAt(entry, "model") !== "");
  return named ? oneLine(textAt(named, "model"), TITLE_CHARS) : "";
}

/** Entries are numbered, so the last one tells how many there are; how many of those are turns is extrapolated. */
function turnsOf(seen: readonly Fields[], type: "exact" | "about"): SummaryFacts["turns"] {
  const count = seen.filter((entry) => textAt(entry, "role") === "assistant").length;
  if (type === "exact") return { type, count };
  const all = Number.parseInt(textAt(seen.at(-1) ?? {}, "id"), 36) + 1;
  const share = seen.length === 0 ? 0 : count / seen.length;
  return { type, count: Math.max(count, Number.isSafeInteger(all) ? Math.round(all * share) : 0) };
}

/** The same for a snapshot of old, which is one object: a long one shows only how it begins. */
export function summariseSnapshot({ head, tail }: FileEnds, id: string): SummaryFacts {
  const user = /"role":\s*"user"/.exec(head);
  const after = user ? head.slice(user.index) : "";
  const text = /"(?:content|text)":\s*"((?:[^"\\]|\\.)*)/.exec(after)?.[1] ?? "";
  const said = parsed(`"${text.replace(/\\u[0-9a-fA-F]{0,3}$/, "")}"`);
  const damage = tail === undefined ? snapshotDamage(head, id) : cutDamage(head, tail);
  return {
    title: typeof said === "string" ? oneLine(said, TITLE_CHARS) : "",
    model: "",
    turns: {
      type: tail === undefined ? "exact" : "about",
      count: head.match(/"role":\s*"assistant"/g)?.length ?? 0,
    },
    ...(damage === undefined ? {} : { damage }),
  };
}

function snapshotDamage(whole: string, id: string): string | undefined {
  const read = readSnapshot(whole);
  if (!read.ok) return read.error.detail;
  return (read.value.id ?? id) === id ? undefined : "it holds another session";
}

const cutDamage = (head: string, tail: string): string | undefined =>
  /^\ufeff?\s*\{/.test(head) && /\}\s*$/.test(tail) ? undefined : "it is not a snapshot of a session";

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // cut, torn or damaged: it shows nothing
  }
}
