import { formatDuration } from "../../core/duration.ts";
import { oneLine } from "../../core/sanitize.ts";
import type { SessionSummary } from "../../core/session-summary.ts";
import { counted } from "./item-lines.ts";
import type { Choice } from "./picker.ts";

/** Sessions to choose from; those that cannot be used are left out. */
export const sessionChoices = (sessions: readonly SessionSummary[], nowMs: number): readonly Choice[] =>
  sessions
    .filter(({ damage }) => damage === undefined)
    .map(({ id, title, turns, lastUsedMs, model }) => ({
      value: id,
      label: oneLine(title, 80) || id,
      detail: [ago(nowMs - lastUsedMs), counted(turns.count, "turn"), oneLine(model, 30), id]
        .filter((part) => part !== "")
        .join(" · "),
    }));

function ago(ms: number): string {
  if (ms < 60_000) return "just now";
  const day = 86_400_000;
  return `${ms < day ? formatDuration(Math.floor(ms / 60_000) * 60_000) : `${Math.floor(ms / day)}d`} ago`;
}
