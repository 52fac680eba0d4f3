import { chmodSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AuthScript, type AuthServer, startAuthServer } from "../fakes/auth-server.ts";
import { newPlace, type Place, USER_FILE } from "./run-buddy.ts";

export const AUTH_FILE = "home/.config/buddy/auth.json";

export const LOGIN_TOML = '[models.gpt-codex]\nauth = "login"\n\n[network]\nretries = 0\n';

/** A home whose first profile uses a login, as private as buddy would have made it. */
export function newLoginPlace(): Place {
  const place = newPlace({ [USER_FILE]: LOGIN_TOML });
  chmodSync(dirname(join(place.root, USER_FILE)), 0o700);
  return place;
}

/** A fake issuer that ends with the scope. */
export function newIssuer(script: AuthScript = {}): AuthServer & AsyncDisposable {
  const server = startAuthServer(script);
  return { ...server, [Symbol.asyncDispose]: server.stop };
}

export type GivenLogin = {
  readonly expiresInMs?: number;
  readonly refreshToken?: string;
};

export const OLD_TOKEN = "access-of-yesterday";

/** A login that was saved by an earlier run. */
export function saveLogin(place: Place, issuer: AuthServer, given: GivenLogin = {}): void {
  const login = {
    issuer: issuer.url,
    access_token: OLD_TOKEN,
    refresh_token: given.refreshToken ?? issuer.newRefreshToken(),
    account_id: "acc-of-yesterday",
    expires_at_ms: Date.now() + (given.expiresInMs ?? 3_600_000),
  };
  const text = JSON.stringify({ openai: login });
  writeFileSync(join(place.root, AUTH_FILE), text, { mode: 0o600 });
}

/** Places below the root, other than the login file, where one of the secrets stands; streams included. */
export function leaksIn(
  ran: { readonly stdout: string; readonly stderr: string; readonly files: Readonly<Record<string, string>> },
  secrets: readonly string[],
): readonly string[] {
  const { stdout, stderr, files } = ran;
  return Object.entries({ stdout, stderr, ...files })
    .filter(([path, text]) => path !== AUTH_FILE && secrets.some((secret) => text.includes(secret)))
    .map(([path]) => path);
}
