import * as v from "valibot";
import { summaryMessage } from "./compaction-summary.ts";
import { repair } from "./history.ts";
import { type EntryId, sessionIdOf } from "./id.ts";
import { isFields } from "./lenient.ts";
import { addUsage, type Message, NO_USAGE, textOf, type Usage } from "./message.ts";
import { err, ok, type Result } from "./result.ts";
import { oneLine } from "./sanitize.ts";
import { type Entry, type EntryPlace, SESSION_VERSION, type SessionHeader } from "./session.ts";
import { bodySchema, headerSchema, KNOWN_TYPES, placeSchema } from "./session-schema.ts";

/** One session as it was read. Entries are in the order of the file; each hangs on one before it. */
export type SessionTree = {
  readonly header: SessionHeader;
  readonly nodes: readonly SessionNode[];
  /** Where the conversation stands; null before its first entry. */
  readonly tip: EntryId | null;
  /** No entry has the id `entryId(nextIndex)` or a later one. */
  readonly nextIndex: number;
  readonly warnings: readonly string[];
  /** How the file ends: `torn` in half a line, `unended` in a whole line that lacks its line end. */
  readonly end: "whole" | "torn" | "unended";
};

export type SessionNode = {
  readonly entry: ReadEntry;
  /** Index of the node it hangs on; -1 for none. */
  readonly parent: number;
  /** Number of its line in the file, from 1. */
  readonly line: number;
};

/** `unknown`: written by a later version, or damaged; kept so that what hangs on it keeps its place. */
export type ReadEntry = Entry | (EntryPlace & { readonly type: "unknown"; readonly raw: string });

export type UnreadableSession = { readonly kind: "corrupt" | "newer"; readonly detail: string };

/**
 * Reads the lines of a session file, split at each line end: the last one is what follows the last line end, so empty
 * in a whole file. Never throws; what cannot be used is passed over with a warning.
 */
export function readSession(lines: Iterable<string>): Result<SessionTree, UnreadableSession> {
  const reader = sessionReader();
  let held: string | undefined;
  for (const line of lines) {
    if (held !== undefined) reader.add(held, "ended");
    held = line;
  }
  if (held !== undefined && held !== "") reader.add(held, "last");
  return reader.tree();
}

/** The same piece by piece: lines may still be added after the tree was looked at. */
export type SessionReader = {
  readonly add: (line: string, place: "ended" | "last") => void;
  readonly tree: () => Result<SessionTree, UnreadableSession>;
};

export function sessionReader(): SessionReader {
  const nodes: SessionNode[] = [];
  const indexes = new Map<string, number>();
  const warnings: string[] = [];
  let header: SessionHeader | undefined;
  let refused: UnreadableSession | undefined;
  let line = 0;
  let tip = -1;
  let highest = -1;
  let end: SessionTree["end"] = "whole";
  let leftOut = 0;

  const readHeader = (value: unknown): void => {
    const read = headerOf(value);
    if (read.ok) header = read.value;
    else refused = read.error;
  };

  const addEntry = (entry: ReadEntry): void => {
    const twin = nodes[indexes.get(entry.id) ?? -1];
    if (twin !== undefined) {
      if (JSON.stringify(twin.entry) === JSON.stringify(entry)) return;
      warnings.push(`Line ${line} has the id "${entry.id}" of line ${twin.line}; it is taken to follow`);
    }
    // Only what stands before it can be its parent, so there are no rings.
    const found = entry.parentId === null ? -1 : indexes.get(entry.parentId);
    if (found === undefined && leftOut === 0) {
      warnings.push(`Line ${line} hangs on "${entry.parentId}", which is not there; it is taken to follow`);
    }
    const hangsOn = found === undefined || twin !== undefined ? tip : found;
    // What hangs on a move of the tip hangs on what it was moved to.
    const parent = entry.type === "leaf" ? movedTo(entry.tip, hangsOn) : hangsOn;
    indexes.set(entry.id, nodes.length);
    nodes.push({ entry, parent, line });
    highest = Math.max(highest, numberOf(entry.id));
    tip = entry.type === "leaf" ? parent : nodes.length - 1;
  };

  const movedTo = (to: EntryId | null, otherwise: number): number => {
    const found = to === null ? -1 : indexes.get(to);
    if (found === undefined) warnings.push(`Line ${line} moves the tip to "${to}", which is not there`);
    return found ?? otherwise;
  };

  return {
    add: (text, place) => {
      line += 1;
      end = "whole";
      if (refused !== undefined || text.trim() === "") return;
      const value = parse(line === 1 ? text.replace(/^\ufeff/, "") : text);
      if (place === "last") end = value === undefined ? "torn" : "unended";
      if (isHeader(value) && header === undefined && nodes.length === 0) return readHeader(value);
      const entry = entryOf(value, text);
      if (entry !== undefined) return addEntry(entry);
      leftOut += 1;
      warnings.push(`Line ${line} ${end === "torn" ? "breaks off" : "is damaged"} and is left out`);
    },
    tree: () => {
      if (refused) return err(refused);
      // The entries of a file whose first line is lost are still somebody's work.
      if (header === undefined && nodes.length === 0) return err(corrupt("it does not begin like a session"));
      return ok({
        header: header ?? LOST_HEADER,
        nodes: [...nodes],
        tip: nodes[tip]?.entry.id ?? null,
        nextIndex: highest + 1,
        warnings: [...warnings],
        end,
      });
    },
  };
}

const LOST_HEADER: SessionHeader = {
  type: "session",
  v: SESSION_VERSION,
  id: sessionIdOf(""),
  created_at: "",
  cwd: "",
  target: "",
  buddy: "",
};

const corrupt = (detail: string): UnreadableSession => ({ kind: "corrupt", detail });

function headerOf(value: unknown): Result<SessionHeader, UnreadableSession> {
  const version = isHeader(value) ? value.v : undefined;
  if (typeof version === "number" && version > SESSION_VERSION) {
    return err({ kind: "newer", detail: `it was made by a newer buddy (format ${version})` });
  }
  const header = v.safeParse(headerSchema, value);
  return header.success ? ok(header.output) : err(corrupt("it does not begin like a session"));
}

const isHeader = (value: unknown): value is { readonly [key: string]: unknown } =>
  isFields(value) && value.type === "session";

function entryOf(value: unknown, raw: string): ReadEntry | undefined {
  if (isHeader(value)) return undefined;
  const place = v.safeParse(placeSchema, value);
  if (!place.success) return undefined;
  const { id, parentId, ts, type } = place.output;
  if (!KNOWN_TYPES.has(type)) return { id, parentId, ts, type: "unknown", raw };
  const body = v.safeParse(bodySchema, value);
  return body.success ? { id, parentId, ts, ...body.output } : undefined;
}

/** Ids that are no number of ours count as none. */
const numberOf = (id: string): number => (/^[0-9a-z]{4,9}$/.test(id) ? Number.parseInt(id, 36) : -1);

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // damaged; the caller says so
  }
}

/** The nodes from the first one to `tip`, moves of the tip left out. Empty for an id that is not there. */
export function pathOf(tree: SessionTree, tip: EntryId | null = tree.tip): readonly SessionNode[] {
  const path: SessionNode[] = [];
  let at = tip === null ? -1 : tree.nodes.findLastIndex(({ entry }) => entry.id === tip);
  for (let node = tree.nodes[at]; node !== undefined; node = tree.nodes[at]) {
    if (node.entry.type !== "leaf") path.push(node);
    at = node.parent;
  }
  return path.reverse();
}

/** The conversation as it is sent: the last summary, what was kept, what came after, every call answered. */
export function messagesOn(tree: SessionTree, tip: EntryId | null = tree.tip): Message[] {
  const path = pathOf(tree, tip).map(({ entry }) => entry);
  for (let at = path.length - 1; at >= 0; at--) {
    const entry = path[at];
    if (entry?.type !== "compaction") continue;
    const kept = entry.first_kept_id === null ? at : path.findIndex(({ id }) => id === entry.first_kept_id);
    // What was kept is not there: rather too much is sent than anything lost.
    if (kept === -1) continue;
    const summary = entry.summary === "" ? [] : [summaryMessage(entry.summary)];
    return repair([...summary, ...messagesOf(path.slice(kept))]);
  }
  return repair(messagesOf(path));
}

const messagesOf = (entries: readonly ReadEntry[]): Message[] =>
  entries.flatMap((entry) => (entry.type === "message" ? [messageOf(entry)] : []));

function messageOf(entry: Extract<ReadEntry, { readonly type: "message" }>): Message {
  if (entry.role === "user") return { role: "user", content: entry.content };
  if (entry.role === "tool") {
    const { role, tool_call_id, name, content, is_error } = entry;
    return { role, tool_call_id, name, content, is_error };
  }
  const { role, content, reasoning, tool_calls, extra } = entry;
  return {
    role,
    content,
    ...(reasoning === undefined ? {} : { reasoning }),
    tool_calls,
    ...(extra ? { extra } : {}),
  };
}

export type SessionTotals = { readonly usage: Usage; readonly turns: number; readonly tool_calls: number };

/** What the session used in all, branches that were left included: they were paid for as well. */
export function totalsOn({ nodes }: SessionTree): SessionTotals {
  let usage = NO_USAGE;
  let turns = 0;
  let toolCalls = 0;
  for (const { entry } of nodes) {
    if (entry.type !== "message" || entry.role !== "assistant") continue;
    turns += 1;
    toolCalls += entry.tool_calls.length;
    if (entry.usage) usage = addUsage(usage, entry.usage);
  }
  return { usage, turns, tool_calls: toolCalls };
}

const TITLE_CHARS = 80;

/** The title it was given last, else what the user said first. */
export function titleOf({ nodes }: SessionTree): string {
  const given = nodes.findLast(({ entry }) => entry.type === "title")?.entry;
  if (given?.type === "title") return oneLine(given.title, TITLE_CHARS);
  for (const { entry } of nodes) {
    if (entry.type !== "message" || entry.role !== "user") continue;
    const title = oneLine(textOf(entry.content), TITLE_CHARS);
    if (title !== "") return title;
  }
  return "";
}

export type LastModel = { readonly profile: string; readonly model: string };

/** The profile and model in use at the tip. */
export function lastModel(tree: SessionTree, tip: EntryId | null = tree.tip): LastModel | undefined {
  for (const { entry } of [...pathOf(tree, tip)].reverse()) {
    if (entry.type === "model_change") return { profile: entry.profile, model: entry.model };
    if (entry.type !== "message" || entry.role !== "assistant") continue;
    if (entry.profile !== undefined && entry.model !== undefined) {
      return { profile: entry.profile, model: entry.model };
    }
  }
  return undefined;
}
