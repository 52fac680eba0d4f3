import { argumentsLine } from "../../core/render.ts";
import { unreachable } from "../../core/result.ts";
import type { CallItem, SessionView, ViewItem } from "../../core/session-view.ts";
import { isDiff } from "./highlight.ts";
import { factsLine } from "./session-facts.ts";

/** A session as a Markdown document; calls are folded where HTML in Markdown is shown. */
export function exportMarkdown(view: SessionView): string {
  const head = [`# ${plainLine(view.title)}`, factsLine(view)];
  return `${[...head, ...view.items.flatMap(blocks)].join("\n\n")}\n`;
}

function blocks(item: ViewItem): readonly string[] {
  switch (item.type) {
    case "user":
      return [
        "## User",
        closed(item.text),
        ...item.images.map(({ media_type }) => `*[${plainLine(media_type)}]*`),
      ];
    case "assistant":
      return [
        "## Assistant",
        ...(item.reasoning === "" ? [] : [folded("Reasoning", fenced(item.reasoning, ""))]),
        ...(item.text === "" ? [] : [closed(item.text)]),
      ];
    case "call":
      return [folded(summaryOf(item), callBody(item))];
    case "summary":
      return ["## Summary of what came before", quoted(item.text)];
    case "model_change":
      return [`*Model: ${plainLine(item.text)}*`];
    case "denied":
      return [`*Denied: ${plainLine(item.text)}*`];
    default:
      return unreachable(item);
  }
}

const summaryOf = ({ name, arguments: args, result }: CallItem): string => {
  const mark = result.type === "failed" ? " (failed)" : result.type === "none" ? " (no result)" : "";
  return `<code>${escaped(name)}</code> ${escaped(argumentsLine(args, 100))}`.trimEnd() + mark;
};

const callBody = ({ arguments: args, result }: CallItem): string =>
  [
    fenced(args, "json"),
    ...(result.type === "none" ? [] : [fenced(result.text, isDiff(result.text) ? "diff" : "")]),
  ].join("\n\n");

const folded = (summary: string, body: string): string =>
  `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;

/** A fence longer than any in the text, so that the text cannot end it. */
function fenced(text: string, language: string): string {
  let longest = 2;
  for (const [ticks] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, ticks.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

/** A fence that was left open must not swallow what follows. */
function closed(text: string): string {
  const fences = text.match(/^ {0,3}(?:```|~~~)/gm) ?? [];
  return fences.length % 2 === 0 ? text.trimEnd() : `${text.trimEnd()}\n${fences.at(-1)?.trim()}`;
}

const quoted = (text: string): string => text.replace(/^/gm, "> ");

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** On one line, and taken literally. */
const plainLine = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>#|]/g, "\\$&");
