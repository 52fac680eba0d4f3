import type { Message } from "./message.ts";
import { textOf } from "./message.ts";
import { headTail } from "./truncate.ts";

type Piece = {
  readonly role: Message["role"];
  readonly open: string;
  readonly text: string;
  readonly close: string;
};

/** What each kind of text may be cut down to when the whole is too long; in the order in which they give. */
const GIVE = [
  { role: "tool", chars: 300 },
  { role: "assistant", chars: 400 },
  { role: "user", chars: 600 },
] as const;

/** A conversation as plain text in at most `maxChars`, or little more. Results are marked as material. */
export function transcript(messages: readonly Message[], maxChars: number): string {
  const pieces = messages.flatMap(piecesOf);
  let over = pieces.reduce((total, piece) => total + lengthOf(piece), 0) - maxChars;
  for (const { role, chars } of GIVE) {
    for (const [at, piece] of pieces.entries()) {
      if (over <= 0) break;
      if (piece.role !== role || piece.text.length <= chars + NOTE_CHARS) continue;
      // The oldest give first, and no more than is needed.
      const shorter = {
        ...piece,
        text: cutTo(piece.text, Math.max(chars, piece.text.length - over - NOTE_CHARS)),
      };
      over -= piece.text.length - shorter.text.length;
      pieces[at] = shorter;
    }
  }
  const whole = pieces.map(({ open, text, close }) => `${open}${text}${close}`).join("\n\n");
  return whole.length <= maxChars ? whole : cutTo(whole, maxChars);
}

/** The line that says what is missing. */
const NOTE_CHARS = 48;

const lengthOf = ({ open, text, close }: Piece): number => open.length + text.length + close.length + 2;

function piecesOf(message: Message): readonly Piece[] {
  const { role } = message;
  if (role === "user") return [{ role, open: "User:\n", text: quoted(said(message.content)), close: "" }];
  if (role === "tool") {
    const failed = message.is_error ? ", failed" : "";
    const open = `Result of ${quoted(message.name)}${failed}:\n<material>\n`;
    return [{ role, open, text: quoted(said(message.content)), close: "\n</material>" }];
  }
  const words =
    message.content === "" ? [] : [{ role, open: "Agent:\n", text: quoted(message.content), close: "" }];
  const calls = message.tool_calls.map((call) => ({
    role,
    open: `Agent calls ${quoted(call.name)}: `,
    text: quoted(call.arguments),
    close: "",
  }));
  return [...words, ...calls];
}

function said(content: Parameters<typeof textOf>[0]): string {
  const images = content.filter((part) => part.type === "image").length;
  return textOf(content) + (images > 0 ? `\n[images: ${images}]` : "");
}

/** Nothing inside can close, or pretend to be, one of the marks. */
const quoted = (prose: string): string =>
  prose.replaceAll(/<(?=\/?(?:material|transcript|current_summary)\b)/gi, "‹");

function cutTo(prose: string, maxChars: number): string {
  const kept = headTail(maxChars);
  kept.add(prose);
  return kept.text();
}
