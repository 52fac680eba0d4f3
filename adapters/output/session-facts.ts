import type { SessionView } from "../../core/session-view.ts";

/** What a session was, in one line. */
export function factsLine({ id, createdAt, cwd, model, totals }: SessionView): string {
  const { usage, turns, tool_calls: calls } = totals;
  return [
    `Session ${id}`,
    createdAt.slice(0, 16).replace("T", " "),
    cwd,
    model,
    `${turns} ${turns === 1 ? "turn" : "turns"}`,
    calls === 0 ? "" : `${calls} ${calls === 1 ? "tool call" : "tool calls"}`,
    usage.total_tokens === 0 ? "" : `${usage.input_tokens} tokens in, ${usage.output_tokens} out`,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
