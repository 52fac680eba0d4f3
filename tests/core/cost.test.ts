import { describe, expect, test } from "bun:test";
import { addCost, costOf } from "../../core/cost.ts";
import { NO_USAGE, type Usage } from "../../core/message.ts";

const usage = (counts: Partial<Usage>): Usage => ({ ...NO_USAGE, ...counts });

describe("costOf()", () => {
  const price = { input: 2, output: 10, cached: 0.5 };

  test("prices cached tokens as part of the input and reasoning as part of the output", () => {
    const used = usage({
      input_tokens: 1_000_000,
      cached_tokens: 400_000,
      output_tokens: 100_000,
      reasoning_tokens: 90_000,
    });
    expect(costOf(used, price)).toBe(1.2 + 0.2 + 1);
  });

  test("prices cached tokens as other input where no cached price is known", () => {
    const used = usage({ input_tokens: 1000, cached_tokens: 1000 });
    expect(costOf(used, { input: 2, output: 10 })).toBe(0.002);
    expect(costOf(used, { input: 2, output: 10, cached: 0 })).toBe(0);
  });

  test("never prices more cached tokens than there was input", () => {
    expect(costOf(usage({ input_tokens: 10, cached_tokens: 1000 }), price)).toBe(0.000005);
  });

  test("has no noise in its last digits", () => {
    expect(costOf(usage({ input_tokens: 3, output_tokens: 1 }), { input: 0.1, output: 0.2 })).toBe(
      0.000_000_5,
    );
    expect(costOf(usage({ input_tokens: 1, output_tokens: 1 }), { input: 0.1, output: 0.2 })).toBe(
      0.000_000_3,
    );
  });

  test("is 0 for nothing and for what costs nothing, and null for an unknown price", () => {
    expect(costOf(NO_USAGE, price)).toBe(0);
    expect(costOf(usage({ input_tokens: 9 }), { input: 0, output: 0, cached: 0 })).toBe(0);
    expect(costOf(usage({ input_tokens: 9 }), null)).toBeNull();
    expect(costOf(NO_USAGE, null)).toBeNull();
  });
});

describe("addCost()", () => {
  test("adds without noise", () => {
    expect(addCost(0.1, 0.2)).toBe(0.3);
    expect(Array.from({ length: 1000 }, () => 0.001).reduce<number | null>(addCost, 0)).toBe(1);
  });

  test("is unknown as soon as one part is", () => {
    expect([addCost(null, 1), addCost(1, null), addCost(null, null)]).toEqual([null, null, null]);
  });
});
