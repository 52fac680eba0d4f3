import { expect } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { authFile, type SavedLogin } from "../../../adapters/auth/auth-file.ts";
import type { LoginDeps } from "../../../adapters/auth/current-login.ts";
import { loginProvider } from "../../../adapters/auth/providers.ts";
import type { Host } from "../../../core/ports/host.ts";
import type { Result } from "../../../core/result.ts";
import { type AuthScript, type AuthServer, startAuthServer } from "../../fakes/auth-server.ts";
import { fakeHost, START_UNIX_MS } from "../../fakes/host.ts";

const cleanups: (() => unknown)[] = [];

/** For `afterEach`: stops the servers and removes the directories of the test. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0)) await cleanup();
}

export const unsignalled = (): AbortSignal => new AbortController().signal;

export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "buddy-auth-"));
  cleanups.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function authServer(script: AuthScript = {}): AuthServer {
  const server = startAuthServer(script);
  cleanups.push(server.stop);
  return server;
}

/** Everything a login needs, against the fake issuer, in a directory of its own. */
export function depsFor(server: AuthServer, host: Host = fakeHost()): LoginDeps {
  return {
    host,
    provider: unwrap(loginProvider("openai", server.env)),
    profile: "gpt",
    authPath: join(freshDirectory(), "buddy", "auth.json"),
  };
}

/** A login as it is after signing in, good for one refresh, saved. */
export function saveLogin(deps: LoginDeps, server: AuthServer, login: Partial<SavedLogin> = {}): SavedLogin {
  const saved = {
    issuer: server.url,
    access_token: "access-of-yesterday",
    refresh_token: server.newRefreshToken(),
    account_id: "acc-of-yesterday",
    expires_at_ms: deps.host.unixMs() + 1000,
    ...login,
  };
  unwrap(authFile(deps.host, deps.authPath).write("openai", saved));
  return saved;
}

export const HOUR_LATER_MS = START_UNIX_MS + 3_600_000;

export const savedText = (deps: LoginDeps): string => readFileSync(deps.authPath, "utf8");

export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

export const namesIn = (directory: string): readonly string[] => readdirSync(directory).sort();

export function unwrap<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`expected a value: ${JSON.stringify(result.error)}`);
  return result.value;
}

export function errorOf<E>(result: Result<unknown, E>): E {
  if (result.ok) throw new Error("expected a failure");
  return result.error;
}

/** Every word of it may be shown to anybody. */
export function expectNoSecret(shown: unknown, ...secrets: readonly string[]): void {
  const text = typeof shown === "string" ? shown : JSON.stringify(shown);
  for (const secret of secrets) {
    expect(secret.length).toBeGreaterThan(8);
    expect(text).not.toContain(secret);
  }
}

/** Time flies: a wait is noted and over at once, the limits of requests excepted. */
export function hurriedHost(): Host & { readonly waits: readonly number[] } {
  const clock = fakeHost();
  const waits: number[] = [];
  const wait = async (ms: number, signal: AbortSignal) => {
    if (ms === 30_000) return clock.wait(ms, signal);
    signal.throwIfAborted();
    waits.push(ms);
    clock.advance(ms);
  };
  return { ...clock, wait, waits };
}
