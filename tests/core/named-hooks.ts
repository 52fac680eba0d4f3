import type { Event } from "../../core/event.ts";
import type { Hooks, NamedHooks } from "../../core/extension.ts";

/** Extensions `e1`, `e2`, … */
export const named = (...all: readonly Hooks[]): readonly NamedHooks[] =>
  all.map((hooks, index) => ({ extension: `e${index + 1}`, hooks }));

/** As a hook that hangs. */
export const never = () => new Promise<never>(() => {});

export const warning = (message: string): Event => ({
  family: "warning",
  type: "warning",
  code: "extension",
  message,
});

/** What concerns calls and hooks. */
export const ofCalls = (events: readonly Event[]) =>
  events.filter(({ family }) => family === "tool" || family === "warning");
