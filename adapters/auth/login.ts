import { type Failure, failure } from "../../core/failure.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { type LockFailure, withLock } from "../host/lock.ts";
import { type AuthFileFailure, authFile, authFileFailure, type SavedLogin } from "./auth-file.ts";
import { type BrowserUi, browserLogin } from "./browser-flow.ts";
import type { LoginDeps } from "./current-login.ts";
import { type DevicePrompt, deviceLogin } from "./device-flow.ts";

export type SignInMethod =
  | ({ readonly type: "browser" } & BrowserUi)
  | { readonly type: "device"; readonly onCode: (prompt: DevicePrompt) => void };

/** Who is signed in; no token in it. */
export type Account = {
  readonly email: string | undefined;
  readonly accountId: string | undefined;
  readonly expiresAtMs: number;
  readonly warnings: readonly string[];
};

const LOCK_WAIT_MS = 45_000;

/** Signs in and saves the login. Throws only when aborted. */
export async function signIn(
  deps: LoginDeps,
  method: SignInMethod,
  signal: AbortSignal,
): Promise<Result<Account, Failure>> {
  const file = authFile(deps.host, deps.authPath);
  const prepared = file.prepare();
  if (!prepared.ok) return err(authFileFailure(prepared.error, deps.profile));
  const login =
    method.type === "browser"
      ? await browserLogin(deps, method, signal)
      : await deviceLogin(deps, method.onCode, signal);
  if (!login.ok) return login;
  const work = async () => file.write(deps.provider.id, login.value);
  const saved = flat(await withLock(deps.host, file.lockPath, { waitMs: LOCK_WAIT_MS }, work, signal));
  if (!saved.ok) return err(notSaved(deps, saved.error));
  return ok(accountOf(login.value, [...prepared.value, ...saved.value]));
}

/** Forgets the login of the provider, for every profile that uses it. */
export async function signOut(
  deps: LoginDeps,
  signal: AbortSignal,
): Promise<Result<"signed_out" | "not_signed_in", Failure>> {
  const file = authFile(deps.host, deps.authPath);
  const found = file.read(deps.provider.id);
  if (!found.ok) return err(authFileFailure(found.error, deps.profile));
  if (found.value.login === undefined) return ok("not_signed_in");
  const work = async () => file.remove(deps.provider.id);
  const removed = flat(await withLock(deps.host, file.lockPath, { waitMs: LOCK_WAIT_MS }, work, signal));
  if (!removed.ok) return err(notSaved(deps, removed.error));
  return ok(removed.value === "removed" ? "signed_out" : "not_signed_in");
}

/** Who is signed in, as far as the file says. Asks nobody. */
export function savedAccount({
  host,
  provider,
  profile,
  authPath,
}: LoginDeps): Result<Account | undefined, Failure> {
  const found = authFile(host, authPath).read(provider.id);
  if (!found.ok) return err(authFileFailure(found.error, profile));
  const { login, warnings } = found.value;
  return ok(login?.issuer === provider.issuer ? accountOf(login, warnings) : undefined);
}

const accountOf = (login: SavedLogin, warnings: readonly string[]): Account => ({
  email: login.email,
  accountId: login.account_id,
  expiresAtMs: login.expires_at_ms,
  warnings,
});

const flat = <T, E, F>(result: Result<Result<T, E>, F>): Result<T, E | F> =>
  result.ok ? result.value : result;

function notSaved({ provider, profile }: LoginDeps, why: AuthFileFailure | LockFailure): Failure {
  if (why.kind === "corrupt") return authFileFailure({ kind: why.kind, detail: why.detail }, profile);
  return failure("auth", `Cannot save the ${provider.name} login: ${why.detail}`);
}
