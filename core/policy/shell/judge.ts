import { downloadedFiles, isDownloader, judgeInterpreter, REMOTE, runFile } from "./deny-download.ts";
import { matchesPattern } from "./denylist.ts";
import { HOLE } from "./hole.ts";
import { ask, deny, type Finding, type Invocation, stricter, strictestOf } from "./invocation.ts";
import { isReadOnly } from "./read-only.ts";
import { judgeInvocation } from "./rules.ts";
import { type Walked, walkCommand } from "./walk.ts";

export type ShellJudgement = {
  /** `ask`: never without a question, whatever the settings; `allow`: no rule objects, settings decide. */
  readonly verdict: "deny" | "ask" | "allow";
  readonly readOnly: boolean;
  /** False: it cannot be told what a shell would make of it. */
  readonly readable: boolean;
  /** The name of the rule; empty when none objects. */
  readonly rule: string;
  readonly reason: string;
  /** Every simple command that would run, as words. */
  readonly commands: readonly (readonly string[])[];
};

export type ShellRules = { readonly home: string; readonly denylist: readonly string[] };

/** Linux takes no longer argument for `sh -c`. */
const MAX_CHARS = 131_072;

/** What a command line would run, and whether it may. Pure: nothing is run, read or looked up. */
export function judgeShell(command: string, { home, denylist }: ShellRules): ShellJudgement {
  if (command.length > MAX_CHARS)
    return verdictOf(
      deny("too-long", "It is longer than a shell takes as one argument; a script file can hold it"),
      [],
    );
  const walked = walkCommand(command, home);
  const { invocations } = walked;
  const listed = judgeDenylist(command, invocations, denylist);
  const found =
    listed ??
    stricter(
      judgeWalked(walked, home),
      stricter(judgeUnread(walked, command, home), judgeLookAlike(command, home)),
    );
  const readOnly =
    found === undefined &&
    walked.findings.length === 0 &&
    invocations.length > 0 &&
    invocations.every((one) => isReadOnly(one, home));
  return { ...verdictOf(found, invocations), readOnly, readable: walked.errors.length === 0 };
}

/** How a value that is not known is shown. */
const UNKNOWN_VALUE = "$…";

const verdictOf = (found: Finding | undefined, invocations: readonly Invocation[]): ShellJudgement => ({
  verdict: found?.verdict ?? "allow",
  readOnly: false,
  readable: true,
  rule: found?.rule ?? "",
  reason: found?.reason ?? "",
  commands: invocations
    .filter(({ argv }) => argv.length > 0)
    .map(({ argv }) => argv.map((word) => word.replaceAll(HOLE, UNKNOWN_VALUE))),
});

function judgeDenylist(
  command: string,
  invocations: readonly Invocation[],
  denylist: readonly string[],
): Finding | undefined {
  const found = denylist.find(
    (pattern) =>
      matchesPattern(pattern, command) ||
      invocations.some(({ argv }) => matchesPattern(pattern, argv.join(" "))),
  );
  return found === undefined
    ? undefined
    : deny("shell_denylist", `It matches "${found}" of tools.shell_denylist`);
}

function judgeWalked(walked: Walked, home: string): Finding | undefined {
  const shape = walked.findings.filter(({ rule }) => rule !== "");
  return stricter(
    strictestOf(shape, (finding) => finding),
    stricter(
      strictestOf(walked.invocations, (one) => judgeInvocation(one, home)),
      stricter(
        denied(strictestOf(walked.guesses, (one) => judgeInvocation(one, home))),
        judgeDownloads(walked.invocations),
      ),
    ),
  );
}

const denied = (finding: Finding | undefined): Finding | undefined =>
  finding?.verdict === "deny" ? finding : undefined;

/** What was downloaded into a file or a variable and is run from it. */
function judgeDownloads(invocations: readonly Invocation[]): Finding | undefined {
  const files = new Set<string>();
  let kept = false;
  for (const invocation of invocations) {
    if (kept && judgeInterpreter(invocation) !== undefined) return REMOTE;
    kept ||= invocation.argv.length === 0 && invocation.inner.some(({ name }) => isDownloader(name));
    const file = files.size === 0 ? undefined : runFile(invocation);
    if (file !== undefined && (files.has(file) || files.has(file.replace(/^\.\//, "")))) {
      return ask("remote-code", `It would run "${file}" right after downloading it`);
    }
    for (const saved of downloadedFiles(invocation)) files.add(saved.replace(/^\.\//, ""));
  }
  return undefined;
}

/** What could not be read is never waved through, and what can be made out in it still counts. */
function judgeUnread({ errors }: Walked, command: string, home: string): Finding | undefined {
  const [error] = errors;
  if (error === undefined) return undefined;
  const pieces = command
    .replace(/\\?["'`]|\$\(|[(){}]/g, "\n")
    .split(/[\n;&|]+/)
    .filter((piece) => piece.trim() !== "")
    .slice(0, 2000);
  const seen = strictestOf(pieces, (piece) => denied(judgeWalked(walkCommand(piece.trim(), home), home)));
  return seen ?? ask("cannot-tell", `It cannot be read as a shell would: ${error}`);
}

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Emoji are made with the two that are left out. */
const SUSPECT = /(?![\u200d\ufe0f])\p{Default_Ignorable_Code_Point}/u;

/** Characters that are nothing, a blank or a letter to the eye, and something else to a shell. */
function judgeLookAlike(command: string, home: string): Finding | undefined {
  if (!/[^\t\n\x20-\x7e]/.test(command)) return undefined;
  const seen = command
    .replace(INVISIBLE, "")
    .replace(CONTROL, "")
    .normalize("NFKC")
    .replace(/[\u2044\u2215\u29f8]/g, "/")
    .replace(/[\u2010-\u2015\u2212]/g, "-");
  if (seen === command) return undefined;
  const found = denied(judgeWalked(walkCommand(seen, home), home));
  if (found) return { ...found, reason: `${found.reason}, or looks as if it would` };
  return SUSPECT.test(command) || command.search(CONTROL) !== -1
    ? ask("look-alike", "It has characters that cannot be seen")
    : undefined;
}
