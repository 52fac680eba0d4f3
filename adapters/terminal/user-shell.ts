import type { TextPart } from "../../core/message.ts";
import type { RunEnd, Target } from "../../core/ports/target.ts";
import { displayText } from "../../core/sanitize.ts";
import { headTail } from "../../core/truncate.ts";
import { harnessPart } from "../../core/user-parts.ts";

/** What the model is told of it at most. */
const MOST_CHARS = 16_000;
const LIMIT_MS = 600_000;

export type UserRun = { readonly lines: readonly string[]; readonly told: TextPart };

/** A command that the user runs on the target. */
export async function runForUser(
  target: Pick<Target, "run">,
  command: string,
  signal: AbortSignal,
): Promise<UserRun> {
  const decoder = new TextDecoder();
  const kept = headTail(MOST_CHARS);
  let end = "";
  for await (const event of target.run({ command, timeoutMs: LIMIT_MS }, signal)) {
    if ("bytes" in event) kept.add(decoder.decode(event.bytes, { stream: true }));
    else if (event.type !== "notice" && event.type !== "attention") end = endOf(event);
  }
  const output = kept.text().trimEnd();
  const lines = displayText([output, end].filter((part) => part !== "").join("\n")).split("\n");
  const told = [`$ ${command}`, output, end === "" ? "" : `[${end}]`]
    .filter((part) => part !== "")
    .join("\n");
  return { lines, told: harnessPart("user_command", told) };
}

function endOf(end: RunEnd): string {
  switch (end.type) {
    case "exited":
      return end.code === 0 ? "" : `exit ${end.code}`;
    case "killed":
      return `ended by ${end.signal}`;
    case "timed_out":
      return "timed out";
    case "left_running":
      return end.how;
    case "failed":
      return end.detail;
  }
}
