import { proseText } from "../../core/sanitize.ts";
import type { ColourDepth } from "./style.ts";
import { wrapped } from "./wrap.ts";

export type MarkdownLook = {
  readonly width: number;
  readonly depth: ColourDepth;
  readonly light: boolean;
  /** Off: the text as the model wrote it. */
  readonly rendered: boolean;
};

/** Markdown of a model as lines for the terminal. */
export function markdownLines(source: string, look: MarkdownLook): readonly string[] {
  const text = proseText(source);
  if (!look.rendered) return withoutBlankEnds(wrapped(text, look.width));
  const shown = Bun.markdown.ansi(text, {
    columns: look.width,
    colors: look.depth !== "none",
    light: look.light,
    hyperlinks: false,
  });
  return withoutBlankEnds(wrapped(look.depth === "16" ? inSixteenColours(shown) : shown, look.width));
}

/** Inline code has a background from a palette of 256; with sixteen colours it is yellow instead. */
const inSixteenColours = (text: string): string =>
  text.replace(/\u001b\[48;5;\d+m/g, "").replace(/\u001b\[38;5;\d+m/g, "\u001b[33m");

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const isBlank = (line: string | undefined) => line !== undefined && Bun.stripANSI(line).trim() === "";
  let from = 0;
  let to = lines.length;
  while (from < to && isBlank(lines[from])) from++;
  while (to > from && isBlank(lines[to - 1])) to--;
  return lines.slice(from, to);
}
