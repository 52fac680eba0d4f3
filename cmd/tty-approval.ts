import { closeSync, constants, openSync, read, readSync, writeSync } from "node:fs";
import type { Paint } from "../adapters/output/paint.ts";
import type { ApprovalRequest, Decision } from "../core/event.ts";
import { spelledOut } from "../core/sanitize.ts";
import type { Need } from "../core/tool.ts";

/** Asks on the controlling terminal, whatever stdin and stdout are. Nobody there: denied. */
export async function askOnTerminal(request: ApprovalRequest, paint: Paint): Promise<Decision> {
  const fd = openTerminal(constants.O_RDWR);
  if (fd === undefined) {
    const reason = "approval was needed, but there is no terminal to ask on (see --approve)";
    return { type: "denied", by: "nobody", reason };
  }
  try {
    dropTypeAhead();
    writeSync(fd, question(request, paint));
    const line = (await readLine(fd)).trim();
    if (/^(y|yes)$/i.test(line)) return { type: "allowed", by: "user" };
    const words = /^(n|no)?$/i.test(line) ? "" : `: ${line}`;
    return { type: "denied", by: "user", reason: `the user said no${words}` };
  } finally {
    closeSync(fd);
  }
}

function question({ need, target, cwd }: ApprovalRequest, paint: Paint): string {
  const facts = [
    `risk ${need.risk}`,
    need.mutation ? "changes things" : "changes nothing",
    ...(need.privesc ? ["more rights"] : []),
  ];
  return [
    paint("dim", `${target} ${spelledOut(cwd)}`),
    // In one piece, line breaks spelled: no line of a command can pass for a line of this question.
    `${paint("green", MARKS[need.kind])}${spelledOut(need.subject)}`,
    ...(need.kind === "file" ? diffLines(need.diff) : []),
    paint("dim", `${facts.join(", ")}; ${spelledOut(need.why)}`),
    "approve? [y]es, [n]o, or why not: ",
  ].join("\n");
}

/** What the subject is. */
const MARKS: Readonly<Record<Need["kind"], string>> = { shell: "$ ", file: "write ", url: "fetch " };

/** Marked and spelled out, every line of them: what is approved is what was seen. */
const diffLines = (diff: string): readonly string[] =>
  diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `  ${spelledOut(line)}`);

function openTerminal(flags: number): number | undefined {
  try {
    return openSync("/dev/tty", flags);
  } catch {
    return undefined; // no controlling terminal: cron, CI, a detached session
  }
}

/** What was typed before the question appeared does not answer it. */
function dropTypeAhead(): void {
  const fd = openTerminal(constants.O_RDONLY | constants.O_NONBLOCK);
  if (fd === undefined) return;
  try {
    while (readSync(fd, new Uint8Array(4096)) > 0);
  } catch {
    // EAGAIN: nothing more was typed
  } finally {
    closeSync(fd);
  }
}

function readLine(fd: number): Promise<string> {
  return new Promise((resolve) => {
    read(fd, new Uint8Array(4096), (error, count, buffer) => {
      resolve(error ? "" : new TextDecoder().decode(buffer.subarray(0, count)));
    });
  });
}
