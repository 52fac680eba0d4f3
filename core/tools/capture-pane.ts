import * as v from "valibot";
import { defineTool } from "../define-tool.ts";
import { displayText } from "../sanitize.ts";
import { type Tool, toolFailure } from "../tool.ts";
import { DELAY, keepTail, PLACE, panesOf, placeOf, waitFirst } from "./pane-arguments.ts";

const line = v.union([v.pipe(v.number(), v.integer()), v.literal("-")], 'must be a whole number or "-"');

const SCHEMA = v.object({
  ...PLACE,
  start: v.optional(
    v.pipe(
      line,
      v.description('First line: 0 is the top of the screen, -100 a hundred lines above it, "-" the oldest'),
    ),
  ),
  end: v.optional(v.pipe(line, v.description('Last line; "-" is the bottom of the screen'))),
  join_wrapped_lines: v.optional(
    v.pipe(v.boolean(), v.description("Lines that the screen wrapped become one")),
  ),
  preserve_trailing_spaces: v.optional(v.boolean()),
  include_escape_sequences: v.optional(
    v.pipe(v.boolean(), v.description("Colours and styles as escape sequences")),
  ),
  escape_non_printable: v.optional(
    v.pipe(v.boolean(), v.description("What cannot be seen is spelled: \\x1b")),
  ),
  include_alternate_screen: v.optional(
    v.pipe(v.boolean(), v.description("The screen that a full-screen program has covered")),
  ),
  ...DELAY,
});

/** Remembers what it has shown, so that an unchanged screen costs the model nothing. */
export function capturePaneTool(): Tool {
  const shown = new Map<string, string>();
  return defineTool({
    name: "capture-pane",
    description:
      "Shows what is on the screen of a shared terminal: after wait: false, while a program waits for keys, or to see what the user does. " +
      "Not needed after run_shell, whose result has the output. An unchanged screen is said to be so. " +
      'Example: {"start":-50,"delay":"2s"}',
    schema: SCHEMA,
    parallel: false,
    needs: () => undefined,
    execute: async (args, context) => {
      const panes = panesOf(context);
      if (!panes.ok) return toolFailure(panes.error);
      await waitFirst(args.delay, context);
      const seen = await panes.value.capture(
        {
          place: placeOf(args),
          start: args.start,
          end: args.end,
          joinWrapped: args.join_wrapped_lines ?? false,
          trailingSpaces: args.preserve_trailing_spaces ?? false,
          escapes: args.include_escape_sequences ?? false,
          alternate: args.include_alternate_screen ?? false,
        },
        context.signal,
      );
      if (!seen.ok) return toolFailure(seen.error);
      const { pane, text, noAlternate } = seen.value;
      const notices = noAlternate ? ["There is no alternate screen: this is the ordinary one"] : [];
      const { delay, ...how } = args;
      const key = JSON.stringify([pane, how]);
      if (shown.get(key) === text) {
        return { result: { pane, unchanged: true, notices }, summary: "unchanged", isError: false };
      }
      shown.set(key, text);
      const told = args.escape_non_printable ? displayEscaped(text) : text;
      const screen = keepTail(told, context.limits.textChars);
      const lines = text === "" ? 0 : text.split("\n").length;
      return { result: { pane, screen, notices }, summary: `${lines} lines of ${pane}`, isError: false };
    },
  });
}

/** Escape sequences are kept, in letters that cannot steer anything. */
const displayEscaped = (text: string): string => displayText(text.replaceAll("\u001b", "\\x1b"));
