import type { Event } from "../../core/event.ts";
import { callForAttention, type Notify } from "./notify.ts";

export type Attention = {
  readonly focus: (on: boolean) => void;
  readonly on: (event: Event) => void;
};

/** Calls someone who looks elsewhere when a task ends or waits. */
export function attention(notify: Notify, write: (text: string) => void, unixMs: () => number): Attention {
  let focused: boolean | undefined;
  let startedMs = 0;
  const call = (message: string): void =>
    write(callForAttention(notify, { focused, tookMs: unixMs() - startedMs }, message));
  return {
    focus: (on) => {
      focused = on;
    },
    on: (event) => {
      if (event.family !== "task") return;
      if (event.type === "started") startedMs = unixMs();
      if (event.type === "waiting_approval") call("buddy waits for an approval");
      if (event.type === "completed" || event.type === "failed") call("buddy has ended its task");
    },
  };
}
