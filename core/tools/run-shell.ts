import * as v from "valibot";
import { defineTool } from "../define-tool.ts";
import { formatDuration, parseDuration } from "../duration.ts";
import { firstBytes } from "../first-bytes.ts";
import type { RunEnd, RunRequest } from "../ports/target.ts";
import { unreachable } from "../result.ts";
import { type Tool, type ToolContext, type ToolOutput, toolFailure } from "../tool.ts";
import { headTail } from "../truncate.ts";
import { type KeptOutput, keptOutput } from "./kept-output.ts";

const LONGEST_WAIT_MS = 24 * 3_600_000;
/** What one call may send to the screen while it runs. */
const MAX_SHOWN_CHARS = 256 * 1024;

const WAIT_RANGE = 'out of range: true, false, a duration such as "10m", or whole seconds, at most 24 hours';

const wait = v.union(
  [
    v.boolean(),
    v.pipe(
      v.number(),
      v.integer(WAIT_RANGE),
      v.minValue(1, WAIT_RANGE),
      v.maxValue(LONGEST_WAIT_MS / 1000, WAIT_RANGE),
    ),
    v.pipe(
      v.string(),
      v.check((text) => inRange(parseDuration(text)), WAIT_RANGE),
    ),
  ],
  WAIT_RANGE,
);

const inRange = (ms: number | undefined): boolean => ms !== undefined && ms > 0 && ms <= LONGEST_WAIT_MS;

/** What the model declares about an action it wants to take. */
export const DECLARED = {
  risk: v.pipe(
    v.picklist(["low", "medium", "high"]),
    v.description("How much harm it could do if you are wrong"),
  ),
  mutation: v.pipe(v.boolean(), v.description("true if it changes anything")),
  privesc: v.pipe(
    v.boolean(),
    v.description("true if it uses more rights than the user has (sudo, su, doas)"),
  ),
  why: v.pipe(
    v.string(),
    v.nonEmpty("must say why"),
    v.description("One short sentence for the user who approves it"),
  ),
};

export const runShellTool: Tool = defineTool({
  name: "run_shell",
  description:
    "Runs a command in a shell on the machine you work on and returns its exit code, stdout and stderr. " +
    "Where you have capture-pane it is typed into a shared terminal: both streams come as stdout, directory and variables stay, and wait: false leaves it running. " +
    "Elsewhere each command has a shell of its own and an empty standard input. Do not use it to read a file (read_file is cheaper and bounded). " +
    'Example: {"command":"git status --short","risk":"low","mutation":false,"privesc":false,"why":"see what changed"}',
  schema: v.object({
    command: v.pipe(v.string(), v.nonEmpty("is required"), v.description("The command line")),
    wait: v.optional(
      v.pipe(
        wait,
        v.description(
          'How long to wait: true (until it ends, or the default limit), "10m", or seconds. In a shared terminal a command that takes longer goes on, elsewhere it is ended; false does not wait',
        ),
      ),
    ),
    session: v.optional(v.pipe(v.string(), v.description("Another tmux session of yours"))),
    pane: v.optional(v.pipe(v.string(), v.description("Another pane of yours; the shared one if not given"))),
    ...DECLARED,
  }),
  parallel: false,
  restores: ["command"],
  needs: ({ command, risk, mutation, privesc, why }) => ({
    kind: "shell",
    subject: command,
    risk,
    mutation,
    privesc,
    why,
  }),
  edit: (args, command) => ({ ...args, command }),
  execute: async (args, context) => {
    const { command, wait, session, pane } = args;
    if (context.target.panes?.manage === undefined) {
      const needing = wait === false ? "wait: false" : session || pane ? "A session or pane" : undefined;
      if (needing) {
        return toolFailure(
          `${needing} needs a tmux shell; here each command has a shell of its own and has to end. Use wait: true or a duration`,
        );
      }
      return runCommand({ command, timeoutMs: timeoutOf(wait, context.limits.shellTimeoutMs) }, context);
    }
    const place = { session, pane };
    const timeoutMs = timeoutOf(wait, Number.POSITIVE_INFINITY);
    return runCommand({ command, place, timeoutMs, ...(wait === false ? { dispatch: true } : {}) }, context);
  },
});

function timeoutOf(asked: boolean | number | string | undefined, defaultMs: number): number {
  if (typeof asked === "number") return asked * 1000;
  if (typeof asked === "string") return parseDuration(asked) ?? defaultMs;
  return defaultMs;
}

async function runCommand(request: RunRequest, context: ToolContext): Promise<ToolOutput> {
  const { host, limits, services, callId } = context;
  const startedMs = host.monotonicMs();
  const stream = (name: "stdout" | "stderr"): Stream => ({
    shown: collector(limits.shellChars),
    kept: keptOutput(services.spill, callId, name, limits.shellChars),
  });
  const streams = { stdout: stream("stdout"), stderr: stream("stderr") };
  const { stdout, stderr } = streams;
  const notices: string[] = [];
  const end = await follow(request, context, streams, notices).finally(() =>
    Promise.all([stdout.kept.close(), stderr.kept.close()]),
  );
  const { exitCode, notice } = explainEnd(end);
  if (notice) notices.push(notice);
  for (const { kept } of [stdout, stderr])
    notices.push(...[kept.notice()].filter((text) => text !== undefined));
  return {
    result: {
      exit_code: exitCode,
      stdout: stdout.shown.text(),
      stderr: stderr.shown.text(),
      duration_ms: Math.round(host.monotonicMs() - startedMs),
      notices,
    },
    summary: notice ?? summaryOf(exitCode, stdout.shown, stderr.shown),
    isError: exitCode !== 0 && !(end.type === "left_running" && request.dispatch),
  };
}

type Stream = { readonly shown: Collector; readonly kept: KeptOutput };

/** Takes up what the command says until it ends. */
async function follow(
  request: RunRequest,
  { target, emit, signal }: ToolContext,
  streams: { readonly stdout: Stream; readonly stderr: Stream },
  notices: string[],
): Promise<RunEnd> {
  let shown = 0;
  let end: RunEnd | undefined;
  for await (const event of target.run(request, signal)) {
    switch (event.type) {
      case "stdout":
      case "stderr": {
        const stream = streams[event.type];
        const text = stream.shown.add(event.bytes);
        stream.kept.add(event.bytes, stream.shown.isBinary() ? Number.POSITIVE_INFINITY : text.length);
        if (text === "" || shown > MAX_SHOWN_CHARS) break;
        shown += text.length;
        emit({ type: `${event.type}_chunk`, text });
        if (shown > MAX_SHOWN_CHARS) emit({ type: "info", text: "Further output is not shown" });
        break;
      }
      case "notice":
        notices.push(event.text);
        break;
      case "attention":
        emit({ type: "info", text: event.text });
        break;
      default:
        end = event;
    }
  }
  if (end === undefined) throw new Error("Target port ended without a closing event");
  return end;
}

function explainEnd(end: RunEnd): { readonly exitCode: number | null; readonly notice?: string } {
  switch (end.type) {
    case "exited":
      return { exitCode: end.code };
    case "killed":
      return { exitCode: null, notice: `Ended by ${end.signal}` };
    case "timed_out":
      return { exitCode: null, notice: `Timed out after ${formatDuration(end.afterMs)} and was ended` };
    case "left_running":
      return {
        exitCode: null,
        notice: `${end.afterMs === undefined ? "Dispatched" : `Not done after ${formatDuration(end.afterMs)}`}. ${end.how}`,
      };
    case "failed":
      return { exitCode: null, notice: end.detail };
    default:
      return unreachable(end);
  }
}

/** For people: the first line said, and how much more there is. */
function summaryOf(exitCode: number | null, stdout: Collector, stderr: Collector): string {
  const failed = exitCode !== 0;
  const told = failed && stderr.firstLine() !== "" ? stderr : stdout;
  const more = told.lines() > 1 ? ` (+${told.lines() - 1} lines)` : "";
  const line = told.firstLine() + more;
  if (!failed) return line === "" ? "done, no output" : line;
  return line === "" ? `exit ${exitCode}` : `exit ${exitCode}: ${line}`;
}

type Collector = ReturnType<typeof collector>;

/** One output stream: decoded, counted, bounded. Binary output is described, not dumped. */
function collector(maxChars: number) {
  const kept = headTail(maxChars);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let bytes = 0;
  let newlines = 0;
  let first = "";
  let endsLine = true;
  let binary: string | undefined;
  return {
    add: (chunk: Uint8Array): string => {
      binary ??= chunk.includes(0) ? firstBytes(chunk) : undefined;
      bytes += chunk.length;
      if (binary !== undefined) return "";
      const text = decoder.decode(chunk, { stream: true });
      kept.add(text);
      newlines += countNewlines(text);
      endsLine = text === "" ? endsLine : text.endsWith("\n");
      if (first.length < 200) first = (first + text.slice(0, 400)).replace(/^\s*\n/, "");
      return text;
    },
    isBinary: () => binary !== undefined,
    lines: () => newlines + (endsLine ? 0 : 1),
    firstLine: () =>
      binary === undefined ? (first.split("\n")[0] ?? "").slice(0, 200) : `${bytes} bytes of binary data`,
    text: (): string => {
      if (binary === undefined) {
        kept.add(decoder.decode());
        return kept.text();
      }
      return `[binary output: ${bytes} bytes, first bytes ${binary}]`;
    },
  };
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
