declare const brand: unique symbol;
type Id<Name extends string> = string & { readonly [brand]: Name };

/** Sortable by creation, `[a-z0-9-]`, short enough to type a prefix of. */
export type SessionId = Id<"session">;
export type EntryId = Id<"entry">;
export type TaskId = Id<"task">;
export type ApprovalId = Id<"approval">;

const ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";

/** `mhx2k9-7f3q0c`-like: seconds in base 36, then chance. `random` yields numbers in [0, 1). */
export function sessionId(unixMs: number, random: () => number): SessionId {
  const time = Math.floor(unixMs / 1000)
    .toString(36)
    .padStart(7, "0");
  return `${time}-${randomText(6, random)}` as SessionId;
}

/** Entries are numbered in the order of writing; the number is unique within one session file. */
export const entryId = (index: number): EntryId => index.toString(36).padStart(4, "0") as EntryId;

export const taskId = (index: number): TaskId => `t${index}` as TaskId;

export const approvalId = (index: number): ApprovalId => `a${index}` as ApprovalId;

/** A session id that came from outside: file name, flag. */
export const sessionIdOf = (text: string): SessionId => text as SessionId;

/** An entry id that came from outside: session file, flag. */
export const entryIdOf = (text: string): EntryId => text as EntryId;

function randomText(length: number, random: () => number): string {
  let text = "";
  while (text.length < length) text += ALPHABET[Math.floor(random() * ALPHABET.length)] ?? "0";
  return text;
}
