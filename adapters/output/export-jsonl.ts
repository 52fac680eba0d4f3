import { type EntryRedaction, entryLine } from "../../core/session.ts";
import type { SessionTree } from "../../core/session-tree.ts";

/** The session file again, without what was damaged in it; every branch, not only the one to the tip. */
export function exportJsonl({ header, nodes }: SessionTree, redact: EntryRedaction): string {
  const lines = nodes.map(({ entry }) =>
    entry.type === "unknown" ? redact.anything(entry.raw) : entryLine(entry, redact),
  );
  return [JSON.stringify(header), ...lines].map((line) => `${visible(line)}\n`).join("");
}

/** The same JSON in characters that no terminal obeys. */
const visible = (line: string): string =>
  line.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
