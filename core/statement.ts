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
  const pieces = [`${head} …`];
  let left = maxChars - head.length - 2;
  const rules = rest.split(SENTENCES).map((line) => line.trim());
  const candidates = [...rules.filter(isConstraint), ...valuesIn(rest)];
  for (const piece of candidates) {
    if (piece.length + 1 > left || pieces.some((known) => known.includes(piece))) continue;
    pieces.push(piece);
    left -= piece.length + 1;
  }
  return pieces.join("\n");
}

const SENTENCES = /(?<=[.!?。！？])\s+|\n+/;
