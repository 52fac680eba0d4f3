import type { Price } from "./catalogue.ts";
import type { Usage } from "./message.ts";

const TOKENS_PER_PRICE = 1_000_000;
const PARTS_PER_USD = 1e9;

/**
 * What a response cost in USD; null when the price is unknown.
 * Cached tokens are part of the input, reasoning tokens part of the output.
 */
export function costOf(usage: Usage, price: Price | null): number | null {
  if (price === null) return null;
  const cached = Math.min(usage.cached_tokens, usage.input_tokens);
  const input = (usage.input_tokens - cached) * price.input + cached * (price.cached ?? price.input);
  return rounded((input + usage.output_tokens * price.output) / TOKENS_PER_PRICE);
}

/** A sum of which one part is unknown is unknown. */
export function addCost(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : rounded(a + b);
}

/** To billionths of a dollar, so that 0.1 + 0.2 is 0.3. */
const rounded = (usd: number): number => Math.round(usd * PARTS_PER_USD) / PARTS_PER_USD;
