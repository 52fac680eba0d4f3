import { formatDuration } from "../../core/duration.ts";
import { argumentsLine } from "../../core/render.ts";
import { unreachable } from "../../core/result.ts";
import { displayText, oneLine, proseText } from "../../core/sanitize.ts";
import { diffLines } from "./diff-lines.ts";
import type { Item, ResultBody } from "./item.ts";
import { markdownLines } from "./markdown.ts";
import type { ColourDepth } from "./style.ts";
import type { Painter } from "./theme.ts";
import { clipped, wrapped } from "./wrap.ts";

export type Look = {
  readonly width: number;
  readonly paint: Painter;
  readonly depth: ColourDepth;
  readonly light: boolean;
  readonly markdown: boolean;
  /** Results whole instead of their first lines. */
  readonly expanded: boolean;
};

const CALL_COLUMNS = 80;
const RESULT_COLUMNS = 120;
const FOLDED_LINES = 4;
const FOLDED_DIFF_LINES = 40;
const FOLDED_PROMPT_LINES = 12;

/** An item as the lines that are printed for it. */
export function itemLines(item: Item, look: Look): readonly string[] {
  const { paint, width } = look;
  switch (item.type) {
    case "user":
      return promptLines(item.text, look);
    case "answer":
      return markdownLines(item.text, { ...look, rendered: look.markdown });
    case "reasoning":
      return painted("reasoning", wrapped(proseText(item.text.trim()), width), paint);
    case "call":
      return [callLine(item, look)];
    case "result":
      return resultLines(item, look);
    case "refused":
      return painted("error", wrapped(`✗ ${displayText(item.reason)}`, width), paint);
    case "approved":
      return [paint("result", item.forSession ? "✓ approved for this session" : "✓ approved")];
    case "tokens":
      return [paint("count", clipped(`· ${item.text}`, width))];
    case "notice":
      return painted("result", wrapped(`· ${displayText(item.text)}`, width), paint);
    case "warning":
    case "error":
      return troubleLines(item, look);
    case "said":
      return item.lines.flatMap((line) => wrapped(line, width));
    default:
      return unreachable(item);
  }
}

/** Whether a blank line stands between two items. */
export function apart(before: Item["type"] | undefined, item: Item["type"]): boolean {
  if (before === undefined) return false;
  const quiet = new Set<Item["type"]>(["result", "refused", "approved", "tokens"]);
  if (quiet.has(item)) return before === "answer" && item === "tokens" ? false : before === "answer";
  return !(item === "call" && (before === "call" || before === "result" || before === "refused"));
}

const painted = (role: string, lines: readonly string[], paint: Painter): readonly string[] =>
  lines.map((line) => paint(role, line));

function promptLines(text: string, { paint, width }: Look): readonly string[] {
  const lines = wrapped(proseText(text), width - 2);
  const shown = lines.slice(0, FOLDED_PROMPT_LINES);
  const left = lines.length - shown.length;
  const more = left > 0 ? [paint("result", `  … ${counted(left, "more line")}`)] : [];
  return [
    ...shown.map((line, index) => `${index === 0 ? paint("prompt", "> ") : "  "}${paint("user", line)}`),
    ...more,
  ];
}

function callLine({ name, arguments: args }: Item & { type: "call" }, { paint, width }: Look): string {
  const columns = Math.min(CALL_COLUMNS, width);
  const shownName = oneLine(name, 40);
  const inside = clipped(argumentsLine(args, CALL_COLUMNS), columns - Bun.stringWidth(shownName) - 4);
  return clipped(`${paint("tool", `▶ ${shownName}`)}${paint("arguments", `(${inside})`)}`, columns);
}

function resultLines(item: Item & { type: "result" }, look: Look): readonly string[] {
  const { paint, width } = look;
  const role = item.failed ? "error" : "result";
  const took = item.durationMs === undefined ? "" : ` (${formatDuration(item.durationMs)})`;
  const columns = Math.min(RESULT_COLUMNS, width);
  if (item.body.type !== "output") {
    const line = clipped(`← ${oneLine(item.summary, RESULT_COLUMNS)}`, columns - took.length);
    return [paint(role, line + took), ...bodyLines(item.body, look)];
  }
  const [first = "", ...rest] = displayText(item.body.text).split("\n");
  const failure = item.failed ? `${/^exit \d+|^[^:]*/.exec(item.summary)?.[0] ?? ""}: ` : "";
  const line = clipped(`← ${failure}${first.replaceAll("\t", " ")}`, columns - took.length);
  return [paint(role, line + took), ...bodyLines({ type: "output", text: rest.join("\n") }, look)];
}

function bodyLines(body: ResultBody, look: Look): readonly string[] {
  if (body.type === "nothing") return [];
  const all = body.type === "diff" ? diffLines(body.text, look) : outputLines(body.text, look);
  const most = look.expanded ? all.length : body.type === "diff" ? FOLDED_DIFF_LINES : FOLDED_LINES;
  const left = all.length - most;
  if (left <= 1) return all;
  return [
    ...all.slice(0, most),
    look.paint("result", clipped(`  … ${counted(left, "more line")} (Ctrl-O shows them)`, look.width)),
  ];
}

const outputLines = (text: string, { paint, width }: Look): readonly string[] =>
  painted("result", wrapped(displayText(text), width - 2), paint).map((line) => `  ${line}`);

function troubleLines(item: Item & { type: "warning" | "error" }, { paint, width }: Look): readonly string[] {
  const lines = wrapped(`${item.type}: ${displayText(item.text)}`, width);
  const hint = item.hint === undefined ? [] : wrapped(`hint: ${displayText(item.hint)}`, width);
  return [...painted(item.type, lines, paint), ...painted("result", hint, paint)];
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
