import { mailbox } from "../../../core/mailbox.ts";
import type { RunEnd, RunEvent, RunRequest } from "../../../core/ports/target.ts";
import { after } from "../../host/timer.ts";
import { atPrompt, interrupt } from "./fresh-prompt.ts";
import { type PaneInside, type RunSettings, TYPED_BY_USER } from "./pane-inside.ts";
import { canType, isFree } from "./pane-state.ts";
import { plainOutput } from "./plain-output.ts";
import { commandReader, type Read, type ShellKind } from "./read-command.ts";
import { watchStandstill } from "./standstill.ts";

/** A prompt that has been promised by an end mark. */
const PROMPT_MS = 3000;
/** A prompt that is being drawn anew. */
const REDRAWN_MS = 100;
/** What a terminal takes as one line when no line editor reads it. */
const LONGEST_LINE = 4000;

/** Types a command as a person would and reads what comes of it. */
export async function* runInPane(
  pane: PaneInside,
  settings: RunSettings,
  request: RunRequest,
  signal: AbortSignal,
): AsyncGenerator<RunEvent> {
  signal.throwIfAborted();
  const busy =
    unsafe(request.command) ??
    (await whyBusy(pane, signal)) ??
    tooLong(request.command, pane.state().shell ?? "sh");
  signal.throwIfAborted();
  if (busy !== undefined) {
    yield { type: "failed", detail: busy };
    return;
  }
  const events = mailbox<RunEvent>();
  const end = follow(pane, settings, request, signal, (event) => events.put(event)).finally(events.close);
  for (let taken = await events.take(); taken.length > 0; taken = await events.take()) yield* taken;
  const ended = await end;
  signal.throwIfAborted();
  if (ended === undefined) settings.onNotTyped();
  else yield ended;
}

/** Why nothing may be typed now, with what is on the screen. */
async function whyBusy(pane: PaneInside, signal: AbortSignal): Promise<string | undefined> {
  if (!canType(pane.state())) await pane.waitUntil(canType, PROMPT_MS, signal);
  if (canType(pane.state()))
    await pane.waitUntil(isFree, pane.state().touched === "no" ? 0 : REDRAWN_MS, signal);
  if (pane.state().touched === "lines" && (await atPrompt(pane, pane.state().shell ?? "sh"))) {
    // Something that runs behind has written over the prompt: a new one, as a person would want it.
    await interrupt(pane);
  }
  const state = pane.state();
  if (canType(state) && !(state.touched !== "no" && (await isTypedInto(pane)))) return undefined;
  const what = canType(state) ? TYPED_INTO : "something else runs in it";
  return busyWords(pane, what);
}

const busyWords = async (pane: PaneInside, what: string): Promise<string> =>
  `The pane is busy: ${what}, so nothing was typed. Look with capture-pane, wait, or ask the user. On its screen:\n${await tail(pane)}`;

async function wasResized({ io }: PaneInside): Promise<boolean> {
  const [width, promptWidth] = await io.facts(["pane_width", "@buddy_prompt_width"]);
  return width !== promptWidth;
}

const TYPED_INTO = "somebody has typed something at its prompt, or is just starting something";
const SHOWN_LINES = 15;

async function tail(pane: PaneInside): Promise<string> {
  return (await pane.io.screen()).split("\n").slice(-SHOWN_LINES).join("\n");
}

/** What is written behind the prompt need not be text that somebody typed: a redrawn prompt, a clock. */
async function isTypedInto(pane: PaneInside): Promise<boolean> {
  const [x = "", promptX = ""] = await pane.io.facts(["cursor_x", "@buddy_prompt_x"]);
  return promptX === "" || x !== promptX;
}

/** Typed into a terminal, a control character is a key: it would do something else than what was approved. */
function unsafe(command: string): string | undefined {
  const found = /[\u0000-\u0008\u000b-\u001f\u007f]/.exec(command);
  return found
    ? `The command has a control character (0x${found[0].charCodeAt(0).toString(16)}), which cannot be typed: use send-keys for keys`
    : undefined;
}

function tooLong(command: string, shell: ShellKind): string | undefined {
  if (shell !== "sh") return undefined;
  const longest = Math.max(...command.split("\n").map((line) => Buffer.byteLength(line)));
  return longest <= LONGEST_LINE
    ? undefined
    : `A line of ${longest} bytes cannot be typed into this shell, which takes ${LONGEST_LINE}: write it to a file with write_file and run that`;
}

/** Settles when the command has ended, one way or another; with nothing when it was never typed. */
async function follow(
  pane: PaneInside,
  settings: RunSettings,
  request: RunRequest,
  signal: AbortSignal,
  put: (event: RunEvent) => Promise<void>,
): Promise<RunEnd | undefined> {
  const { io } = pane;
  const shell = pane.state().shell ?? "sh";
  const lines = shell === "sh" ? request.command.split("\n") : [request.command];
  const { nonce, sent } = pane.freshNonce();
  const reader = commandReader(shell, nonce, lines.length);
  const output = plainOutput();
  const startedMs = performance.now();
  let line = 0;
  let unfinished = true;
  let givenUp = false;
  let leftOpen = false;
  let moved = false;
  /** What is echoed of the user's answer so far, while one is awaited. */
  let answer: string | undefined;
  let settle: (end: RunEnd) => void = () => {};
  const ended = new Promise<RunEnd>((resolve) => {
    settle = resolve;
  });

  const say = (text: string): Promise<void> | void =>
    text === "" ? undefined : put({ type: "stdout", bytes: Buffer.from(text, "latin1") });
  const typeLine = (): void => {
    io.paste(lines[line++] ?? "");
    io.keys("Enter");
  };
  const withoutAnswer = (text: string): string => {
    if (answer === undefined) return text;
    const newline = text.search(/[\r\n]/);
    answer += newline === -1 ? text : text.slice(0, newline);
    if (newline === -1) return "";
    const typed = Buffer.from(answer, "latin1").toString("utf8").trim();
    answer = undefined;
    if (typed !== "") pane.hide(typed);
    return `${typed === "" ? "" : TYPED_BY_USER}${text.slice(newline)}`;
  };
  const retype = (): void => {
    line = 0;
    typeLine();
  };
  const incomplete = async (sure: boolean): Promise<void> => {
    if (!sure && !(await atPrompt(pane, shell))) return;
    reader.stopOutput();
    leftOpen = true;
    settle({
      type: "failed",
      detail:
        "The command is not complete: a quote, a bracket or a heredoc is left open. What was left over was not run",
    });
  };
  const onRead = (read: Read): void | Promise<void> => {
    switch (read.type) {
      case "output":
        standstill.moved();
        return say(output.add(withoutAnswer(read.text)));
      case "alternate":
        return put({
          type: "notice",
          text: "A full-screen program was shown; what it drew is left out (capture-pane shows the screen)",
        });
      case "next_line":
        return typeLine();
      case "incomplete":
        return void incomplete(read.sure);
      case "ended":
        return settle({ type: "exited", code: isComment(request.command) ? 0 : read.code });
    }
  };

  const unlisten = pane.listen({
    onItem: async (item) => {
      moved = true;
      for (const read of reader.read(item)) {
        const done = onRead(read);
        if (done) await done;
      }
    },
    onEnd: (end) => {
      if (end.type !== "failed") void put({ type: "notice", text: SHELL_ENDED });
      settle(end);
    },
  });
  const standstill = watchStandstill({
    pane,
    settings,
    request,
    isTaken: reader.isTaken,
    onAttention: (text) => {
      answer = "";
      void put({ type: "attention", text });
    },
    onGivenUp: (end) => {
      givenUp = true;
      reader.stopOutput();
      settle(end);
    },
    onHookLost: () => {
      reader.stopOutput();
      unfinished = false;
      void put({ type: "notice", text: "The command had changed the shell's prompt; it was mended" });
      void pane.restoreHook();
    },
  });
  const cancelTimer = request.dispatch
    ? () => {}
    : after(request.timeoutMs, () => settle(leftRunning(request.timeoutMs, io.id, settings)));
  const onAbort = () => settle({ type: "killed", signal: "cancel" });
  signal.addEventListener("abort", onAbort, { once: true });

  const endSpan = request.dispatch ? undefined : pane.waitedFor();
  pane.markRunning();
  line = 1;
  void io.typeAtPrompt(lines[0] ?? "").then(async (typed) => {
    if (typed || pane.isGone() || signal.aborted) return;
    // Somebody was faster: that shows. Or only the cursor is elsewhere: the screen has another width, the prompt was new.
    await pane.waitUntil(() => moved, REDRAWN_MS, signal);
    if (signal.aborted) return;
    if ((!moved || (await wasResized(pane))) && (await atPrompt(pane, shell))) return retype();
    pane.markRefused();
    settle({ type: "failed", detail: await busyWords(pane, TYPED_INTO) });
  });
  if (request.dispatch && lines.length === 1) settle(leftRunning(undefined, io.id, settings));
  const end = await ended;
  cancelTimer();
  standstill.stop();
  signal.removeEventListener("abort", onAbort);
  // Where the prompt had no mark, it is the line that was not finished.
  if (unfinished) await say(output.end());
  unlisten();
  if (end.type !== "left_running") endSpan?.();
  if (leftOpen) await interrupt(pane);
  if (signal.aborted || givenUp) await cancel(pane, startedMs);
  return end.type === "failed" && !(await sent) ? undefined : end;
}

const leftRunning = (afterMs: number | undefined, pane: string, { attachHint }: RunSettings): RunEnd => ({
  type: "left_running",
  afterMs,
  how: `It goes on in pane ${pane}: look with capture-pane, type with send-keys (C-c ends it); the user sees it with ${attachHint}`,
});

const SHELL_ENDED =
  "The command ended or replaced the shell of the pane; the next command gets a new one, so directory and variables are lost";

const isComment = (command: string): boolean => command.split("\n").every((line) => /^\s*(#.*)?$/.test(line));

const KILLED_MS = 1500;

/** Ends what the call started: as a person would, then by force, then with the shell itself. */
async function cancel(pane: PaneInside, startedMs: number): Promise<void> {
  const { signal } = new AbortController();
  pane.io.leaveModes();
  await interrupt(pane);
  await pane.io.sweep([{ fromMs: startedMs, untilMs: Number.POSITIVE_INFINITY }]);
  if (await pane.waitUntil(canType, canType(pane.state()) ? 0 : KILLED_MS, signal)) return;
  pane.io.tell(`respawn-pane -k -t ${pane.io.id}`);
}
