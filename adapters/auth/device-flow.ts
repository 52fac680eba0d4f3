import * as v from "valibot";
import { type Failure, failure } from "../../core/failure.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { SavedLogin } from "./auth-file.ts";
import { type Answer, askIssuer, errorCode, issuerFailure } from "./issuer.ts";
import { exchangeCode, type IssuerDeps } from "./tokens.ts";

export type DevicePrompt = {
  /** The page to open, on any machine. */
  readonly url: string;
  /** What to type there. */
  readonly userCode: string;
  readonly expiresInMs: number;
};

const LIMIT_MS = 15 * 60 * 1000;
const SLOWER_MS = 5000;

/** Sign-in with a code typed on any other machine's browser. Throws only when aborted. */
export async function deviceLogin(
  deps: IssuerDeps,
  onCode: (prompt: DevicePrompt) => void,
  signal: AbortSignal,
): Promise<Result<SavedLogin, Failure>> {
  const started = await startDevice(deps, signal);
  if (!started.ok) return started;
  const device = started.value;
  onCode({
    url: deps.provider.device.verificationUrl,
    userCode: device.user_code,
    expiresInMs: LIMIT_MS,
  });
  const granted = await pollUntilGranted(deps, device, signal);
  if (!granted.ok) return granted;
  const { authorization_code: code, code_verifier: verifier } = granted.value;
  return exchangeCode(deps, { code, verifier, redirectUri: deps.provider.device.redirectUri }, signal);
}

/** Seconds; some issuers send them as text. */
const seconds = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.toNumber())]),
  v.minValue(1),
  v.maxValue(60),
);

const deviceSchema = v.object({
  device_auth_id: v.pipe(v.string(), v.nonEmpty()),
  user_code: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,64}$/)),
  interval: v.fallback(seconds, 5),
});
type Device = v.InferOutput<typeof deviceSchema>;

async function startDevice(deps: IssuerDeps, signal: AbortSignal): Promise<Result<Device, Failure>> {
  const { host, provider, profile } = deps;
  const url = provider.device.userCodeUrl;
  const answer = await askIssuer(
    host,
    url,
    { type: "json", fields: { client_id: provider.clientId } },
    signal,
  );
  if (!answer.ok) return answer;
  if (answer.value.status !== 200)
    return err(issuerFailure(url, answer.value, [], `try without --device: buddy login ${profile}`));
  const device = v.safeParse(deviceSchema, answer.value.fields);
  if (device.success) return ok(device.output);
  return err(failure("model", `${new URL(url).host} answered without a usable device code`));
}

const grantSchema = v.object({
  authorization_code: v.pipe(v.string(), v.nonEmpty()),
  code_verifier: v.pipe(v.string(), v.nonEmpty()),
});
type Grant = v.InferOutput<typeof grantSchema>;

async function pollUntilGranted(
  deps: IssuerDeps,
  device: Device,
  signal: AbortSignal,
): Promise<Result<Grant, Failure>> {
  const deadline = deps.host.monotonicMs() + LIMIT_MS;
  let pauseMs = device.interval * 1000;
  while (deps.host.monotonicMs() + pauseMs < deadline) {
    await deps.host.wait(pauseMs, signal);
    const polled = await poll(deps, device, signal);
    if (!polled.ok) return polled;
    if (polled.value.type === "granted") return ok(polled.value.grant);
    if (polled.value.type === "slower") pauseMs += SLOWER_MS;
  }
  return err(tooLate(deps));
}

type Polled =
  | { readonly type: "granted"; readonly grant: Grant }
  | { readonly type: "pending" }
  | { readonly type: "slower" };

async function poll(deps: IssuerDeps, device: Device, signal: AbortSignal): Promise<Result<Polled, Failure>> {
  const url = deps.provider.device.tokenUrl;
  const { device_auth_id, user_code } = device;
  const asked = await askIssuer(
    deps.host,
    url,
    { type: "json", fields: { device_auth_id, user_code } },
    signal,
  );
  // The user may be typing the code just now: one lost request is no reason to give up.
  if (!asked.ok) return asked.error.retryable ? ok({ type: "slower" }) : asked;
  const answer = asked.value;
  if (answer.status !== 200) return notGranted(deps, answer, [device_auth_id]);
  const grant = v.safeParse(grantSchema, answer.fields);
  if (grant.success) return ok({ type: "granted", grant: grant.output });
  return err(failure("model", `${new URL(url).host} answered without a usable code`));
}

/** The words of RFC 8628 where they are used; otherwise 403 and 404 mean that nobody has typed the code yet. */
function notGranted(deps: IssuerDeps, answer: Answer, secrets: readonly string[]): Result<Polled, Failure> {
  switch (errorCode(answer)) {
    case "authorization_pending":
      return ok({ type: "pending" });
    case "slow_down":
      return ok({ type: "slower" });
    case "expired_token":
      return err(tooLate(deps));
    case "access_denied":
      return err(
        failure("auth", "The sign-in was refused in the browser", { hint: `buddy login ${deps.profile}` }),
      );
  }
  if (answer.status === 403 || answer.status === 404) return ok({ type: "pending" });
  const why = issuerFailure(
    deps.provider.device.tokenUrl,
    answer,
    secrets,
    `buddy login ${deps.profile} --device`,
  );
  return why.retryable ? ok({ type: "slower" }) : err(why);
}

const tooLate = ({ profile }: IssuerDeps): Failure =>
  failure("auth", "The code has expired: nobody signed in with it in time", {
    hint: `buddy login ${profile} --device`,
  });
