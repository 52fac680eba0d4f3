import * as v from "valibot";
import { formatDuration, parseDuration } from "../duration.ts";
import type { PanePlace, Panes } from "../ports/panes.ts";
import { err, ok, type Result } from "../result.ts";
import type { ToolContext } from "../tool.ts";

const LONGEST_DELAY_MS = 60_000;
const DELAY_RANGE = `out of range: seconds or a duration such as "500ms", at most ${formatDuration(LONGEST_DELAY_MS)}`;

const delayMs = (asked: number | string): number | undefined =>
  typeof asked === "number" ? asked * 1000 : parseDuration(asked);

/** How a call says which pane it means. */
export const PLACE = {
  target: v.optional(v.pipe(v.string(), v.description('A pane by its id ("%3") or as "session:pane"'))),
  session: v.optional(
    v.pipe(v.string(), v.description("Name of a session of yours; the shared one if not given")),
  ),
  pane: v.optional(v.pipe(v.string(), v.description("Name of a pane of yours; the shared one if not given"))),
};

export const DELAY = {
  delay: v.optional(
    v.pipe(
      v.union([v.number(), v.string()], DELAY_RANGE),
      v.check((asked) => {
        const ms = delayMs(asked);
        return ms !== undefined && ms >= 0 && ms <= LONGEST_DELAY_MS;
      }, DELAY_RANGE),
      v.description('How long to wait first: seconds, or "500ms"'),
    ),
  ),
};

type Placed = {
  readonly target?: string | undefined;
  readonly session?: string | undefined;
  readonly pane?: string | undefined;
};

export function placeOf({ target, session, pane }: Placed): PanePlace {
  if (target === undefined || target === "") return { session, pane };
  const [before = "", after] = target.split(":");
  return after === undefined ? { session, pane: before } : { session: before, pane: after || undefined };
}

export const placeName = (args: Placed): string => {
  const { session, pane } = placeOf(args);
  return [session, pane ?? "shared"].filter((part) => part !== undefined).join(":");
};

export async function waitFirst(
  delay: number | string | undefined,
  { host, signal }: ToolContext,
): Promise<void> {
  const ms = delay === undefined ? 0 : (delayMs(delay) ?? 0);
  if (ms > 0) await host.wait(ms, signal);
}

/** A tool is offered only where it can work; a call from elsewhere is told why not. */
export const panesOf = ({ target }: ToolContext): Result<Panes, string> =>
  target.panes
    ? ok(target.panes)
    : err("There is no terminal to see here: each command has a shell of its own");

/** The end of a text that is too long, beginning with a line of its own. */
export function keepTail(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const tail = text.slice(text.length - maxChars);
  const newline = tail.indexOf("\n");
  const kept = newline === -1 ? tail.replace(/^[\udc00-\udfff]/, "") : tail.slice(newline + 1);
  return `[… ${text.length - kept.length} characters left out …]\n${kept}`;
}
