import type { ImagePart } from "../../core/message.ts";
import { argumentsLine } from "../../core/render.ts";
import { unreachable } from "../../core/result.ts";
import type { CallItem, CallResult, SessionView, ViewItem } from "../../core/session-view.ts";
import { argumentBlocks, resultLanguage } from "./argument-blocks.ts";
import { escapeHtml } from "./escape-html.ts";
import css from "./export-html.css" with { type: "text" };
import { highlight } from "./highlight.ts";
import { markdownHtml } from "./markdown-html.ts";
import { factsLine } from "./session-facts.ts";

/** A session as one page that needs nothing from elsewhere and runs no script. */
export function exportHtml(view: SessionView): string {
  const title = escapeHtml(view.title);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${css}</style>
</head>
<body>
<main>
<header>
<h1>${title}</h1>
<p>${escapeHtml(factsLine(view))}</p>
</header>
${view.items.map(section).join("\n")}
<footer>Exported by buddy</footer>
</main>
</body>
</html>
`;
}

/** Even if something got past the escaping, a browser would neither run nor fetch it. */
function policy(): string {
  const hash = new Bun.CryptoHasher("sha256").update(css).digest("base64");
  return `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`;
}

function section(item: ViewItem): string {
  switch (item.type) {
    case "user":
      return `<section class="user"><h2>User</h2><p>${escapeHtml(item.text)}</p>${images(item.images)}</section>`;
    case "assistant":
      return `<section class="assistant"><h2>Assistant</h2>${reasoning(item.reasoning)}${markdownHtml(item.text)}</section>`;
    case "call":
      return call(item);
    case "summary":
      return `<section class="summary assistant"><h2>Summary of what came before</h2>${markdownHtml(item.text)}</section>`;
    case "model_change":
      return `<section class="note">Model: ${escapeHtml(item.text)}</section>`;
    case "denied":
      return `<section class="note">Denied: ${escapeHtml(item.text)}</section>`;
    default:
      return unreachable(item);
  }
}

const reasoning = (text: string): string =>
  text === ""
    ? ""
    : `<details class="reasoning"><summary>Reasoning</summary><div class="body">${escapeHtml(text)}</div></details>`;

function call({ name, arguments: args, result }: CallItem): string {
  const line = `<b>${escapeHtml(name)}</b><code>${escapeHtml(argumentsLine(args, 160))}</code>${MARKS[result.type]}`;
  const given = argumentBlocks(args).map(({ title, text, language }) => block(title, text, language));
  return `<details><summary>${line}</summary><div class="body">${given.join("")}${outcome(result, resultLanguage(args))}</div></details>`;
}

const MARKS: Readonly<Record<CallResult["type"], string>> = {
  done: "<i>done</i>",
  failed: '<i class="bad">failed</i>',
  none: '<i class="bad">no result</i>',
};

const outcome = (result: CallResult, language: string): string =>
  result.type === "none" ? "" : `${block("result", result.text, language)}${images(result.images)}`;

const block = (title: string, text: string, language: string): string =>
  text === "" ? "" : `<h3>${escapeHtml(title)}</h3><pre><code>${highlight(text, language)}</code></pre>`;

const images = (found: readonly ImagePart[]): string => found.map(image).join("");

function image({ media_type, data }: ImagePart): string {
  const shown = /^image\/(?:png|jpeg|gif|webp)$/.test(media_type) && /^[A-Za-z0-9+/=\s]*$/.test(data);
  return shown ? `<img alt="" src="data:${media_type};base64,${data}">` : "";
}
