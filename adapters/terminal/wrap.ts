import { onlyColours } from "./only-colours.ts";

/** Lines no wider than `width`, words kept whole where they fit. Colours go on over the ends of lines. */
export function wrapped(text: string, width: number): readonly string[] {
  return onlyColours(text)
    .split("\n")
    .flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): readonly string[] {
  if (Bun.stringWidth(line) <= width) return [line];
  const lines = Bun.wrapAnsi(line, Math.max(1, width), { hard: true, trim: false }).split("\n");
  // The blank at which a line was broken belongs to neither part.
  return lines.map((part, index) => (index === 0 ? part : part.replace(/^((?:\u001b\[[\d;]*m)*) /, "$1")));
}

/** At most `width` columns; what is cut off is told by an ellipsis. */
export function clipped(text: string, width: number): string {
  if (width <= 0) return "";
  if (Bun.stringWidth(text) <= width) return text;
  const cut = Bun.sliceAnsi(text, 0, width - 1);
  // A wide character at the edge is taken along although only half of it fits.
  const fits = Bun.stringWidth(cut) < width ? cut : Bun.sliceAnsi(text, 0, width - 2);
  return `${fits}…`;
}
