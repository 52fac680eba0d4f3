import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { modelFacts, type Price, type Rule } from "../../core/catalogue.ts";
import { catalogueSchema } from "../../core/catalogue-schema.ts";
import models from "../../core/models.toml";
import prices from "../../core/prices.toml";
import facts from "../../fixtures/model-facts.json";

const builtIn = { rules: [...models.rules, ...prices.rules] };

type Fact = (typeof facts)[number];

const factsOf = (model: string) => modelFacts(builtIn.rules, model);

describe("models.toml", () => {
  test("keeps the schema, in lower case, in fewer than 200 rules", () => {
    expect(v.parse(catalogueSchema, builtIn)).toEqual(builtIn);
    expect(builtIn.rules.length).toBeLessThan(200);
  });

  test("knows the windows of at least 97 % of the models", () => {
    const known = (fact: Fact) => {
      const { context, output } = factsOf(fact.id);
      return context === fact.context && output === fact.output;
    };
    expect(share(facts, known)).toBeGreaterThanOrEqual(0.97);
  });

  test("knows what at least 97 % of the models can", () => {
    const known = (fact: Fact) => {
      const { reasoning, images } = factsOf(fact.id);
      return reasoning === fact.reasoning && images === fact.images;
    };
    expect(share(facts, known)).toBeGreaterThanOrEqual(0.97);
  });

  test("knows the price of at least 95 % of the models that have one, and no wrong one", () => {
    const priced = facts.filter((fact) => priceIn(fact) !== null);
    expect(share(priced, (fact) => factsOf(fact.id).price !== null)).toBeGreaterThanOrEqual(0.95);
    const wrong = priced.filter((fact) => {
      const { price } = factsOf(fact.id);
      return price !== null && !Bun.deepEquals(price, priceIn(fact));
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });

  test.each([
    "gpt-5.9",
    "gpt-5.4-ultra",
    "gpt-7",
    "openai/gpt-7:batch",
    "claude-opus-6",
    "anthropic/claude-haiku-6.5",
    "gemini-5-pro",
    "deepseek-v5",
    "kimi-k4",
    "glm-6",
    "grok-5",
    "mistral-large-5",
    "qwen/qwen3.9-max",
  ])("gives %s, which is not yet made, the window of its family and no price", (model) => {
    const { context, price } = factsOf(model);
    expect(context).toBeGreaterThan(100_000);
    expect(price).toBeNull();
  });

  test.each(["qwen3:32b", "gpt-oss:20b", "llama3.2", "gemma3:27b"])(
    "has no price for the local %s",
    (model) => {
      expect(factsOf(model).price).toBeNull();
      expect(factsOf(model).context).toBeGreaterThan(8192);
    },
  );

  test.each<[model: string, thinking: "adaptive" | "budget" | null]>([
    ["claude-3-5-sonnet-20241022", "budget"],
    ["claude-sonnet-4-20250514", "budget"],
    ["claude-opus-4-1", "budget"],
    ["claude-opus-4-5-20251101", "budget"],
    ["claude-haiku-4-5", "budget"],
    ["anthropic/claude-sonnet-4.5", "budget"],
    ["claude-sonnet-4-6", "adaptive"],
    ["claude-opus-4-6", "adaptive"],
    ["claude-opus-4-7", "adaptive"],
    ["claude-opus-5", "adaptive"],
    ["claude-haiku-5-5", "adaptive"],
    ["claude-fable-9", "adaptive"],
    ["gpt-5", null],
  ])("says how %s thinks: %p", (model, thinking) => {
    expect(factsOf(model).thinking).toBe(thinking);
  });
});

describe("modelFacts()", () => {
  test("knows nothing but 8192 tokens of an unknown model", () => {
    for (const model of ["nothing-known", "", "/", ":", "constructor", "__proto__"]) {
      expect(factsOf(model)).toEqual({
        context: 8192,
        output: null,
        price: null,
        reasoning: false,
        images: false,
        tools: true,
        thinking: null,
      });
    }
  });

  test("compares in lower case, without suffix, the whole id and what follows the last slash", () => {
    const rules: readonly Rule[] = [
      { exact: "vendor/small", context: 1 },
      { exact: "small", context: 2 },
      { prefix: ["big-", "large-"], context: 3 },
      { contains: "middle", context: 4 },
    ];
    const contexts = [
      "Vendor/Small:free",
      "other/deep/SMALL",
      "small",
      "x/large-1",
      "a-middle-b",
      "a:middle",
      "smaller",
    ];
    expect(contexts.map((model) => modelFacts(rules, model).context)).toEqual([1, 2, 2, 3, 4, 8192, 8192]);
  });

  test("takes each fact from the first rule that states it", () => {
    const rules: readonly Rule[] = [
      { exact: "m-2", output: 10, tools: false },
      { prefix: "m-", contains: "x", context: 1 },
      { prefix: "m-", context: 200, output: 20, reasoning: true, price: { input: 1, output: 2 } },
      { prices: { "m-2": [3, 4, 5] } },
    ];
    expect(modelFacts(rules, "m-2")).toEqual({
      context: 200,
      output: 10,
      price: { input: 1, output: 2 },
      reasoning: true,
      images: false,
      tools: false,
      thinking: null,
    });
  });

  test("consults the user's rules first", () => {
    const user: readonly Rule[] = [{ prefix: "gpt-5", context: 7, price: { input: 0, output: 0 } }];
    const { context, price, images } = modelFacts([...user, ...builtIn.rules], "openai/gpt-5.5");
    expect({ context, price, images }).toEqual({ context: 7, price: { input: 0, output: 0 }, images: true });
  });

  test("prices a variant by its own name, :free as nothing, :batch as a share or not at all", () => {
    const rules: readonly Rule[] = [
      { exact: "v/a:batch", price: { input: 9, output: 9 } },
      { exact: ["v/b", "v/c"], batch: 0.5 },
      { prices: { "v/a": [2, 4], "v/b": [2, 4, 1], "v/c": [2, 4], "v/c:batch": [1.5, 3], "v/d": [2, 4] } },
    ];
    const prices = ["v/a", "v/a:batch", "v/b:batch", "v/c:batch", "v/d:batch", "v/d:free", "v/d:online"];
    expect(prices.map((model) => modelFacts(rules, model).price)).toEqual([
      { input: 2, output: 4 },
      { input: 9, output: 9 },
      { input: 1, output: 2, cached: 0.5 },
      { input: 1.5, output: 3 },
      null,
      { input: 0, output: 0, cached: 0 },
      { input: 2, output: 4 },
    ]);
  });
});

describe("catalogueSchema", () => {
  test("lowers names and takes one name or a list", () => {
    const rules = [{ exact: "MiniMax-M3" }, { prefix: ["A", "b"], prices: { "X/Y": [1, 2] } }];
    expect(v.parse(catalogueSchema, { rules }).rules).toEqual([
      { exact: "minimax-m3" },
      { prefix: ["a", "b"], prices: { "x/y": [1, 2] } },
    ]);
  });

  test.each([
    [{ rules: [{ prefix: "a", context: "8k" }] }, "must be a number"],
    [{ rules: [{ prefix: "a", contxt: 1 }] }, "is not a known key"],
    [{ rules: [{ prefix: "a", price: { input: 1 } }] }, "is missing"],
    [{ rules: [{ prefix: "a", price: { input: -1, output: 1 } }] }, "must not be negative"],
    [{ rules: [{ prefix: "a", prices: { a: [1] } }] }, "must be [input, output] or [input, output, cached]"],
    [{ rules: [{ prefix: 5 }] }, "must be a name or a list of names"],
    [{ rules: [5] }, "must be a table"],
    [{ rules: 5 }, "must be a list of tables"],
  ])("rejects %j", (value, message) => {
    const parsed = v.safeParse(catalogueSchema, value);
    expect(parsed.issues?.map((issue) => issue.message)).toEqual([message]);
  });
});

const share = <T>(all: readonly T[], holds: (one: T) => boolean): number =>
  all.filter(holds).length / all.length;

/**
 * The price that a fact states. The list says 0 where a model is paid by subscription, is a router, or has no price yet;
 * only `:free` means that it costs nothing. A cached price of 0 beside another means that none is known.
 */
function priceIn({ id, usd_in, usd_out, usd_cached }: Fact): Price | null {
  if (usd_in === 0 && usd_out === 0) return id.endsWith(":free") ? { input: 0, output: 0, cached: 0 } : null;
  return { input: usd_in, output: usd_out, ...(usd_cached > 0 && { cached: usd_cached }) };
}
