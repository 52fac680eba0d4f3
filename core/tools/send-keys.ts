import * as v from "valibot";
import { defineTool } from "../define-tool.ts";
import type { PanePlace, Panes } from "../ports/panes.ts";
import { type Tool, type ToolContext, toolFailure } from "../tool.ts";
import { DELAY, keepTail, PLACE, panesOf, placeName, placeOf, waitFirst } from "./pane-arguments.ts";
import { DECLARED } from "./run-shell.ts";

const NAMES =
  /^(?:(?:[CMS]-)*(?:[!-~]|Enter|Escape|Tab|BTab|Space|BSpace|Up|Down|Left|Right|Home|End|PageUp|PgUp|PPage|PageDown|PgDn|NPage|Insert|IC|Delete|DC|F(?:[1-9]|1[0-2]))|\^[A-Za-z[\]\\_])$/;

const SCHEMA = v.pipe(
  v.object({
    ...PLACE,
    keys: v.optional(
      v.pipe(
        v.array(
          v.pipe(
            v.string(),
            v.regex(NAMES, 'must be names of keys such as "C-c", "Enter", "Up"; text goes into literal_text'),
          ),
        ),
        v.maxLength(200, "must be at most 200 keys"),
        v.description(
          'Keys by their tmux names: "C-c", "Escape", "Enter", "Up", "q"; pressed after the text',
        ),
      ),
    ),
    literal_text: v.optional(v.pipe(v.string(), v.description("Text, typed as it is"))),
    enter: v.optional(v.pipe(v.boolean(), v.description("Press Enter at the end"))),
    ...DELAY,
    ...DECLARED,
  }),
  v.check(
    ({ keys, literal_text, enter }) => (keys?.length ?? 0) > 0 || !!literal_text || enter === true,
    "need at least one of keys, literal_text, enter: true",
  ),
);

export const sendKeysTool: Tool = defineTool({
  name: "send-keys",
  description:
    "Types text or presses keys in a shared terminal: to answer a program that asks, to leave a pager, to end something with C-c. " +
    "Commands go through run_shell, which waits for them; passwords are for the user to type. " +
    'Example: {"keys":["C-c"],"risk":"low","mutation":false,"privesc":false,"why":"stop the server"}',
  schema: SCHEMA,
  parallel: false,
  needs: (args) => ({
    kind: "shell",
    subject: subjectOf(args),
    risk: args.risk,
    mutation: args.mutation,
    privesc: args.privesc,
    why: args.why,
  }),
  execute: async (args, context) => {
    const panes = panesOf(context);
    if (!panes.ok) return toolFailure(panes.error);
    await waitFirst(args.delay, context);
    const place = placeOf(args);
    const { keys = [], literal_text: text = "", enter = false } = args;
    const sent = await panes.value.sendKeys({ place, keys, text, enter }, context.signal);
    if (!sent.ok) return toolFailure(sent.error);
    const screen = await settledScreen(panes.value, place, context);
    return {
      result: { pane: sent.value, screen: keepTail(screen, context.limits.textChars) },
      summary: `typed into ${placeName(args)}`,
      isError: false,
    };
  },
});

type Typed = {
  readonly keys?: readonly string[] | undefined;
  readonly literal_text?: string | undefined;
  readonly enter?: boolean | undefined;
};

/** What is judged and approved: the text as a shell would read it, and every key, which could spell a command too. */
function subjectOf(args: Typed & Parameters<typeof placeName>[0]): string {
  const { keys = [], literal_text: text = "", enter } = args;
  const spelled = keys.map((key) => (key === "Space" ? " " : key.length === 1 ? key : "")).join("");
  const pressed = [...keys, ...(enter ? ["Enter"] : [])].join(" ");
  const typed = `${text}${spelled}`;
  const where = `# typed into pane ${placeName(args)}${pressed === "" ? "" : `, keys: ${pressed}`}`;
  return typed === "" ? where : `${typed}\n${where}`;
}

const SETTLE_MS = 120;
const LONGEST_MS = 1500;

/** The screen as soon as it has stopped to change. */
async function settledScreen(panes: Panes, place: PanePlace, { host, signal }: ToolContext): Promise<string> {
  const look = async (): Promise<string> => {
    const seen = await panes.capture(
      {
        place,
        start: undefined,
        end: undefined,
        joinWrapped: false,
        trailingSpaces: false,
        escapes: false,
        alternate: false,
      },
      signal,
    );
    return seen.ok ? seen.value.text : "";
  };
  let before: string | undefined;
  for (let waited = 0; waited < LONGEST_MS; waited += SETTLE_MS) {
    await host.wait(SETTLE_MS, signal);
    const now = await look();
    if (now === before) break;
    before = now;
  }
  return before ?? "";
}
