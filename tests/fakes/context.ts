import { type ContextKeeper, contextKeeper } from "../../core/fit-context.ts";
import type { LoopDeps } from "../../core/loop.ts";

/** A context that never fills up. */
export const roomyContext = (): ContextKeeper =>
  contextKeeper({ window: { context: 10_000_000, contextBudget: 0, maxOutputTokens: 0 }, compactAt: 1 }, "", []);

/** What a loop needs besides its model, tools and target, at its plainest. */
export const plainLoop = (): Pick<LoopDeps, "context" | "queue" | "whyStopped"> => ({
  context: roomyContext(),
  queue: { take: () => [] },
  whyStopped: () => undefined,
});
