import type { Event, Sink } from "../../core/event.ts";
import { userMessage } from "../../core/message.ts";
import type { Command } from "../../core/runtime/state.ts";
import { oneLine, proseText } from "../../core/sanitize.ts";
import type { Output } from "../host/output.ts";

export type LineMode = {
  readonly sink: Sink;
  /** Each line of standard input is a prompt; ends with it. */
  readonly run: (send: (command: Command) => void, first: string) => Promise<number>;
};

/** Without a terminal: prompts in, answers out, one after the other. */
export function lineMode(stdout: Output, stderr: Output): LineMode {
  let ended: (code: number) => void = () => {};
  let send: (command: Command) => void = () => {};

  const on = (event: Event): void => {
    if (event.family === "warning") stderr.write(`buddy: warning: ${oneLine(event.message, 1000)}\n`);
    if (event.family === "error") stderr.write(`buddy: ${oneLine(event.failure.message, 1000)}\n`);
    if (event.family === "tool" && event.type === "call_requested")
      stderr.write(`▶ ${oneLine(event.call.name, 40)}\n`);
    if (event.family !== "task") return;
    if (event.type === "waiting_approval") {
      const reason = "approval was needed, but there is no terminal to ask on (see --approve)";
      const { approval_id } = event.approval;
      send({ type: "approve", approval_id, decision: { type: "denied", by: "nobody", reason } });
    }
    if (event.type === "completed") {
      stdout.write(`${proseText(event.result).trimEnd()}\n`);
      ended(0);
    }
    if (event.type === "failed") {
      stderr.write(`buddy: ${oneLine(event.failure.message, 1000)}\n`);
      if (event.failure.hint) stderr.write(`hint: ${oneLine(event.failure.hint, 500)}\n`);
      ended(1);
    }
    if (event.type === "cancelled" || event.type === "rejected") ended(1);
  };

  const ask = (text: string): Promise<number> =>
    new Promise((resolve) => {
      ended = resolve;
      send({ type: "submit_prompt", message: userMessage(text) });
    });

  return {
    sink: ({ event }) => on(event),
    run: async (sendTo, first) => {
      send = sendTo;
      let code = first === "" ? 0 : await ask(first);
      for await (const line of console) {
        if (/^\/(quit|exit|q)$/.test(line.trim())) break;
        if (line.trim() !== "") code = await ask(line.trim());
      }
      return code;
    },
  };
}
