export type Notify = "off" | "bell" | "osc9";

/** A terminal that does not say whether somebody looks at it is rung only after something long. */
const LONG_MS = 15_000;

export type Attention = { readonly focused: boolean | undefined; readonly tookMs: number };

/** What to write when a task ends or waits, so that someone who looks elsewhere comes back; empty: nothing. */
export function callForAttention(notify: Notify, { focused, tookMs }: Attention, message: string): string {
  if (notify === "off" || focused === true) return "";
  if (focused === undefined && tookMs < LONG_MS) return "";
  return notify === "bell" ? "\u0007" : `\u001b]9;${message.replace(/[^ -~]/g, "")}\u0007`;
}
