import type { Event } from "../../core/event.ts";
import { type TextPart, type UserMessage, userMessage } from "../../core/message.ts";
import { spokenText, withParts } from "../../core/user-parts.ts";
import type { Controller } from "./controller.ts";
import type { ReplHost } from "./repl-host.ts";
import { runForUser } from "./user-shell.ts";

export type Submitting = {
  readonly submit: (text: string) => void;
  readonly followUp: (text: string) => void;
  readonly stopShell: () => boolean;
  /** Watches what became of what was sent. */
  readonly on: (event: Event) => void;
};

export type SubmitDeps = {
  readonly controller: Controller;
  readonly host: ReplHost;
  readonly slash: (text: string) => void;
  readonly remember: (text: string) => void;
};

const RETRY_MS = 5;

/** What becomes of a text that was entered: a prompt, a message for the running task, or a command. */
export function submitting({ controller: c, host, slash, remember }: SubmitDeps): Submitting {
  /** A prompt was sent and its task has not begun yet. */
  let starting: UserMessage | undefined;
  /** Messages for the running task that it has not confirmed. */
  const unconfirmed: string[] = [];
  /** What the user did since the last prompt. */
  let done: TextPart[] = [];
  let running: AbortController | undefined;
  let answered = false;

  const prompt = (text: string): void => {
    starting = withParts(done, userMessage(text));
    done = [];
    c.send({ type: "submit_prompt", message: starting });
  };

  const again = (): void => {
    if (starting !== undefined) c.send({ type: "submit_prompt", message: starting });
  };

  const queue = (text: string, as: "steer" | "follow_up"): void => {
    unconfirmed.push(text);
    c.send({ type: as, message: userMessage(text) });
  };

  const shell = async (command: string, tell: boolean): Promise<void> => {
    if (c.view().task || running)
      return c.print({ type: "warning", text: "Something is running: wait for it, or cancel it with Esc" });
    running = new AbortController();
    const { signal } = running;
    c.print({ type: "user", text: `${tell ? "!" : "!!"}${command}` });
    c.hint("It runs; Esc stops it");
    try {
      const ran = await runForUser(host.target, command, signal);
      if (tell) done.push(ran.told);
      c.say(...ran.lines);
    } catch (error) {
      if (!signal.aborted) throw error;
      c.print({ type: "notice", text: "Stopped" });
    } finally {
      running = undefined;
      c.hint("");
    }
  };

  const submit = (text: string) => {
    if (text === "") return;
    remember(text);
    // A path is no command.
    if (/^\/[^\s/]*(\s|$)/.test(text)) return slash(text);
    const shown = /^(!!?)\s*(\S[\s\S]*)$/.exec(text);
    if (shown) return void shell(shown[2] ?? "", shown[1] === "!");
    if (c.view().task || starting !== undefined) queue(text, "steer");
    else prompt(text);
  };

  const putBack = (texts: readonly string[]): void => {
    const draft = c.editor.text();
    c.editor.set([...texts, ...(draft === "" ? [] : [draft])].join("\n"));
  };

  return {
    submit,
    stopShell: () => {
      if (running === undefined) return false;
      running.abort(new Error("Stopped"));
      return true;
    },
    followUp: (text) => {
      remember(text);
      queue(text, "follow_up");
    },
    on: (event) => {
      if (event.family !== "task") return;
      if (event.type === "started") starting = undefined;
      if (event.type === "queued") unconfirmed.shift();
      if (event.type === "completed" || event.type === "started") answered = event.type === "completed";
      if (event.type === "unqueued") {
        const texts = event.messages.map(spokenText);
        // It had given its answer just when the message came: what was to be said to it is then the next prompt.
        if (answered) prompt(texts.join("\n"));
        else putBack(texts);
      }
      if (event.type !== "rejected") return;
      // The task before has given its answer and is about to end.
      if (event.command === "submit_prompt") setTimeout(again, RETRY_MS);
      // The task ended before the message reached it: it is then a prompt of its own.
      const late =
        event.command === "steer" || event.command === "follow_up" ? unconfirmed.shift() : undefined;
      if (late !== undefined) prompt(late);
    },
  };
}
