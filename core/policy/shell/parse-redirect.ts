import { skipBlanks } from "./parse-space.ts";
import { scanQuotedText, scanWord } from "./scan-word.ts";
import { type Cursor, giveUp, type Part, type Redirect, type Word } from "./syntax.ts";

const OPERATOR = /(\d*|\{[A-Za-z_]\w*\})(<<<|<<-|<<|<>|<&|>>|>\||>&|&>>|&>|<|>)/y;

/** A redirection at the cursor, if one stands here. The text of a here-document comes with the next newline. */
export function parseRedirect(cursor: Cursor): Redirect | undefined {
  skipBlanks(cursor);
  OPERATOR.lastIndex = cursor.at;
  const found = OPERATOR.exec(cursor.text);
  if (!found) return undefined;
  const [whole, fd = "", operator = ""] = found;
  // `<(` and `>(` begin a word; `2&>1` is a word and a list.
  if ((operator === "<" || operator === ">") && cursor.text.charAt(cursor.at + whole.length) === "(") {
    return undefined;
  }
  if (fd !== "" && operator.startsWith("&")) return undefined;
  cursor.at += whole.length;
  skipBlanks(cursor);
  const from = cursor.at;
  const target = scanWord(cursor);
  if (!target) {
    giveUp(cursor, `nothing follows "${operator}"`);
    return undefined;
  }
  if (operator !== "<<" && operator !== "<<-") return { operator, fd, target };
  return hereDocument(cursor, { fd, raw: cursor.text.slice(from, cursor.at), stripTabs: operator === "<<-" });
}

function hereDocument(
  cursor: Cursor,
  { fd, raw, stripTabs }: { readonly fd: string; readonly raw: string; readonly stripTabs: boolean },
): Redirect {
  const quoted = /['"\\]/.test(raw);
  const parts: Part[] = [];
  const target: Word = { parts, braces: false };
  cursor.pendingEnds.push({ delimiter: raw.replace(/['"\\]/g, ""), stripTabs });
  cursor.pending.push((body) => {
    if (quoted) {
      parts.push({ type: "text", text: body, quoted: true });
      return;
    }
    const inside: Cursor = { ...cursor, text: body, at: 0, error: undefined, pending: [], pendingEnds: [] };
    scanQuotedText(inside, parts, "");
    cursor.error ??= inside.error;
  });
  return { operator: "<<", fd, target };
}
