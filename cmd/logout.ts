import { signOut } from "../adapters/auth/login.ts";
import type { Failure } from "../core/failure.ts";
import { ok, type Result } from "../core/result.ts";
import type { Invocation } from "./command.ts";
import { reportFailure } from "./exit.ts";
import { interruptible } from "./interruptible.ts";
import { loginProfile } from "./login-profile.ts";

/** `buddy logout [profile]`: forgets the login of the profile's provider. */
export async function run(invocation: Invocation): Promise<number> {
  const done = await interruptible((signal) => logout(invocation, signal));
  if (!done.result.ok) reportFailure(done.result.error, invocation.stderr);
  return done.exitCode;
}

async function logout(invocation: Invocation, signal: AbortSignal): Promise<Result<void, Failure>> {
  const found = await loginProfile(invocation);
  if (!found.ok) return found;
  const { deps } = found.value;
  const ended = await signOut(deps, signal);
  if (!ended.ok) return ended;
  const said = ended.value === "signed_out" ? "Logged out of" : "There was no login for";
  invocation.stdout.write(`${said} ${deps.provider.name}\n`);
  return ok(undefined);
}
