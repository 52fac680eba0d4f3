import * as v from "valibot";

// What a file of rules about models may say. Only a user's own file is checked by it.

const name = v.pipe(v.string(), v.toLowerCase());
const names = v.union([name, v.array(name)], "must be a name or a list of names");
const count = v.pipe(
  v.number("must be a number"),
  v.integer("must be a whole number"),
  v.minValue(1, "must be at least 1"),
);
const usd = v.pipe(
  v.number("must be a number"),
  v.finite("must be finite"),
  v.minValue(0, "must not be negative"),
);
const flag = v.boolean("must be true or false");

const priceSchema = v.strictObject({ input: usd, output: usd, cached: v.optional(usd) }, wrongTable);
const listedPriceSchema = v.union(
  [v.strictTuple([usd, usd]), v.strictTuple([usd, usd, usd])],
  "must be [input, output] or [input, output, cached]",
);

/** Where a rule has several of `exact`, `prefix` and `contains`, all must hold; without any it matches every model. */
export const ruleSchema = v.strictObject(
  {
    exact: v.optional(names),
    prefix: v.optional(names),
    contains: v.optional(names),
    context: v.optional(count),
    output: v.optional(count),
    /** The price of everything that the rule matches. */
    price: v.optional(priceSchema),
    /** Prices by exact name. */
    prices: v.optional(v.record(name, listedPriceSchema, "must be a table")),
    /** What a `:batch` variant costs, as a share of the price. */
    batch: v.optional(usd),
    reasoning: v.optional(flag),
    images: v.optional(flag),
    tools: v.optional(flag),
    thinking: v.optional(v.picklist(["adaptive", "budget"], 'must be "adaptive" or "budget"')),
  },
  wrongTable,
);

export const catalogueSchema = v.strictObject(
  { rules: v.optional(v.array(ruleSchema, "must be a list of tables"), []) },
  wrongTable,
);

/** A strict object has one message for all that can be wrong with it. */
function wrongTable({ expected }: v.StrictObjectIssue): string {
  if (expected === "Object") return "must be a table";
  return expected === "never" ? "is not a known key" : "is missing";
}
