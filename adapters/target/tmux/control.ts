import { err, ok, type Result } from "../../../core/result.ts";
import type { Transport } from "../transport/transport.ts";
import { type ControlEvent, controlReader } from "./control-lines.ts";
import { tmuxQuote } from "./quote.ts";

/** A long-lived `tmux -C` client: commands in, replies and what panes write out. */
export type Control = {
  /** One tmux command. The error is what tmux said, or that it is gone. */
  readonly ask: (command: string) => Promise<Reply>;
  /** One of two commands, by a format that the server looks at when it is their turn; the answer is that command's. */
  readonly either: (choice: Choice) => Promise<Reply>;
  /** The same when nobody cares for the answer. */
  readonly tell: (command: string) => void;
  /** Settles with the reason when the client has ended. */
  readonly ended: Promise<string>;
  readonly isOpen: () => boolean;
  readonly close: () => Promise<void>;
};

type Reply = Result<readonly string[], string>;

export type Choice = {
  readonly pane: string;
  /** A format: neither empty nor 0 is yes. */
  readonly when: string;
  /** A single command each: a list would be answered more than once. */
  readonly yes: string;
  readonly no: string;
};

export type ControlListener = {
  /** What a pane wrote, one character per byte. The client reads on when this settles. */
  readonly onOutput: (pane: string, text: string) => void | Promise<void>;
  readonly onEvent: (name: string, words: string) => void;
};

const GONE = "The tmux client has ended";

export function openControl(
  transport: Transport,
  argv: readonly string[],
  listener: ControlListener,
): Result<Control, string> {
  const started = transport.start(argv, { stdin: "pipe" });
  if (!started.ok) return started;
  const { stdin, stdout, stderr, exited, end } = started.value;
  if (stdin === undefined) return err("Cannot talk to tmux: this target gives no standard input");
  const waiting: ((reply: Reply) => void)[] = [];
  let open = true;

  const onControl = (event: ControlEvent): void | Promise<void> => {
    if (event.type === "output") return listener.onOutput(event.pane, event.text);
    if (event.type === "event") return listener.onEvent(event.name, event.words);
    waiting.shift()?.(event.ok ? ok(event.lines) : err(event.lines.join(" ").trim()));
  };

  const pump = async (): Promise<void> => {
    const read = controlReader();
    for await (const bytes of stdout) {
      for (const event of read(bytes)) {
        const handled = onControl(event);
        if (handled) await handled;
      }
    }
  };

  const ended = Promise.all([pump(), new Response(stderr).text(), exited]).then(([, said]) => {
    open = false;
    for (const answer of waiting.splice(0)) answer(err(GONE));
    return said.trim() === "" ? GONE : said.trim().slice(0, 500);
  });

  const nextReply = (): Promise<Reply> => new Promise((resolve) => waiting.push(resolve));
  const ask: Control["ask"] = (command) => {
    if (!open) return Promise.resolve(err(GONE));
    const answered = nextReply();
    void stdin.write(`${command}\n`);
    return answered;
  };
  const either: Control["either"] = ({ pane, when, yes, no }) => {
    if (!open) return Promise.resolve(err(GONE));
    void ask(`if-shell -F -t ${pane} ${tmuxQuote(when)} ${tmuxQuote(yes)} ${tmuxQuote(no)}`);
    return nextReply();
  };

  return ok({
    ask,
    either,
    tell: (command) => void ask(command),
    ended,
    isOpen: () => open,
    close: async () => {
      stdin.close();
      await Promise.race([ended, Bun.sleep(CLOSE_GRACE_MS)]);
      if (open) await end();
    },
  });
}

const CLOSE_GRACE_MS = 500;
