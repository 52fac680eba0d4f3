import { currentLogin, type LoginDeps } from "../adapters/auth/current-login.ts";
import { type SignInMethod, signIn } from "../adapters/auth/login.ts";
import { openInBrowser } from "../adapters/host/open-browser.ts";
import { isTerminal } from "../adapters/host/output.ts";
import { askLine } from "../adapters/host/stdin-line.ts";
import { formatDuration } from "../core/duration.ts";
import type { Failure } from "../core/failure.ts";
import { ok, type Result } from "../core/result.ts";
import { displayText, oneLine } from "../core/sanitize.ts";
import type { Invocation } from "./command.ts";
import { reportFailure, warningLine } from "./exit.ts";
import { interruptible } from "./interruptible.ts";
import { loginProfile } from "./login-profile.ts";

/** `buddy login [profile]`: in the browser, with `--device` by a code; `--check` says whether a login is valid. */
export async function run(invocation: Invocation): Promise<number> {
  const done = await interruptible((signal) => login(invocation, signal));
  if (!done.result.ok) reportFailure(done.result.error, invocation.stderr);
  return done.exitCode;
}

async function login(invocation: Invocation, signal: AbortSignal): Promise<Result<void, Failure>> {
  const found = await loginProfile(invocation);
  if (!found.ok) return found;
  const { deps, usesLogin } = found.value;
  if (invocation.flags.on("check")) return check(deps, invocation, signal);
  const account = await signIn(deps, methodFor(invocation), signal);
  if (!account.ok) return account;
  const { stdout, stderr } = invocation;
  for (const warning of account.value.warnings) stderr.write(warningLine(warning));
  const { email } = account.value;
  stdout.write(`Logged in to ${deps.provider.name}${email ? ` as ${oneLine(email, 200)}` : ""}\n`);
  if (!usesLogin) stderr.write(warningLine(`Profile "${deps.profile}" uses a key: set auth = "login" in it`));
  return ok(undefined);
}

function methodFor({ flags, env, stderr }: Invocation): SignInMethod {
  const say = (text: string) => void stderr.write(`${displayText(text)}\n`);
  if (flags.on("device")) {
    return {
      type: "device",
      onCode: ({ url, userCode, expiresInMs }) =>
        say(`Open ${url}\nand enter the code ${userCode} within ${formatDuration(expiresInMs)}`),
    };
  }
  return {
    type: "browser",
    onUrl: (url) => {
      say(`Log in at:\n${url}`);
      openInBrowser(url, env);
    },
    // Someone on a remote machine pastes the address at which their browser got stuck.
    ...(isTerminal(0)
      ? {
          askPasted: (problem, signal) => {
            say(
              problem ?? "On another machine: paste the address that the browser ends at, and press Enter.",
            );
            return askLine(signal);
          },
        }
      : {}),
  };
}

/** Renews the login when it is due, so that "valid" means usable now. */
async function check(
  deps: LoginDeps,
  { stdout, stderr }: Invocation,
  signal: AbortSignal,
): Promise<Result<void, Failure>> {
  const current = await currentLogin(deps, { renew: "when_due" }, signal);
  if (!current.ok) return current;
  for (const warning of current.value.warnings) stderr.write(warningLine(warning));
  const left = formatDuration(Math.max(0, current.value.expiresAtMs - deps.host.unixMs()));
  stdout.write(`The ${deps.provider.name} login is valid; it is renewed by itself (next in ${left})\n`);
  return ok(undefined);
}
