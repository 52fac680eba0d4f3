import { truncateEnd } from "./truncate.ts";
import { valuesIn } from "./value-shapes.ts";

/** Words with which people state rules, in a few languages. A hint for what to keep first, nothing more. */
const RULE_WORDS =
  /\b(?:never|always|must(?:n't)?|do not|don't|only|without|at (?:least|most)|avoid|except|unless|remember|make sure|require[ds]?|forbidden|nie(?:mals)?|immer|nicht|nur|ohne|muss|darf|nooit|altijd|alleen|zonder|moet|jamais|toujours|sans|doit|nunca|siempre|sin|debe|solo|mai|sempre|senza|deve)\b|(?:никогда|всегда|нельзя|только|должн|обязательно|必须|不要|禁止|절대|반드시|必ず|決して)/i;

export const isConstraint = (prose: string): boolean => RULE_WORDS.test(prose);

/**
 * What somebody said, in at most `maxChars`: word for word when it fits. Otherwise its beginning, the sentences that
 * state rules, and the exact values of the rest.
 */
export function digest(prose: string, maxChars: number): string {
  if (prose.length <= maxChars) return prose;
  const head = truncateEnd(prose, Math.floor(maxChars / 3));
  const rest = prose.slice(head.length);
  const values = valuesIn(rest);
  const rules = rest.split(SENTENCES).flatMap(ruleIn);
  // A rule about something exact is more likely one than a turn of phrase; and values must find room beside rules.
  const exact = rules.filter((rule) => valuesIn(rule).length > 0);
  const pieces = [`${head} …`];
  const add = (piece: string, upTo: number) => {
    const isKnown = pieces.some((known) => known.includes(piece));
    if (!isKnown && [...pieces, piece].join("\n").length <= upTo) pieces.push(piece);
  };
  for (const rule of [...exact, ...rules]) add(rule, maxChars * 0.75);
  for (const value of values) add(value, maxChars);
  return pieces.join("\n");
}

const LONGEST_RULE = 200;

/** A sentence that states a rule; of an endless one what is around the word that says so. */
function ruleIn(sentence: string): readonly string[] {
  const found = RULE_WORDS.exec(sentence);
  if (found === null) return [];
  if (sentence.length <= LONGEST_RULE) return [sentence.trim()];
  const start = Math.max(0, found.index - LONGEST_RULE / 4);
  return [`… ${sentence.slice(start, start + LONGEST_RULE * 0.6).trim()} …`];
}

const SENTENCES = /(?<=[.!?。！？])\s+|\n+/;
