import { type Failure, failure } from "../../core/failure.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { withLock } from "../host/lock.ts";
import { authFile, authFileFailure, type FoundLogin, type SavedLogin } from "./auth-file.ts";
import { type IssuerDeps, refreshLogin } from "./tokens.ts";

export type LoginDeps = IssuerDeps & {
  /** The path of `auth.json`. */
  readonly authPath: string;
};

/** What a request needs. */
export type Login = {
  readonly accessToken: string;
  readonly accountId: string | undefined;
  readonly expiresAtMs: number;
  /** About the file, for the user to read once. */
  readonly warnings: readonly string[];
};

/** `rejected`: the backend refused this token, whatever its expiry says. */
export type Renew = "when_due" | { readonly rejected: string };

const DUE_MS = 5 * 60 * 1000;
/** Longer than the request of whoever holds the lock can take. */
const LOCK_WAIT_MS = 45_000;

/** The saved login, renewed when less than five minutes remain: once, however many processes ask. */
export async function currentLogin(
  deps: LoginDeps,
  { renew }: { readonly renew: Renew },
  signal: AbortSignal,
): Promise<Result<Login, Failure>> {
  signal.throwIfAborted();
  const found = savedLogin(deps);
  if (!found.ok) return found;
  const { login, warnings } = found.value;
  if (!isDue(deps, login, renew)) return ok(loginOf(login, warnings));
  const renewed = await untilAborted(renewUnderLock(deps, renew, signal), signal);
  if (!renewed.ok && renewed.error.retryable && renew === "when_due" && !isOver(deps, login))
    return ok(loginOf(login, warnings));
  return renewed.ok ? ok({ ...renewed.value, warnings: [...warnings, ...renewed.value.warnings] }) : renewed;
}

async function renewUnderLock(
  deps: LoginDeps,
  renew: Renew,
  signal: AbortSignal,
): Promise<Result<Login, Failure>> {
  const { lockPath } = authFile(deps.host, deps.authPath);
  const options = { waitMs: LOCK_WAIT_MS };
  const renewed = await withLock(deps.host, lockPath, options, () => renewOnce(deps, renew), signal);
  if (renewed.ok) return renewed.value;
  return err(
    failure("auth", `Cannot renew the ${deps.provider.name} login: ${renewed.error.detail}`, {
      retryable: true,
    }),
  );
}

/** The lock is held. Another process may have renewed the login while we waited for it. */
async function renewOnce(deps: LoginDeps, renew: Renew): Promise<Result<Login, Failure>> {
  const found = savedLogin(deps);
  if (!found.ok) return found;
  if (!isDue(deps, found.value.login, renew)) return ok(loginOf(found.value.login, []));
  // Not the caller's signal: the answer to a request once sent may be all that is left of the login.
  const refreshed = await refreshLogin(deps, found.value.login, new AbortController().signal);
  if (!refreshed.ok) return refreshed;
  const written = authFile(deps.host, deps.authPath).write(deps.provider.id, refreshed.value);
  const warnings = written.ok ? [] : [`${written.error.detail}: the renewed login lasts for this run only`];
  return ok(loginOf(refreshed.value, warnings));
}

type Found = { readonly login: SavedLogin; readonly warnings: FoundLogin["warnings"] };

function savedLogin({ host, provider, profile, authPath: path }: LoginDeps): Result<Found, Failure> {
  const found = authFile(host, path).read(provider.id);
  if (!found.ok) return err(authFileFailure(found.error, profile));
  const { login, warnings } = found.value;
  // A token goes only to the issuer that it came from.
  if (login !== undefined && login.issuer === provider.issuer) return ok({ login, warnings });
  return err(
    failure("auth", `There is no ${provider.name} login for profile "${profile}"`, {
      hint: `buddy login ${profile}`,
    }),
  );
}

function isDue({ host }: LoginDeps, login: SavedLogin, renew: Renew): boolean {
  if (renew !== "when_due" && renew.rejected === login.access_token) return true;
  return login.expires_at_ms - host.unixMs() < DUE_MS;
}

const isOver = ({ host }: LoginDeps, login: SavedLogin): boolean => login.expires_at_ms <= host.unixMs();

const loginOf = (login: SavedLogin, warnings: readonly string[]): Login => ({
  accessToken: login.access_token,
  accountId: login.account_id,
  expiresAtMs: login.expires_at_ms,
  warnings,
});

/** Stops waiting for the work when aborted; the work itself goes on to its end. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
