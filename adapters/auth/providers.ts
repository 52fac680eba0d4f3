import { type Failure, failure } from "../../core/failure.ts";
import { err, ok, type Result } from "../../core/result.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Who issues logins, where its endpoints are, and where its tokens go: nowhere else. */
export type LoginProvider = {
  /** The key in `auth.json`. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** Port 0: any free one. */
  readonly redirectUri: string;
  /** What the issuer wants in the authorization address beside the standard. */
  readonly authorizeExtras: Readonly<Record<string, string>>;
  readonly device: {
    readonly userCodeUrl: string;
    readonly tokenUrl: string;
    /** Where the user types the code. */
    readonly verificationUrl: string;
    readonly redirectUri: string;
  };
  /** Where the id token says which account this is. */
  readonly accountClaim: { readonly inside: string; readonly name: string };
  /** What the account is told to the backend by. */
  readonly accountHeader: string;
  /** The base URL of requests made with a login. */
  readonly backendUrl: string;
};

/** The provider that a profile's base URL, or a name, belongs to. */
export function loginProvider(baseUrlOrName: string, env: Env): Result<LoginProvider, Failure> {
  const provider = openai(env);
  const origin = originOf(baseUrlOrName);
  const own = ["https://api.openai.com", "https://chatgpt.com", originOf(provider.backendUrl)];
  if (baseUrlOrName === provider.id || (origin !== undefined && own.includes(origin))) return ok(provider);
  return err(
    failure("usage", `There is no login for "${baseUrlOrName}"`, {
      hint: `login works with: ${provider.id}; use a key for everything else`,
    }),
  );
}

/** Public facts: those of the open-source Codex CLI, whose client id this is. */
function openai(env: Env): LoginProvider {
  const loopback = loopbackUrl(env.BUDDY_LOGIN_ISSUER_OPENAI);
  const issuer = loopback ?? "https://auth.openai.com";
  return {
    id: "openai",
    name: "OpenAI",
    issuer,
    clientId: "app_EMoamEEZ73f0CkXaXp7hrann",
    scope: "openid profile email offline_access",
    authorizeUrl: `${issuer}/oauth/authorize`,
    tokenUrl: `${issuer}/oauth/token`,
    redirectUri: loopback ? "http://localhost:0/auth/callback" : "http://localhost:1455/auth/callback",
    authorizeExtras: {
      id_token_add_organizations: "true",
      codex_cli_simplified_flow: "true",
      originator: "buddy",
    },
    device: {
      userCodeUrl: `${issuer}/api/accounts/deviceauth/usercode`,
      tokenUrl: `${issuer}/api/accounts/deviceauth/token`,
      verificationUrl: `${issuer}/codex/device`,
      redirectUri: `${issuer}/deviceauth/callback`,
    },
    accountClaim: { inside: "https://api.openai.com/auth", name: "chatgpt_account_id" },
    accountHeader: "chatgpt-account-id",
    backendUrl: loopback
      ? (loopbackUrl(env.BUDDY_LOGIN_BACKEND_OPENAI) ?? `${loopback}/backend-api/codex`)
      : "https://chatgpt.com/backend-api/codex",
  };
}

/**
 * An override, for tests only: it counts when it stays on this machine, so that it cannot carry tokens away, and a
 * backend counts only along with an issuer, so that real tokens go to the real backend.
 */
function loopbackUrl(text: string | undefined): string | undefined {
  const url = text ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    return undefined;
  const loopback =
    url.hostname === "localhost" || url.hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
  return loopback ? (url.origin + url.pathname).replace(/\/+$/, "") : undefined;
}

const originOf = (text: string): string | undefined => URL.parse(text)?.origin;
