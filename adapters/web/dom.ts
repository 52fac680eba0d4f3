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

export type Parsed = { readonly document: DomElement; readonly cut: boolean };

export async function parseHtml(html: string): Promise<Parsed> {
  const { parseHTML } = await import("linkedom");
  // Pieces of pages have no root of their own, and text before the first element would be lost.
  const { document }: { readonly document: { readonly documentElement: DomElement } } = parseHTML(
    `<html>${html.slice(0, MAX_HTML_CHARS)}`,
  );
  return { document: document.documentElement, cut: html.length > MAX_HTML_CHARS };
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
