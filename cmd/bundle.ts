import type { ModelFacts } from "../core/catalogue.ts";
import type { Config } from "../core/config/schema.ts";
import { outputLimits } from "../core/output-limit.ts";
import type { Model } from "../core/ports/model.ts";
import type { ModelBundle } from "../core/runtime/session-commands.ts";

/** What depends on which model it is. */
export function bundleOf(
  config: Config,
  { model, facts }: { readonly model: Model; readonly facts: ModelFacts },
): ModelBundle {
  return {
    model,
    price: facts.price,
    limits: {
      shellTimeoutMs: config.tools.shell_timeout,
      ...outputLimits(config.tools.output_limit, facts.context),
      images: facts.images,
    },
    context: {
      window: { context: facts.context, contextBudget: config.agent.context_budget, maxOutputTokens: 0 },
      compactAt: config.agent.compact_at,
    },
  };
}
