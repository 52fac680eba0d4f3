import type { Config } from "../core/config/schema.ts";
import type { Host } from "../core/ports/host.ts";
import type { Model } from "../core/ports/model.ts";
import { redactKnown } from "../core/redact-known.ts";
import type { EntryRedaction } from "../core/session.ts";
import type { Toolset } from "../core/tool.ts";

/** The rules for whatever looks like a secret are many; they are loaded only when something is saved. */
export async function redaction(secrets: readonly string[], saves: boolean): Promise<EntryRedaction> {
  const known = redactKnown(secrets);
  const hasKnown = secrets.length > 0;
  if (!saves) return { known, anything: known, hasKnown };
  const { redactor } = await import("../core/redact.ts");
  return { known, anything: redactor(secrets), hasKnown };
}

export type SecretHiding = {
  readonly model: (model: Model) => Model;
  readonly tools: (tools: Toolset) => Toolset;
};

/** Whether the model is sent secrets or placeholders that only the target's commands and files get back as secrets. */
export async function secretHiding(
  { tools }: Pick<Config, "tools">,
  secrets: readonly string[],
  { random }: Host,
): Promise<SecretHiding> {
  if (tools.redact !== "model") return { model: (model) => model, tools: (all) => all };
  const [{ redactor }, { secretVault }, { hidingModel, restoringTools }] = await Promise.all([
    import("../core/redact.ts"),
    import("../core/secret-vault.ts"),
    import("../core/hide-secrets.ts"),
  ]);
  const name = Math.floor(random() * 36 ** 8).toString(36);
  const vault = secretVault(name, (mask) => redactor(secrets, { mask }));
  return {
    model: (model) => hidingModel(model, vault),
    tools: (all) => restoringTools(all, vault),
  };
}
