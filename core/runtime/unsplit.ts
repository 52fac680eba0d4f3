import type { Event } from "../event.ts";

const MOST_HELD = 256;

/**
 * A secret that arrives in two deltas is in neither of them. Secrets hold no blanks, so a delta is passed on only up
 * to its last blank; the word behind it waits for the next delta, or for whatever comes instead of one.
 */
export function unsplit(): (event: Event) => readonly Event[] {
  let held: DeltaEvent | undefined;

  const release = (): readonly Event[] => {
    const events = held ? [held] : [];
    held = undefined;
    return events;
  };

  return (event) => {
    if (!isDelta(event)) return [...release(), event];
    const before = held?.type === event.type ? [] : release();
    const text = (held?.text ?? "") + event.text;
    const end = text.length - (/\S*$/.exec(text.slice(-MOST_HELD))?.[0].length ?? 0);
    // A run without blanks that is longer than any secret is not held up for ever.
    const cut = text.length - end >= MOST_HELD ? text.length : end;
    held = cut < text.length ? { ...event, text: text.slice(cut) } : undefined;
    return cut > 0 ? [...before, { ...event, text: text.slice(0, cut) }] : before;
  };
}

type DeltaEvent = Event & { readonly type: "text_delta" | "reasoning_delta" };

const isDelta = (event: Event): event is DeltaEvent =>
  event.type === "text_delta" || event.type === "reasoning_delta";
