import type { Message } from "../../core/message.ts";

/** How a protocol writes the messages of a body, one behind the other. */
export type BodyPieces = {
  /** Everything before the first message. */
  readonly start: string;
  /** The message at `at` with whatever joins it to the one before. Those before it are written already. */
  readonly piece: (messages: readonly Message[], at: number) => string;
  /** What closes the body. */
  readonly tail: string;
};

/**
 * A request body that grows with its conversation: only new messages are written, everything before stays as the
 * bytes it already is. Turns cost the same at the end of a long conversation as at its start.
 */
export function growingBody(): (messages: readonly Message[], pieces: BodyPieces) => Uint8Array<ArrayBuffer> {
  let bytes = Buffer.allocUnsafe(1 << 16);
  let length = 0;
  let start = "";
  let written: Message[] = [];

  const write = (json: string): void => {
    const text = withWholeCharacters(json);
    const most = length + text.length * 3;
    if (most > bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(most, bytes.length * 2));
      bytes.copy(larger, 0, 0, length);
      bytes = larger;
    }
    length += bytes.write(text, length);
  };

  return (messages, pieces) => {
    // Another beginning, or another history: written anew. An extension may have changed any message.
    if (pieces.start !== start || written.some((message, at) => messages[at] !== message)) {
      length = 0;
      written = [];
      start = pieces.start;
      write(start);
    }
    for (const message of messages.slice(written.length)) {
      write(pieces.piece(messages, written.length));
      written.push(message);
    }
    const end = length;
    write(pieces.tail);
    const body = bytes.subarray(0, length);
    length = end;
    return body;
  };
}

/** JSON can spell half a character. Servers refuse the whole request for it, now and ever after. */
const withWholeCharacters = (json: string): string =>
  json.includes("\\ud") ? json.replace(HALF_CHARACTER, "$1\\ufffd") : json;

/** JSON.stringify writes whole ones as they are; behind an odd number of backslashes it is one of its own. */
const HALF_CHARACTER = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;
