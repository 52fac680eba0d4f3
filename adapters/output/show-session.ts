import { argumentsLine } from "../../core/render.ts";
import { unreachable } from "../../core/result.ts";
import { oneLine } from "../../core/sanitize.ts";
import type { CallItem, SessionView, ViewItem } from "../../core/session-view.ts";
import type { Paint } from "./paint.ts";
import { factsLine } from "./session-facts.ts";

const RESULT_LINES = 12;
const LINE_CHARS = 200;

/** A session to read on a terminal: what was said whole, what tools answered in a few lines. */
export function sessionText(view: SessionView, paint: Paint): string {
  const head = [paint("bold", oneLine(view.title, LINE_CHARS)), paint("dim", factsLine(view))].join("\n");
  return `${[head, ...view.items.map((item) => shownItem(item, paint))].join("\n\n")}\n`;
}

function shownItem(item: ViewItem, paint: Paint): string {
  switch (item.type) {
    case "user":
      return [
        `${paint("cyan", "❯")} ${paint("bold", item.text.trimEnd())}`,
        ...item.images.map(({ media_type }) => paint("dim", `[${oneLine(media_type, 40)}]`)),
      ].join("\n");
    case "assistant":
      return [item.reasoning === "" ? "" : paint("dim", item.reasoning.trimEnd()), item.text.trimEnd()]
        .filter((text) => text !== "")
        .join("\n\n");
    case "call":
      return shownCall(item, paint);
    case "summary":
      return `${paint("yellow", "— Summary of what came before —")}\n${item.text.trimEnd()}`;
    case "model_change":
      return paint("dim", `— Model: ${oneLine(item.text, LINE_CHARS)} —`);
    case "denied":
      return paint("red", `✗ Denied: ${oneLine(item.text, LINE_CHARS)}`);
    default:
      return unreachable(item);
  }
}

function shownCall({ name, arguments: args, result }: CallItem, paint: Paint): string {
  const call = `${paint("yellow", `▶ ${oneLine(name, 40)}`)} ${argumentsLine(args, LINE_CHARS)}`.trimEnd();
  if (result.type === "none") return `${call}\n${paint("red", "  no result")}`;
  const style = result.type === "failed" ? "red" : "dim";
  const lines = result.text.trimEnd().split("\n");
  const left = lines.length - RESULT_LINES;
  const shown = lines.slice(0, RESULT_LINES).map((line) => `  ${oneEnd(line)}`);
  const more = left > 0 ? [`  … ${left} more ${left === 1 ? "line" : "lines"}`] : [];
  return [call, paint(style, [...shown, ...more].join("\n"))].join("\n");
}

const oneEnd = (line: string): string =>
  line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS - 1).replace(/[\ud800-\udbff]$/, "")}…` : line;
