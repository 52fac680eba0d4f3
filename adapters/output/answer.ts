import type { Envelope, Sink } from "../../core/event.ts";
import { proseText } from "../../core/sanitize.ts";
import type { Output } from "../host/output.ts";

/**
 * The answer on stdout. On a terminal it streams; into a pipe or a file only the final message is written, at the
 * end, so that a script never sees half-thoughts. Exactly one trailing newline either way.
 */
export function answer(stdout: Output): Sink {
  const streams = stdout.isTerminal();
  let midLine = false;

  const stream = (text: string) => {
    const shown = proseText(text);
    stdout.write(shown);
    if (shown !== "") midLine = !shown.endsWith("\n");
  };
  const endLine = () => {
    if (midLine) stdout.write("\n");
    midLine = false;
  };

  return ({ event }: Envelope) => {
    if (event.family === "task" && (event.type === "completed" || event.type === "failed")) {
      if (streams) endLine();
      else if (event.type === "completed" || event.result !== "") stdout.write(withOneNewline(event.result));
    }
    if (!streams || event.family !== "model") return;
    if (event.type === "text_delta") stream(event.text);
    if (event.type === "delta_withdrawn" || event.type === "message") endLine();
  };
}

const withOneNewline = (text: string): string => `${text.replace(/\n+$/, "")}\n`;
