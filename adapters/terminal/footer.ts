import { formatDuration } from "../../core/duration.ts";
import { displayText, oneLine } from "../../core/sanitize.ts";
import type { Painter } from "./theme.ts";
import type { Facts, RunningTask } from "./view-state.ts";
import { clipped } from "./wrap.ts";

export type FooterFacts = {
  /** Shortened by the home directory. */
  readonly cwd: string;
  readonly branch: string;
  readonly thinking: string;
  /** Empty while everything is asked. */
  readonly policy: string;
};

/** Where the user is, how much is used, and what works: as much as the width has room for. */
export function footerLine(
  facts: Facts,
  { cwd, branch, thinking, policy }: FooterFacts,
  width: number,
  paint: Painter,
): string {
  const where = branch === "" ? cwd : `${cwd} (${branch})`;
  const model = `${facts.model || facts.profile}${thinking === "" || thinking === "off" ? "" : ` ${thinking}`}`;
  const parts = [
    where,
    contextPart(facts),
    spentPart(facts),
    model,
    policy === "" ? "" : `approve ${policy}`,
  ];
  // On a narrow terminal the path gives first: the rest says what cannot be seen elsewhere.
  const rest = parts
    .slice(1)
    .filter((part) => part !== "")
    .join(" · ");
  const room = width - Bun.stringWidth(rest) - 3;
  const path = room >= 8 ? clippedStart(where, room) : "";
  return paint("footer", clipped(displayText([path, rest].filter((part) => part !== "").join(" · ")), width));
}

const contextPart = ({ context }: Facts): string => {
  if (context === undefined || context.limit === 0) return "";
  return `${short(context.used)}/${short(context.limit)} (${Math.round((context.used / context.limit) * 100)}%)`;
};

function spentPart({ tokens, costUsd }: Facts): string {
  const total = tokens.earlier + tokens.task;
  if (total === 0) return "";
  const cost = costUsd.earlier === null || costUsd.task === null ? undefined : costUsd.earlier + costUsd.task;
  return `${short(total)} tokens${cost === undefined || cost === 0 ? "" : ` $${cost.toFixed(cost < 1 ? 4 : 2)}`}`;
}

/** `850`, `12.3k`, `1.2M`. */
export function short(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

const trimmed = (value: number): string =>
  value >= 100 ? Math.round(value).toString() : value.toFixed(1).replace(/\.0$/, "");

const clippedStart = (text: string, width: number): string =>
  Bun.stringWidth(text) <= width ? text : `…${Bun.sliceAnsi(text, -(width - 1))}`;

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** `⠋ task #3 · run_shell · 12s`. */
export function statusLine(task: RunningTask, nowMs: number, width: number, paint: Painter): string {
  const elapsedMs = Math.max(0, nowMs - task.startedMs);
  const frame = FRAMES[Math.floor(elapsedMs / 100) % FRAMES.length] ?? "⠋";
  const number = task.id.replace(/^\D+/, "");
  const seconds = elapsedMs < 1000 ? "0s" : formatDuration(Math.floor(elapsedMs / 1000) * 1000);
  const text = clipped(`${frame} task #${number} · ${oneLine(task.doing, 60)} · ${seconds}`, width);
  return paint("status", text);
}
