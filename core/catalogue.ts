import type * as v from "valibot";
import type { catalogueSchema, ruleSchema } from "./catalogue-schema.ts";

// What is known of a model by its name: `models.toml`, compiled in, and the user's own file before it.

export type Rule = v.InferOutput<typeof ruleSchema>;
export type Catalogue = v.InferOutput<typeof catalogueSchema>;

/** USD per million tokens. Without `cached`, cached tokens cost what other input does. */
export type Price = { readonly input: number; readonly output: number; readonly cached?: number | undefined };

export type ModelFacts = {
  readonly context: number;
  /** Longest answer in tokens; null when unknown. */
  readonly output: number | null;
  readonly price: Price | null;
  readonly reasoning: boolean;
  readonly images: boolean;
  readonly tools: boolean;
  /** How the Messages API is asked to think; null where that does not apply. */
  readonly thinking: "adaptive" | "budget" | null;
};

const UNKNOWN_CONTEXT = 8192;

/** Each fact comes from the first matching rule that states it: exceptions stand before the family. */
export function modelFacts(rules: readonly Rule[], model: string): ModelFacts {
  const name = nameOf(model);
  const matching = rules.filter((rule) => matches(rule, name));
  return {
    context: first(matching, (rule) => rule.context) ?? UNKNOWN_CONTEXT,
    output: first(matching, (rule) => rule.output) ?? null,
    price: priceOf(matching, name),
    reasoning: first(matching, (rule) => rule.reasoning) ?? false,
    images: first(matching, (rule) => rule.images) ?? false,
    tools: first(matching, (rule) => rule.tools) ?? true,
    thinking: first(matching, (rule) => rule.thinking) ?? null,
  };
}

type Name = {
  /** `vendor/model` and `model`: what a rule is compared with. */
  readonly plain: readonly string[];
  /** The same with `:suffix`, which a rule may name to speak of that variant only; empty without a suffix. */
  readonly variant: readonly string[];
  readonly all: readonly string[];
  readonly suffix: string;
};

function nameOf(model: string): Name {
  const id = model.toLowerCase();
  const tail = id.lastIndexOf("/") + 1;
  const colon = id.indexOf(":", tail);
  const [whole, suffix] = colon === -1 ? [id, ""] : [id.slice(0, colon), id.slice(colon)];
  const plain = tail === 0 ? [whole] : [whole, whole.slice(tail)];
  const variant = suffix === "" ? [] : plain.map((form) => form + suffix);
  return { plain, variant, all: [...plain, ...variant], suffix };
}

const matches = (rule: Rule, { plain, all }: Name): boolean =>
  (rule.prefix === undefined || startsWithOneOf(all, rule.prefix)) &&
  (rule.exact === undefined || isOneOf(all, rule.exact)) &&
  (rule.contains === undefined || containsOneOf(plain, rule.contains));

type Names = string | readonly string[];

/** Loops without callbacks: start-up waits for this, and it is not yet compiled then. */
function startsWithOneOf(forms: readonly string[], wanted: Names): boolean {
  for (const text of typeof wanted === "string" ? [wanted] : wanted) {
    for (const form of forms) if (form.startsWith(text)) return true;
  }
  return false;
}

const isOneOf = (forms: readonly string[], wanted: Names): boolean =>
  typeof wanted === "string" ? forms.includes(wanted) : wanted.some((text) => forms.includes(text));

const containsOneOf = (forms: readonly string[], wanted: Names): boolean =>
  (typeof wanted === "string" ? [wanted] : wanted).some((text) => forms.some((form) => form.includes(text)));

const FREE: Price = { input: 0, output: 0, cached: 0 };

/** The price of `name:free` is nothing and that of `name:batch` a share, unless the variant has its own. */
function priceOf(rules: readonly Rule[], { plain, variant, suffix }: Name): Price | null {
  const own = first(rules, (rule) => priceNaming(rule, variant));
  if (own !== undefined) return own;
  if (suffix === ":free") return FREE;
  const price = first(rules, (rule) => priceNaming(rule, plain) ?? rule.price) ?? null;
  if (price === null || suffix !== ":batch") return price;
  const share = first(rules, (rule) => rule.batch);
  return share === undefined ? null : scaled(price, share);
}

/** The price that a rule states for exactly one of these names. */
function priceNaming(rule: Rule, forms: readonly string[]): Price | undefined {
  const { prices = {}, exact } = rule;
  const form = forms.find((form) => Object.hasOwn(prices, form));
  const listed = form === undefined ? undefined : prices[form];
  if (listed !== undefined) return { input: listed[0], output: listed[1], cached: listed[2] };
  return exact !== undefined && isOneOf(forms, exact) ? rule.price : undefined;
}

const scaled = ({ input, output, cached }: Price, share: number): Price => ({
  input: input * share,
  output: output * share,
  ...(cached !== undefined && { cached: cached * share }),
});

function first<T>(rules: readonly Rule[], fact: (rule: Rule) => T | undefined): T | undefined {
  for (const rule of rules) {
    const stated = fact(rule);
    if (stated !== undefined) return stated;
  }
  return undefined;
}
