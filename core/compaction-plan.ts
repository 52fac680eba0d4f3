import type { Message } from "./message.ts";
import { piecesOf, shortenMessage } from "./shorten.ts";

export type Cut = {
  /** Goes into the summary. */
  readonly older: readonly Message[];
  /** Stays: word for word, but for what was too long to stay. */
  readonly kept: readonly Message[];
  /** Where `kept` begins in the whole. */
  readonly firstKeptIndex: number;
  /** How many of the kept messages are shorter than they were. */
  readonly shortened: number;
};

export type Estimate = (message: Message) => number;

const CHARS_PER_TOKEN = 4;

/**
 * The newest messages within `keepTokens` stay, never parted from the results that belong to them; the newest of all
 * stays even if it has to be cut inside. Undefined when there is nothing to cut.
 */
export function planCut(
  messages: readonly Message[],
  keepTokens: number,
  estimate: Estimate,
): Cut | undefined {
  let firstKeptIndex = messages.length;
  let keptTokens = 0;
  let pending = 0;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) break;
    pending += estimate(message);
    const isNewest = firstKeptIndex === messages.length;
    if (keptTokens + pending > keepTokens && !isNewest) break;
    // Results wait for the message that asked for them.
    if (message.role === "tool") continue;
    firstKeptIndex = at;
    keptTokens += pending;
    pending = 0;
  }
  const kept = messages.slice(firstKeptIndex);
  const shorter = keptTokens > keepTokens ? shortenAll(kept, keepTokens, estimate) : kept;
  const shortened = shorter.filter((message, index) => message !== kept[index]).length;
  if (firstKeptIndex === 0 && shortened === 0) return undefined;
  if (kept.length === 0) return undefined;
  return { older: messages.slice(0, firstKeptIndex), kept: shorter, firstKeptIndex, shortened };
}

/** As much of the messages as fits: the longest pieces give first, and all to the same length. */
function shortenAll(messages: readonly Message[], maxTokens: number, estimate: Estimate): readonly Message[] {
  const pieces = messages.flatMap(piecesOf);
  let shorter = messages;
  for (let chars = maxTokens * CHARS_PER_TOKEN; chars >= 1; chars = Math.floor(chars * 0.8)) {
    if (sum(shorter.map(estimate)) <= maxTokens) break;
    const cap = fairCap(pieces, chars);
    shorter = messages.map((message) => shortenMessage(message, cap));
  }
  return shorter;
}

/** The greatest length at which pieces cut to it add up to no more than `total`. */
export function fairCap(pieces: readonly number[], total: number): number {
  const rising = [...pieces].sort((a, b) => a - b);
  let left = total;
  for (const [index, chars] of rising.entries()) {
    const share = Math.floor(left / (rising.length - index));
    if (chars > share) return share;
    left -= chars;
  }
  return rising.at(-1) ?? total;
}

export const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, number) => total + number, 0);
