import { type DomElement, type DomNode, isElement, isText, walk } from "./dom.ts";
import { type Lines, lines, type Opened } from "./lines.ts";

export type Readable = { readonly title: string; readonly text: string };

/** What a person would read of a page, with its links. */
export function readable(document: DomElement, url: string, format: "text" | "markdown"): Readable {
  const title = (document.querySelector("title")?.textContent ?? "").replace(/\s+/g, " ").trim();
  return {
    title: title.slice(0, MAX_TITLE_CHARS),
    text: written(mainPart(document), baseOf(document, url), format),
  };
}

const MAX_TITLE_CHARS = 300;
const ENOUGH_CHARS = 200;

/** The part that the page itself calls its content, if it has enough of it. */
function mainPart(document: DomElement): DomNode {
  for (const selector of ["main", "[role=main]", "article"]) {
    const [found, second] = document.querySelectorAll(selector);
    if (found && !second && (found.textContent ?? "").trim().length >= ENOUGH_CHARS) return found;
  }
  return document;
}

function baseOf(document: DomElement, url: string): string {
  const href = document.querySelector("base[href]")?.getAttribute("href") ?? "";
  return URL.canParse(href, url) ? new URL(href, url).href : url;
}

const SKIPPED = new Set(
  "SCRIPT STYLE NOSCRIPT TEMPLATE SVG CANVAS IFRAME OBJECT HEAD TITLE META LINK BASE SELECT BUTTON INPUT TEXTAREA DIALOG NAV FOOTER".split(
    " ",
  ),
);
const BLOCKS = new Set(
  "ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FORM HEADER HR LI MAIN OL P PRE SECTION SUMMARY TABLE TBODY THEAD TFOOT TR UL CAPTION H1 H2 H3 H4 H5 H6".split(
    " ",
  ),
);
/** Blocks with a blank line around them. */
const AIRY = new Set(
  "ARTICLE BLOCKQUOTE DL FIGURE HR OL P PRE SECTION TABLE UL H1 H2 H3 H4 H5 H6".split(" "),
);

function written(root: DomNode, base: string, format: "text" | "markdown"): string {
  const out = lines();
  const open = new Map<DomNode, () => void>();
  const counts = new Map<DomNode | null, number>();
  const count = ({ parentNode }: DomNode): number => {
    const position = (counts.get(parentNode) ?? 0) + 1;
    counts.set(parentNode, position);
    return position;
  };
  let verbatim = 0;
  walk(root, {
    enter: (node) => {
      if (isText(node)) {
        if (verbatim > 0) out.verbatim(preformatted(node));
        else out.text(node.nodeValue ?? "");
        return false;
      }
      if (!isElement(node)) return node.firstChild !== null;
      const name = node.nodeName.toUpperCase();
      if (SKIPPED.has(name) || isHidden(node)) return false;
      if (BLOCKS.has(name)) out.gap(AIRY.has(name) && !inList(node) ? 2 : 1);
      if (name === "PRE") verbatim += 1;
      const close = begin(out, node, name, { base, format, count });
      open.set(node, () => {
        close?.();
        if (name === "PRE") verbatim -= 1;
        if (BLOCKS.has(name)) out.gap(AIRY.has(name) && !inList(node) ? 2 : 1);
      });
      return true;
    },
    leave: (node) => {
      open.get(node)?.();
      open.delete(node);
    },
  });
  return out.result();
}

/** The line break right after `<pre>` is not part of the text. */
const preformatted = ({ nodeValue, parentNode }: DomNode): string =>
  /^PRE$/i.test(parentNode?.nodeName ?? "") ? (nodeValue ?? "").replace(/^\r?\n/, "") : (nodeValue ?? "");

const isHidden = (element: DomElement): boolean =>
  element.getAttribute("hidden") !== null ||
  element.getAttribute("aria-hidden") === "true" ||
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])/i.test(
    element.getAttribute("style") ?? "",
  );

const inList = ({ nodeName, parentNode }: DomNode): boolean =>
  /^[OU]L$/i.test(nodeName) && /^LI$/i.test(parentNode?.nodeName ?? "");

type Style = {
  readonly base: string;
  readonly format: "text" | "markdown";
  /** Counts it, and says which of the counted children of its parent it is. */
  readonly count: (node: DomNode) => number;
};

/** Writes what comes before an element's content; the result writes what comes after. */
function begin(out: Lines, element: DomElement, name: string, style: Style): (() => void) | undefined {
  const markdown = style.format === "markdown";
  switch (name) {
    case "A":
      return link(out, element, style);
    case "IMG":
      image(out, element, style);
      return undefined;
    case "BR":
      out.gap(1);
      return undefined;
    case "HR":
      out.text("---");
      return undefined;
    case "LI":
      return item(out, element, style);
    case "TD":
    case "TH":
      if (style.count(element) > 1) out.text(" | ");
      return undefined;
    case "BLOCKQUOTE":
      out.indent("> ");
      return out.outdent;
    case "PRE":
      return markdown ? fenced(out) : undefined;
    case "CODE":
      return markdown && !/^PRE$/i.test(element.parentNode?.nodeName ?? "") ? marked(out, "`") : undefined;
    case "STRONG":
    case "B":
      return markdown ? marked(out, "**") : undefined;
    case "EM":
    case "I":
      return markdown ? marked(out, "*") : undefined;
    default:
      return markdown && /^H[1-6]$/.test(name) ? heading(out, Number(name[1])) : undefined;
  }
}

const heading = (out: Lines, level: number) => closing(out.open(`${"#".repeat(level)} `), () => {});

const marked = (out: Lines, mark: string) => closing(out.open(mark), () => out.close(mark));

/** Marks with nothing between them are left out. */
const closing = (opened: Opened, close: () => void) => () => {
  if (opened.isEmpty()) opened.cancel();
  else close();
};

function fenced(out: Lines): () => void {
  out.text("```");
  out.gap(1);
  return () => {
    out.gap(1);
    out.text("```");
  };
}

function item(out: Lines, element: DomElement, { count }: Style): () => void {
  const ordered = /^OL$/i.test(element.parentNode?.nodeName ?? "");
  const opened = out.open(ordered ? `${count(element)}. ` : "- ");
  out.indent("  ");
  return () => {
    out.outdent();
    if (opened.isEmpty()) opened.cancel();
  };
}

function link(out: Lines, element: DomElement, { base, format }: Style): (() => void) | undefined {
  const url = webAddress(element.getAttribute("href") ?? "", base);
  if (url === undefined) return undefined;
  const opened = out.open(format === "markdown" ? "[" : "");
  return () => {
    if (opened.isEmpty()) opened.cancel();
    else if (format === "markdown") out.close(`](${url.replace(/[()\s]/g, encodeURIComponent)})`);
    else if (opened.words() !== url) out.close(` <${url}>`);
  };
}

function image(out: Lines, element: DomElement, { base, format }: Style): void {
  const alt = (element.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
  if (alt === "") return;
  const url = webAddress(element.getAttribute("src") ?? "", base);
  out.text(format === "markdown" && url !== undefined ? `![${alt}](${url})` : `[image: ${alt}]`);
}

/** A longer address is not one to follow, and would crowd out the text. */
const MAX_HREF_CHARS = 2000;

/** Where a link leads, if it leads to another page of the web. */
function webAddress(href: string, base: string): string | undefined {
  if (href === "" || href.length > MAX_HREF_CHARS || href.startsWith("#")) return undefined;
  if (!URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
}
