import type { Envelope } from "../../core/event.ts";
import { displayText } from "../../core/sanitize.ts";
import type { Output } from "../host/output.ts";
import type { RunOutput } from "./run-output.ts";

export type AnswerSettings = {
  /** The answer must be a document: only what is one is printed, and only at the end. */
  readonly isDocument?: ((text: string) => boolean) | undefined;
};

/**
 * The answer on stdout. On a terminal it streams; into a pipe or a file only the final message is written, at the
 * end, so that a script never sees half-thoughts. Exactly one trailing newline either way.
 */
export function answer(stdout: Output, { isDocument }: AnswerSettings = {}): RunOutput {
  const streams = stdout.isTerminal() && isDocument === undefined;
  let midLine = false;

  const stream = (text: string) => {
    const shown = displayText(text);
    stdout.write(shown);
    if (shown !== "") midLine = !shown.endsWith("\n");
  };
  const endLine = () => {
    if (midLine) stdout.write("\n");
    midLine = false;
  };

  const sink = ({ event }: Envelope): void => {
    if (event.family === "task" && (event.type === "completed" || event.type === "failed")) {
      if (streams) endLine();
      else if (isPrinted(event, isDocument)) stdout.write(finalText(event.result, stdout));
    }
    if (!streams || event.family !== "model") return;
    if (event.type === "text_delta") stream(event.text);
    if (event.type === "delta_withdrawn" || event.type === "message") endLine();
  };
  return { sink, fail: () => {}, isAbandoned: () => false };
}

type Ended = { readonly type: "completed" | "failed"; readonly result: string };

/** An answer always, what there is of one if there is any; never something that is not what was asked for. */
export const isPrinted = ({ type, result }: Ended, isDocument: AnswerSettings["isDocument"]): boolean =>
  type === "completed" || (result !== "" && (isDocument?.(result) ?? true));

const finalText = (text: string, stdout: Output): string =>
  withOneNewline(stdout.isTerminal() ? displayText(text) : text);

export const withOneNewline = (text: string): string => `${text.replace(/\n+$/, "")}\n`;
