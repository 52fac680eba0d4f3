import { onlyColours } from "./only-colours.ts";

/** Lines no wider than `width`, words kept whole where they fit. Colours go on over the ends of lines. */
export function wrapped(text: string, width: number): readonly string[] {
  return onlyColours(text)
    .split("\n")
    .flatMap((line) => wrapLine(line, width));
}

function wrapLine(line: string, width: number): readonly string[] {
  if (Bun.stringWidth(line) <= width) return [line];
  return Bun.wrapAnsi(line, Math.max(1, width), { hard: true, trim: false }).split("\n");
}

/** At most `width` columns; what is cut off is told by an ellipsis. */
export const clipped = (text: string, width: number): string =>
  width <= 0 ? "" : Bun.sliceAnsi(text, 0, width, { ellipsis: "…" });
