import type { ModelFacts } from "../core/catalogue.ts";
import type { Config } from "../core/config/schema.ts";
import type { Failure } from "../core/failure.ts";
import type { Summariser } from "../core/fit-context.ts";
import { outputLimits } from "../core/output-limit.ts";
import type { Model } from "../core/ports/model.ts";
import { ok, type Result } from "../core/result.ts";
import type { ModelBundle } from "../core/runtime/session-commands.ts";

type Known = { readonly model: Model; readonly facts: ModelFacts };

/** What depends on which model it is. `find` gives the model of another profile. */
export function bundleOf(
  config: Config,
  { model, facts }: Known,
  find: (wanted: string) => Promise<Result<Known, Failure>>,
): ModelBundle {
  const { compact_model: writer } = config.agent;
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
      ...(writer === "" || writer === model.profile ? {} : { summariser: () => summariserOf(writer, find) }),
    },
  };
}

async function summariserOf(
  profile: string,
  find: (wanted: string) => Promise<Result<Known, Failure>>,
): Promise<Result<Summariser, Failure>> {
  const found = await find(profile);
  if (!found.ok) return found;
  const { model, facts } = found.value;
  return ok({ model, window: facts.context, price: facts.price });
}
