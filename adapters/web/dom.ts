/** As much of a parsed page as is read here. */
export type DomNode = {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly textContent: string | null;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly parentNode: DomNode | null;
};

export type DomElement = DomNode & {
  readonly getAttribute: (name: string) => string | null;
  readonly querySelector: (selector: string) => DomElement | null;
  readonly querySelectorAll: (selector: string) => Iterable<DomElement>;
};

/** More than this of a page is layout; parsing it would hold up everything else. */
const MAX_HTML_CHARS = 2 * 1024 * 1024;
/** A parsed tag takes a hundred times the memory of its letters; pages that people wrote have fewer. */
const MAX_TAGS = 100_000;

export type Parsed = { readonly document: DomElement; readonly cut: boolean };

export async function parseHtml(html: string): Promise<Parsed> {
  const { parseHTML } = await import("linkedom");
  const kept = html.slice(0, readableChars(html));
  // Pieces of pages have no root of their own, and text before the first element would be lost.
  const { document }: { readonly document: { readonly documentElement: DomElement } } = parseHTML(
    `<html>${kept}`,
  );
  return { document: document.documentElement, cut: kept.length < html.length };
}

/** How much of a page is parsed. */
function readableChars(html: string): number {
  const chars = Math.min(html.length, MAX_HTML_CHARS);
  let at = -1;
  for (let tags = 0; tags <= MAX_TAGS; tags++) {
    at = html.indexOf("<", at + 1);
    if (at === -1 || at >= chars) return chars;
  }
  return at;
}

const ELEMENT = 1;
const TEXT = 3;

export const isElement = (node: DomNode): node is DomElement => node.nodeType === ELEMENT;
export const isText = (node: DomNode): boolean => node.nodeType === TEXT;

/** Visits a tree of any depth. `enter` says whether to go on below; `leave` follows each element entered. */
export function walk(
  root: DomNode,
  { enter, leave }: { readonly enter: (node: DomNode) => boolean; readonly leave: (node: DomNode) => void },
): void {
  let node: DomNode = root;
  while (true) {
    const below = enter(node) ? node.firstChild : null;
    if (below !== null) {
      node = below;
      continue;
    }
    leave(node);
    while (node !== root && node.nextSibling === null) {
      if (node.parentNode === null) return;
      node = node.parentNode;
      leave(node);
    }
    if (node === root || node.nextSibling === null) return;
    node = node.nextSibling;
  }
}
