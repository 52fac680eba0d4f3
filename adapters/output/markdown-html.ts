import { escapeHtml, unescapeHtml } from "./escape-html.ts";
import { highlight } from "./highlight.ts";

const MAX_CHARS = 1_000_000;
/** Nobody quotes so deep; what does would cost the square of its length. */
const TOO_DEEP = /^(?:[ \t]*(?:[>*+-]|\d{1,9}[.)])(?=[ \t>]|$)){40}/m;

/**
 * Markdown of a model as HTML. Every character of it passes the `text` callback and is escaped there, so that no tag
 * is written but ours.
 */
export function markdownHtml(markdown: string): string {
  if (markdown.length > MAX_CHARS || TOO_DEEP.test(markdown)) return `<pre>${escapeHtml(markdown)}</pre>`;
  return Bun.markdown.render(
    markdown,
    {
      text: escapeHtml,
      paragraph: (inner) => `<p>${inner}</p>`,
      // The page has its own headings above these.
      heading: (inner, { level }) => `<h${Math.min(6, level + 2)}>${inner}</h${Math.min(6, level + 2)}>`,
      blockquote: (inner) => `<blockquote>${inner}</blockquote>`,
      code: (inner, meta) =>
        `<pre><code>${highlight(unescapeHtml(inner).replace(/\n$/, ""), meta?.language ?? "")}</code></pre>`,
      codespan: (inner) => `<code>${inner}</code>`,
      strong: (inner) => `<strong>${inner}</strong>`,
      emphasis: (inner) => `<em>${inner}</em>`,
      strikethrough: (inner) => `<s>${inner}</s>`,
      hr: () => "<hr>",
      list: (inner, { ordered, start }) =>
        ordered ? `<ol start="${Number(start ?? 1)}">${inner}</ol>` : `<ul>${inner}</ul>`,
      listItem: (inner, { checked }) =>
        checked === undefined ? `<li>${inner}</li>` : `<li class="task">${checked ? "☑" : "☐"} ${inner}</li>`,
      table: (inner) => `<div class="wide"><table>${inner}</table></div>`,
      thead: (inner) => `<thead>${inner}</thead>`,
      tbody: (inner) => `<tbody>${inner}</tbody>`,
      tr: (inner) => `<tr>${inner}</tr>`,
      th: (inner, meta) => `<th${aligned(meta?.align)}>${inner}</th>`,
      td: (inner, meta) => `<td${aligned(meta?.align)}>${inner}</td>`,
      link: (inner, { href }) => link(inner, href),
      // A picture from elsewhere would tell its host who reads this.
      image: (inner, { src }) => link(inner === "" ? escapeHtml(src) : inner, src),
    },
    { noHtmlBlocks: true, noHtmlSpans: true, autolinks: { url: true } },
  );
}

const aligned = (align: string | undefined): string =>
  align === "center" || align === "right" ? ` class="${align}"` : "";

const link = (inner: string, href: string): string =>
  /^(?:https?:\/\/|mailto:)/i.test(href)
    ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${inner}</a>`
    : inner;
