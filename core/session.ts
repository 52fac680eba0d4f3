import type { ApprovalRequest, Decision } from "./event.ts";
import type { EntryId, SessionId } from "./id.ts";
import type { Message, Usage } from "./message.ts";
import type { Redact } from "./redact.ts";

/** The major version of the files that this program reads and writes. */
export const SESSION_VERSION = 1;

/** Names of session files, too: nothing that could be a path, a flag or a device of Windows. */
export const SESSION_ID = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9][a-z0-9_-]{0,63}$/i;

/** Line 1 of a session file. */
export type SessionHeader = {
  readonly type: "session";
  readonly v: 1;
  readonly id: SessionId;
  readonly created_at: string;
  readonly cwd: string;
  readonly target: string;
  readonly buddy: string;
  /** The session whose path this one began as a copy of. */
  readonly forked_from?: SessionId;
  /** The older file that this one was made from. */
  readonly imported_from?: string;
};

/** Every further line. Entries form a tree by `parentId`; nothing is ever rewritten. */
export type Entry = EntryPlace & EntryBody;

export type EntryPlace = { readonly id: EntryId; readonly parentId: EntryId | null; readonly ts: number };

export type EntryBody =
  | MessageBody
  | CompactionBody
  | ModelChangeBody
  | ApprovalBody
  | LabelBody
  | TitleBody
  | LeafBody;

export type MessageBody = { readonly type: "message" } & Message & {
    readonly usage?: Usage;
    readonly profile?: string;
    readonly model?: string;
  };

/** From here on the summary stands for what came before the first kept entry; null: nothing was kept. */
export type CompactionBody = {
  readonly type: "compaction";
  readonly summary: string;
  readonly first_kept_id: EntryId | null;
  readonly tokens_before: number;
  readonly tokens_after: number;
};

export type ModelChangeBody = {
  readonly type: "model_change";
  readonly profile: string;
  readonly model: string;
};

/** A name for an entry; without one, for the entry before it. */
export type LabelBody = { readonly type: "label"; readonly label: string; readonly entry_id?: EntryId };

export type TitleBody = { readonly type: "title"; readonly title: string };

/** The tip was moved there; null: before the first entry. */
export type LeafBody = { readonly type: "leaf"; readonly tip: EntryId | null };

export type ApprovalBody = {
  readonly type: "approval";
  readonly call_id: string;
  readonly tool: string;
  readonly subject: string;
  readonly decision: Decision;
};

export const approvalEntry = (request: ApprovalRequest, decision: Decision): ApprovalBody => ({
  type: "approval",
  call_id: request.call_id,
  tool: request.tool,
  subject: request.need.subject,
  decision,
});

/**
 * The line of an entry, secrets masked. Fields of the provider must come back to it byte for byte, so in them only
 * secrets that are known by value are masked, not what merely looks like one.
 */
export function entryLine(entry: Entry, redact: EntryRedaction): string {
  const extra = entry.type === "message" && entry.role === "assistant" ? entry.extra : undefined;
  const line = JSON.stringify(extra ? { ...entry, extra: undefined } : entry, (_key, value) =>
    typeof value === "string" ? redact.anything(value) : value,
  );
  if (!extra) return line;
  const kept = JSON.stringify(extra, (_key, value) =>
    typeof value === "string" ? redact.known(value) : value,
  );
  return `${line.slice(0, -1)},"extra":${kept}}`;
}

export type EntryRedaction = {
  /** Known secrets and everything that looks like one. */
  readonly anything: Redact;
  readonly known: Redact;
  /** Whether there is any secret that a stream could show in pieces. */
  readonly hasKnown?: boolean;
};
