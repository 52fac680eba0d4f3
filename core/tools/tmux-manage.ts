import * as v from "valibot";
import { defineTool } from "../define-tool.ts";
import type { EnsuredPane, ManagedPanes } from "../ports/panes.ts";
import { err, ok, type Result } from "../result.ts";
import { type Tool, type ToolContext, type ToolOutput, toolFailure } from "../tool.ts";
import { panesOf } from "./pane-arguments.ts";
import { DECLARED } from "./run-shell.ts";

const session = v.pipe(
  v.string(),
  v.nonEmpty("is required"),
  v.description("Its name; buddy- is put before it"),
);
const inSession = v.optional(
  v.pipe(v.string(), v.description("The session it is in; the shared one if not given")),
);
const pane = v.pipe(
  v.string(),
  v.nonEmpty("is required"),
  v.description("Its name: letters, digits, - and _"),
);

type Action = {
  readonly name: string;
  readonly description: string;
  readonly act: (
    manage: ManagedPanes,
    args: { readonly session?: string | undefined; readonly pane?: string | undefined },
    signal: AbortSignal,
  ) => Promise<Result<EnsuredPane | string, string>>;
};

const SESSION_ACTIONS: readonly Action[] = [
  {
    name: "tmux-create-session",
    description:
      "Makes a further tmux session, with one shared pane, for work that has to stay apart; one that is there is used. " +
      'Seldom needed: more panes are cheaper. Example: {"session":"logs","risk":"low","mutation":true,"privesc":false,"why":"watch logs apart"}',
    act: (manage, args, signal) => manage.createSession(args.session ?? "", signal),
  },
  {
    name: "tmux-kill-session",
    description:
      "Ends a tmux session that you made, with everything in it. Not the shared one. " +
      'Example: {"session":"logs","risk":"low","mutation":true,"privesc":false,"why":"done with it"}',
    act: (manage, args, signal) => manage.killSession(args.session ?? "", signal),
  },
];

const PANE_ACTIONS: readonly Action[] = [
  {
    name: "tmux-create-pane",
    description:
      "Makes a further pane beside the shared one, for something that runs on while you do other things; one that is there is used. " +
      'Name it in run_shell afterwards. Example: {"pane":"server","risk":"low","mutation":true,"privesc":false,"why":"run the dev server"}',
    act: (manage, args, signal) => manage.createPane(args, signal),
  },
  {
    name: "tmux-kill-pane",
    description:
      "Ends a pane that you made, with what runs in it. Not the shared one. " +
      'Example: {"pane":"server","risk":"low","mutation":true,"privesc":false,"why":"done with it"}',
    act: (manage, args, signal) => manage.killPane(args, signal),
  },
];

/** Sessions and panes of buddy's own: made and ended. */
export const tmuxTools = (): readonly Tool[] => [
  ...SESSION_ACTIONS.map((action) => toolFor(action, v.object({ session, ...DECLARED }))),
  ...PANE_ACTIONS.map((action) => toolFor(action, v.object({ pane, session: inSession, ...DECLARED }))),
];

type Args = {
  readonly session?: string | undefined;
  readonly pane?: string | undefined;
  readonly risk: "low" | "medium" | "high";
  readonly mutation: boolean;
  readonly privesc: boolean;
  readonly why: string;
};

const toolFor = (action: Action, schema: v.GenericSchema<unknown, Args>): Tool =>
  defineTool({
    name: action.name,
    description: action.description,
    schema,
    parallel: false,
    needs: ({ session, pane, risk, mutation, privesc, why }) => ({
      kind: "shell",
      subject: `# ${action.name} ${[session, pane].filter((part) => part !== undefined).join(" ")}`,
      risk,
      mutation,
      privesc,
      why,
    }),
    execute: async (args, context) => {
      const manage = managed(context);
      if (!manage.ok) return toolFailure(manage.error);
      const done = await action.act(manage.value, args, context.signal);
      return done.ok ? told(done.value) : toolFailure(done.error);
    },
  });

function managed(context: ToolContext): Result<ManagedPanes, string> {
  const panes = panesOf(context);
  if (!panes.ok) return panes;
  return panes.value.manage
    ? ok(panes.value.manage)
    : err("These panes are the user's own and are left as they are");
}

const told = (done: EnsuredPane | string): ToolOutput =>
  typeof done === "string"
    ? { result: { ended: done }, summary: `ended ${done}`, isError: false }
    : {
        result: { pane_id: done.paneId, created: done.created },
        summary: done.created ? `made ${done.paneId}` : `${done.paneId} was there`,
        isError: false,
      };
