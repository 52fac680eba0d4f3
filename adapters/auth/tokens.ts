import * as v from "valibot";
import { type Failure, failure } from "../../core/failure.ts";
import { type Fields, textAt } from "../../core/lenient.ts";
import type { Host } from "../../core/ports/host.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { oneLine } from "../../core/sanitize.ts";
import type { SavedLogin } from "./auth-file.ts";
import { accountOf, claimsOf, expiryOf } from "./claims.ts";
import { type Answer, askIssuer, errorCode, issuerFailure } from "./issuer.ts";
import type { LoginProvider } from "./providers.ts";

export type IssuerDeps = {
  readonly host: Host;
  readonly provider: LoginProvider;
  /** For hints: `buddy login <profile>`. */
  readonly profile: string;
};

export type Code = {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
};

/** Turns the code of a sign-in into tokens. */
export async function exchangeCode(
  deps: IssuerDeps,
  { code, verifier, redirectUri }: Code,
  signal: AbortSignal,
): Promise<Result<SavedLogin, Failure>> {
  const answer = await askForTokens(
    deps,
    { grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier: verifier },
    signal,
  );
  if (!answer.ok) return answer;
  if (answer.value.status === 200) return loginOf(deps, answer.value, undefined);
  const why = refusal(deps, answer.value, [code, verifier]);
  if (errorCode(answer.value) !== "invalid_grant") return err(why);
  return err({ ...why, message: `The code of this sign-in was used before or has expired (${why.message})` });
}

/** New tokens for those that run out. The old refresh token may be worth nothing afterwards. */
export async function refreshLogin(
  deps: IssuerDeps,
  login: SavedLogin,
  signal: AbortSignal,
): Promise<Result<SavedLogin, Failure>> {
  const { access_token, refresh_token } = login;
  if (refresh_token === undefined) return err(expired(deps, "it cannot be renewed"));
  const answer = await askForTokens(deps, { grant_type: "refresh_token", refresh_token }, signal);
  if (!answer.ok) return answer;
  if (answer.value.status === 200) return loginOf(deps, answer.value, login);
  const why = refusal(deps, answer.value, [access_token, refresh_token]);
  return err(why.class === "auth" ? expired(deps, why.message) : why);
}

const askForTokens = (
  { host, provider }: IssuerDeps,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal,
) =>
  askIssuer(
    host,
    provider.tokenUrl,
    { type: "form", fields: { client_id: provider.clientId, ...grant } },
    signal,
  );

const refusal = ({ provider, profile }: IssuerDeps, answer: Answer, secrets: readonly string[]): Failure =>
  issuerFailure(provider.tokenUrl, answer, secrets, `buddy login ${profile}`);

const expired = ({ provider, profile }: IssuerDeps, why: string): Failure =>
  failure("auth", `The ${provider.name} login is no longer valid: ${why}`, {
    hint: `buddy login ${profile}`,
  });

/** Tokens go into headers: nothing in them may end one. */
const token = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,65536}$/));
const tokensSchema = v.object({
  access_token: token,
  refresh_token: v.nullish(token),
  id_token: v.nullish(token),
  expires_in: v.nullish(v.pipe(v.union([v.number(), v.pipe(v.string(), v.toNumber())]), v.minValue(0))),
});
type Tokens = v.InferOutput<typeof tokensSchema>;

/** When a token does not say how long it lasts. */
const UNKNOWN_LIFE_MS = 60 * 60 * 1000;
const LONGEST_LIFE_MS = 366 * 24 * 60 * 60 * 1000;

function loginOf(
  deps: IssuerDeps,
  { fields }: Answer,
  before: SavedLogin | undefined,
): Result<SavedLogin, Failure> {
  const tokens = v.safeParse(tokensSchema, fields);
  if (!tokens.success)
    return err(failure("model", `${new URL(deps.provider.tokenUrl).host} answered without a usable token`));
  const { access_token, refresh_token } = tokens.output;
  const refresh = refresh_token ?? before?.refresh_token;
  return ok({
    issuer: deps.provider.issuer,
    access_token,
    ...(refresh === undefined ? {} : { refresh_token: refresh }),
    ...whoseOf(deps.provider, tokens.output, before),
    expires_at_ms: expiryAt(tokens.output, deps.host.unixMs()),
  });
}

function whoseOf(provider: LoginProvider, tokens: Tokens, before: SavedLogin | undefined) {
  const [identity, access] = [claimsOf(tokens.id_token ?? undefined), claimsOf(tokens.access_token)];
  const account = (claims: Fields) => accountOf(claims, provider.accountClaim);
  const account_id = account(identity) ?? account(access) ?? before?.account_id;
  const email = oneLine(textAt(identity, "email"), 200) || before?.email;
  return { ...(account_id ? { account_id } : {}), ...(email ? { email } : {}) };
}

function expiryAt({ expires_in, access_token }: Tokens, nowMs: number): number {
  const said = typeof expires_in === "number" ? nowMs + expires_in * 1000 : expiryOf(claimsOf(access_token));
  return Math.min(said ?? nowMs + UNKNOWN_LIFE_MS, nowMs + LONGEST_LIFE_MS);
}
