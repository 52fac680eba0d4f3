import type { Panes } from "../../../core/ports/panes.ts";
import { err, ok, type Result } from "../../../core/result.ts";
import { captureCommand } from "./capture.ts";
import { shellQuote } from "./quote.ts";

/** A tmux command line on the server that buddy itself runs in. */
export type RunTmux = (line: string) => Promise<Result<string, string>>;

/** The panes beside the one that buddy runs in: the user's own, so they are seen, and typed into only when approved. */
export function ownWindow(own: string, run: RunTmux): Panes {
  const find = async (wanted: string | undefined): Promise<Result<string, string>> => {
    const listed = await run(`list-panes -t ${own} -F ${shellQuote("#{pane_id}\t#{pane_title}")}`);
    if (!listed.ok) return err(`Cannot look at this tmux window: ${listed.error}`);
    const others = listed.value
      .split("\n")
      .map((line) => line.split("\t"))
      .filter(([id]) => id?.startsWith("%") && id !== own);
    const found =
      wanted === undefined && others.length === 1
        ? others[0]
        : others.find((pane) => pane.includes(wanted ?? ""));
    if (found?.[0]) return ok(found[0]);
    const there = others.map(([id, title]) => `${id} (${title ?? ""})`).join(", ");
    return err(`Name one of the other panes of this window: ${there || "there is none"}`);
  };
  return {
    attachHint: "",
    capture: async (request) => {
      const pane = await find(request.place.pane);
      if (!pane.ok) return pane;
      const seen = await run(captureCommand(pane.value, request));
      const plain =
        seen.ok || !request.alternate
          ? seen
          : await run(captureCommand(pane.value, { ...request, alternate: false }));
      if (!plain.ok) return err(`Cannot capture the pane ${pane.value}: ${plain.error}`);
      return ok({ pane: pane.value, text: plain.value.replace(/\n+$/, ""), noAlternate: !seen.ok });
    },
    sendKeys: async ({ place, keys, text, enter }) => {
      const pane = await find(place.pane);
      if (!pane.ok) return pane;
      const lines = [
        ...(text === ""
          ? []
          : [`set-buffer -b buddy -- ${argument(text)}`, `paste-buffer -p -d -b buddy -t ${pane.value}`]),
        ...[...keys, ...(enter ? ["Enter"] : [])].map(
          (key) => `send-keys -t ${pane.value} -- ${argument(key)}`,
        ),
      ];
      for (const line of lines) {
        const done = await run(line);
        if (!done.ok) return err(`Cannot type into the pane ${pane.value}: ${done.error}`);
      }
      return pane;
    },
  };
}

/** tmux takes a semicolon at the end of an argument for the end of the command. */
const argument = (text: string): string => shellQuote(text.replace(/;$/, "\\;"));
