import { parseDuration } from "../core/duration.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import type { SessionCommand } from "../core/runtime/state.ts";
import type { TaskRules } from "../core/task-rules.ts";
import type { Invocation } from "./command.ts";
import type { Flags } from "./flags.ts";
import type { StdinMode } from "./prompt-input.ts";

/** What the flags of `exec` say, besides what is configuration. */
export type ExecOptions = {
  readonly timeoutMs: number | undefined;
  readonly stdin: StdinMode;
  readonly session: SessionCommand | undefined;
  readonly rules: Omit<TaskRules, "answer">;
};

export function execOptions({ flags }: Pick<Invocation, "flags">): Result<ExecOptions, Failure> {
  const stdin = oneOf(flags, "stdin", ["auto", "require", "ignore"]);
  if (!stdin.ok) return stdin;
  const onDeny = oneOf(flags, "on-deny", ["continue", "fail"]);
  if (!onDeny.ok) return onDeny;
  const timeout = flags.text("timeout");
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  if (timeout !== undefined && !timeoutMs) {
    return err(failure("usage", `--timeout must be a duration such as 30s or 10m, not "${timeout}"`));
  }
  const maxTokens = amountIn(flags, "max-tokens-total", /^[1-9]\d{0,14}$/, "a whole number from 1");
  if (!maxTokens.ok) return maxTokens;
  const maxCostUsd = amountIn(flags, "max-cost", MONEY, "an amount in US dollars above 0, such as 0.50");
  if (!maxCostUsd.ok) return maxCostUsd;
  const session = sessionCommand(flags);
  if (!session.ok) return session;
  const rules = {
    onDeny: onDeny.value,
    ...(maxTokens.value === undefined ? {} : { maxTokens: maxTokens.value }),
    ...(maxCostUsd.value === undefined ? {} : { maxCostUsd: maxCostUsd.value }),
  };
  return ok({ timeoutMs, stdin: stdin.value, session: session.value, rules });
}

const MONEY = /^(?=.*[1-9])\d{1,9}(\.\d{1,9})?$/;

/** One of a few words; the first is what holds without the flag. */
function oneOf<const T extends string>(
  flags: Flags,
  name: string,
  words: readonly [T, ...T[]],
): Result<T, Failure> {
  const given = flags.text(name) ?? words[0];
  const found = words.find((word) => word === given);
  if (found !== undefined) return ok(found);
  const last = words.at(-1);
  return err(
    failure("usage", `--${name} must be ${words.slice(0, -1).join(", ")} or ${last}, not "${given}"`),
  );
}

function amountIn(
  flags: Flags,
  name: string,
  form: RegExp,
  wanted: string,
): Result<number | undefined, Failure> {
  const given = flags.text(name);
  if (given === undefined) return ok(undefined);
  return form.test(given)
    ? ok(Number(given))
    : err(failure("usage", `--${name} must be ${wanted}, not "${given}"`));
}

function sessionCommand(flags: Flags): Result<SessionCommand | undefined, Failure> {
  const named = [flags.text("resume"), flags.text("session")].filter((ref) => ref !== undefined);
  const last = flags.on("continue");
  if (named.length + (last ? 1 : 0) > 1)
    return err(failure("usage", "Give one of --continue, --resume and --session"));
  const [ref] = named;
  if ((ref !== undefined || last) && (flags.on("no-session") || flags.on("hermetic"))) {
    return err(failure("usage", "A session cannot be resumed without sessions"));
  }
  if (!flags.on("fork")) {
    if (last) return ok({ type: "session_resume_last" });
    return ok(ref === undefined ? undefined : { type: "session_resume", ref });
  }
  if (ref !== undefined) return ok({ type: "session_fork", ref });
  return last
    ? ok({ type: "session_fork", ref: "last" })
    : err(failure("usage", "--fork needs --continue, --resume ID or --session ID"));
}
