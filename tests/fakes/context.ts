import { type ContextKeeper, contextKeeper } from "../../core/fit-context.ts";
import type { LoopDeps } from "../../core/loop.ts";
import type { Model } from "../../core/ports/model.ts";
import type { ModelBundle } from "../../core/runtime/session-commands.ts";
import { plainServices } from "./services.ts";

const ROOMY = { window: { context: 10_000_000, contextBudget: 0, maxOutputTokens: 0 }, compactAt: 1 };

/** A context that never fills up. */
export const roomyContext = (): ContextKeeper => contextKeeper(ROOMY, "", []);

/** A model with nothing special about it. */
export const plainBundle = (model: Model): ModelBundle => ({
  model,
  price: null,
  limits: { shellTimeoutMs: 1000, shellChars: 4000, textChars: 8000, images: false },
  context: ROOMY,
});

/** What a loop needs besides its model, tools and target, at its plainest. */
export const plainLoop = (): Pick<LoopDeps, "context" | "queue" | "services" | "whyStopped"> => ({
  context: roomyContext(),
  queue: { take: () => [] },
  services: plainServices(),
  whyStopped: () => undefined,
});
