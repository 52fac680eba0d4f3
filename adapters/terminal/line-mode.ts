import type { Event, Sink, TaskEvent } from "../../core/event.ts";
import { type Failure, failure } from "../../core/failure.ts";
import { userMessage } from "../../core/message.ts";
import type { Command, SessionCommand } from "../../core/runtime/state.ts";
import { oneLine, proseText } from "../../core/sanitize.ts";
import type { Output } from "../host/output.ts";

export type LineMode = {
  readonly sink: Sink;
  /** Each line of standard input is a prompt. Ends with it; what the last one came to, if not to an answer. */
  readonly run: (start: LineStart) => Promise<Failure | undefined>;
};

export type LineStart = {
  readonly send: (command: Command) => void;
  /** The conversation to go on with. */
  readonly session: SessionCommand | undefined;
  /** A prompt before the first line. */
  readonly first: string;
};

const RETRY_MS = 5;

/** Without a terminal: prompts in, answers out, one after the other. */
export function lineMode(stdout: Output, stderr: Output): LineMode {
  let settle: (why: Failure | undefined) => void = () => {};
  let send: (command: Command) => void = () => {};
  let asked: Command = { type: "shutdown" };

  const onTask = (event: TaskEvent): void => {
    switch (event.type) {
      case "waiting_approval": {
        const reason = "approval was needed, but there is no terminal to ask on (see --approve)";
        const { approval_id } = event.approval;
        send({ type: "approve", approval_id, decision: { type: "denied", by: "nobody", reason } });
        return;
      }
      case "completed":
        stdout.write(`${proseText(event.result).trimEnd()}\n`);
        settle(undefined);
        return;
      case "failed":
        tell(event.failure);
        settle(event.failure);
        return;
      case "rejected":
        // The task before has given its answer and is about to end.
        setTimeout(() => send(asked), RETRY_MS);
        return;
      case "cancelled":
        settle(failure("interrupted", "Stopped"));
        return;
      default:
        return;
    }
  };

  const tell = ({ message, hint }: Pick<Failure, "message" | "hint">): void => {
    stderr.write(`buddy: ${oneLine(message, 1000)}\n`);
    if (hint) stderr.write(`hint: ${oneLine(hint, 500)}\n`);
  };

  const on = (event: Event): void => {
    if (event.family === "task") onTask(event);
    if (event.family === "warning") stderr.write(`buddy: warning: ${oneLine(event.message, 1000)}\n`);
    if (event.family === "error") {
      tell(event.failure);
      settle(event.failure);
    }
    if (event.family === "session" && (event.type === "resumed" || event.type === "forked"))
      settle(undefined);
  };

  const ask = (command: Command): Promise<Failure | undefined> =>
    new Promise((resolve) => {
      settle = resolve;
      asked = command;
      send(command);
    });
  const prompt = (text: string) => ask({ type: "submit_prompt", message: userMessage(text) });

  return {
    sink: ({ event }) => on(event),
    run: async ({ send: sendTo, session, first }) => {
      send = sendTo;
      const unopened = session && (await ask(session));
      if (unopened) return unopened;
      let last = first === "" ? undefined : await prompt(first);
      for await (const line of console) {
        if (/^\/(quit|exit|q)$/.test(line.trim())) break;
        if (line.trim() !== "") last = await prompt(line.trim());
      }
      return last;
    },
  };
}
