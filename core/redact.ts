import { secretArguments } from "./secrets/arguments.ts";
import { assignedSecrets } from "./secrets/assignments.ts";
import { secretHeaders } from "./secrets/headers.ts";
import { knownSecrets } from "./secrets/known.ts";
import type { Mask } from "./secrets/mask.ts";
import { secretShapes } from "./secrets/shapes.ts";
import { secretUrls } from "./secrets/urls.ts";

/** Replaces every known secret, and whatever looks like one, in a text that leaves the process. */
export type Redact = (text: string) => string;

const STARS: Mask = () => "***";

const MOST_LOOKS = 8;

/**
 * Redacting twice changes nothing, and JSON stays JSON. A mask of one's own must be recognisable as one: contain `***`
 * or be written `<so>`.
 */
export function redactor(
  secrets: readonly string[],
  { mask = STARS }: { readonly mask?: Mask } = {},
): Redact {
  const known = knownSecrets(secrets);
  const rules = [known, secretShapes, secretUrls, secretHeaders, secretArguments, assignedSecrets];
  const look: Redact = (text) => rules.reduce((masked, rule) => rule(masked, mask), text);
  return (text) => settled(look, text, MOST_LOOKS);
}

/** A mask can show the next secret that it touches for what it is, so what has changed is looked at again. */
function settled(look: Redact, text: string, looks: number): string {
  const masked = look(text);
  return masked === text || looks === 1 ? masked : settled(look, masked, looks - 1);
}
