import type { Item } from "./item.ts";
import { apart, itemLines, type Look } from "./item-lines.ts";
import { liveRegion } from "./live-region.ts";
import { onlyColours } from "./only-colours.ts";

/** While something streams, the screen is drawn at most so often; a key is drawn at once. */
const FRAME_MS = 33;

export type Screen = {
  /** Finished pieces of the conversation: printed with the next drawing. */
  readonly print: (items: readonly Item[]) => void;
  /** The same, before what waits to be printed. */
  readonly printFirst: (item: Item) => void;
  readonly soon: () => void;
  readonly now: () => void;
  /** Somebody else wrote to the terminal, or it was resized. */
  readonly forget: () => void;
  /** Prints what is finished, takes the live lines away and draws nothing until `resume`. */
  readonly suspend: () => void;
  readonly resume: () => void;
};

export type ScreenDeps = {
  readonly write: (text: string) => void;
  readonly look: () => Look;
  readonly live: () => readonly string[];
  /** Drawing went wrong: a bug, after which the terminal must be given back. */
  readonly failed: (error: unknown) => void;
};

export function screen({ write, look, live, failed }: ScreenDeps): Screen {
  const region = liveRegion(write);
  let pending: Item[] = [];
  let last: Item["type"] | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let drawnAt = 0;
  let active = false;

  const printedLines = (): readonly string[] => {
    const how = look();
    const lines = pending.flatMap((item) => {
      const own = itemLines(item, how);
      if (own.length === 0) return [];
      const gap = apart(last, item.type) ? [""] : [];
      last = item.type;
      return [...gap, ...own];
    });
    pending = [];
    return lines;
  };

  const draw = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (!active) return;
    try {
      // The last gate: whatever was forgotten on the way, nothing but colours goes through.
      region.draw(printedLines().map(onlyColours), live().map(onlyColours));
      drawnAt = performance.now();
    } catch (error) {
      active = false;
      failed(error);
    }
  };

  return {
    print: (items) => {
      pending.push(...items);
    },
    printFirst: (item) => {
      pending.unshift(item);
    },
    soon: () => {
      timer ??= setTimeout(draw, Math.max(0, FRAME_MS - (performance.now() - drawnAt)));
    },
    now: draw,
    forget: region.forget,
    suspend: () => {
      clearTimeout(timer);
      timer = undefined;
      if (!active) return;
      active = false;
      region.clear();
      for (const line of printedLines()) write(`${onlyColours(line)}\r\n`);
    },
    resume: () => {
      active = true;
      region.forget();
      draw();
    },
  };
}
