import { redactKnown } from "../core/redact-known.ts";
import type { EntryRedaction } from "../core/session.ts";

/** The rules for whatever looks like a secret are many; they are loaded only when something is saved. */
export async function redaction(secrets: readonly string[], saves: boolean): Promise<EntryRedaction> {
  const known = redactKnown(secrets);
  const hasKnown = secrets.length > 0;
  if (!saves) return { known, anything: known, hasKnown };
  const { redactor } = await import("../core/redact.ts");
  return { known, anything: redactor(secrets), hasKnown };
}
