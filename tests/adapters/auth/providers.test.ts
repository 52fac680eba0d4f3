import { describe, expect, test } from "bun:test";
import { loginProvider } from "../../../adapters/auth/providers.ts";
import { errorOf, unwrap } from "./login-fixture.ts";

const REAL = {
  id: "openai",
  name: "OpenAI",
  issuer: "https://auth.openai.com",
  clientId: "app_EMoamEEZ73f0CkXaXp7hrann",
  scope: "openid profile email offline_access",
  authorizeUrl: "https://auth.openai.com/oauth/authorize",
  tokenUrl: "https://auth.openai.com/oauth/token",
  redirectUri: "http://localhost:1455/auth/callback",
  authorizeExtras: {
    id_token_add_organizations: "true",
    codex_cli_simplified_flow: "true",
    originator: "buddy",
  },
  device: {
    userCodeUrl: "https://auth.openai.com/api/accounts/deviceauth/usercode",
    tokenUrl: "https://auth.openai.com/api/accounts/deviceauth/token",
    verificationUrl: "https://auth.openai.com/codex/device",
    redirectUri: "https://auth.openai.com/deviceauth/callback",
  },
  accountClaim: { inside: "https://api.openai.com/auth", name: "chatgpt_account_id" },
  accountHeader: "chatgpt-account-id",
  backendUrl: "https://chatgpt.com/backend-api/codex",
};

describe("loginProvider()", () => {
  test.each(["openai", "https://api.openai.com/v1", "https://chatgpt.com/backend-api/codex"])(
    "knows %s by its public facts",
    (subject) => {
      expect(unwrap(loginProvider(subject, {}))).toEqual(REAL);
    },
  );

  test.each([
    "anthropic",
    "",
    "https://api.openai.com.example.org/v1",
    "http://api.openai.com/v1",
    "https://api.openai.com:8443/v1",
    "https://example.org/?https://api.openai.com",
  ])("has no login for %p", (subject) => {
    const { class: kind, message } = errorOf(loginProvider(subject, {}));
    expect([kind, message]).toEqual(["usage", `There is no login for "${subject}"`]);
  });

  test("goes to an issuer and a backend on loopback when a test asks for them", () => {
    const env = {
      BUDDY_LOGIN_ISSUER_OPENAI: "http://127.0.0.1:4000/",
      BUDDY_LOGIN_BACKEND_OPENAI: "http://localhost:5000/v1/",
    };
    const provider = unwrap(loginProvider("http://localhost:5000/v1", env));
    expect([provider.issuer, provider.tokenUrl, provider.redirectUri, provider.backendUrl]).toEqual([
      "http://127.0.0.1:4000",
      "http://127.0.0.1:4000/oauth/token",
      "http://localhost:0/auth/callback",
      "http://localhost:5000/v1",
    ]);
  });

  test.each([
    "https://example.org",
    "http://127.0.0.1.example.org",
    "http://127.0.0.1@example.org",
    "http://key@127.0.0.1",
    "http://localhost.example.org",
    "http://10.0.0.1",
    "file:///tmp/issuer",
    "127.0.0.1:80",
  ])("is not led astray by the issuer %s", (issuer) => {
    const env = { BUDDY_LOGIN_ISSUER_OPENAI: issuer };
    expect(unwrap(loginProvider("openai", env))).toEqual(REAL);
  });

  test("sends real tokens to the real backend, and test tokens never there", () => {
    const backend = { BUDDY_LOGIN_BACKEND_OPENAI: "http://127.0.0.1:5000" };
    expect(unwrap(loginProvider("openai", backend))).toEqual(REAL);
    const issuer = { BUDDY_LOGIN_ISSUER_OPENAI: "http://[::1]:4000" };
    expect(unwrap(loginProvider("openai", issuer)).backendUrl).toBe("http://[::1]:4000/backend-api/codex");
    const away = { ...issuer, BUDDY_LOGIN_BACKEND_OPENAI: "https://example.org" };
    expect(unwrap(loginProvider("openai", away)).backendUrl).toBe("http://[::1]:4000/backend-api/codex");
  });
});
