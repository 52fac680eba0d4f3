import type { Event, Sink } from "../../core/event.ts";
import { appearance } from "./appearance.ts";
import { dialogue, type Start } from "./dialogue.ts";
import { screen } from "./screen.ts";
import type { ReplDeps } from "./stage.ts";
import { step } from "./view.ts";
import { initialView } from "./view-state.ts";

export type Repl = {
  readonly sink: Sink;
  /** Until the user leaves; the exit code. Rejects on a bug, with the terminal restored. */
  readonly run: (start: Start) => Promise<number>;
  /** Gives the terminal back and ends `run`. */
  readonly stop: (code: number) => void;
};

/** The REPL: sends commands, shows events. It knows nothing of models, tools or sessions beyond that. */
export function repl(deps: ReplDeps): Repl {
  const { tty, settings } = deps;
  const looks = appearance(settings);
  let view = initialView(settings.choices);
  let live: () => readonly string[] = () => [];
  let listener: ((event: Event) => void) | undefined;
  let end:
    | { readonly resolve: (code: number) => void; readonly reject: (error: unknown) => void }
    | undefined;

  const fail = (error: unknown): void => {
    tty.stop();
    end?.reject(error);
  };
  const shown = screen({
    write: tty.write,
    look: () => looks.look(tty.size().columns, view.choices.expanded),
    live: () => live(),
    failed: fail,
  });
  const stop = (code: number): void => {
    try {
      shown.suspend();
      tty.stop();
    } finally {
      // Also where the terminal is gone and cannot be given back.
      end?.resolve(code);
    }
  };

  return {
    sink: (envelope) => {
      const next = step(view, envelope);
      view = next.view;
      shown.print(next.items);
      listener?.(envelope.event);
      shown.soon();
    },
    run: (start) =>
      new Promise((resolve, reject) => {
        end = { resolve, reject };
        const session = dialogue(
          {
            ...deps,
            shown,
            appearance: looks,
            view: () => view,
            setView: (next) => {
              view = next;
            },
            setLive: (next) => {
              live = next;
            },
            stop,
            fail,
          },
          start,
        );
        listener = session.on;
        session.open();
      }),
    stop,
  };
}
