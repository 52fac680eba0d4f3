import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { currentLogin, type LoginDeps, type Renew } from "../../../adapters/auth/current-login.ts";
import { systemHost } from "../../../adapters/host/host.ts";
import { ACCOUNT_ID, type AuthScript, jwt, stall } from "../../fakes/auth-server.ts";
import { fakeHost, START_UNIX_MS } from "../../fakes/host.ts";
import {
  authServer,
  cleanUp,
  depsFor,
  errorOf,
  expectNoSecret,
  HOUR_LATER_MS,
  namesIn,
  savedText,
  saveLogin,
  unsignalled,
  unwrap,
} from "./login-fixture.ts";
import { startChildren } from "./start-children.ts";

afterEach(cleanUp);

const MINUTE_MS = 60_000;

function start(script: AuthScript = {}) {
  const server = authServer(script);
  const host = fakeHost();
  return { server, host, deps: depsFor(server, host) };
}

const current = (deps: LoginDeps, renew: Renew = "when_due", signal = unsignalled()) =>
  currentLogin(deps, { renew }, signal);

describe("currentLogin()", () => {
  test("gives a login that lasts as it is, and asks nobody", async () => {
    const { server, deps } = start();
    const saved = saveLogin(deps, server, { expires_at_ms: START_UNIX_MS + 5 * MINUTE_MS });
    expect(unwrap(await current(deps))).toEqual({
      accessToken: saved.access_token,
      accountId: "acc-of-yesterday",
      expiresAtMs: START_UNIX_MS + 5 * MINUTE_MS,
      warnings: [],
    });
    expect(server.asked).toEqual([]);
  });

  test.each([5 * MINUTE_MS - 1, 0, -MINUTE_MS])(
    "renews one that lasts %d ms more, and saves it",
    async (left) => {
      const { server, deps } = start();
      const saved = saveLogin(deps, server, { expires_at_ms: START_UNIX_MS + left });
      const login = unwrap(await current(deps));
      expect(login).toEqual({
        accessToken: expect.stringMatching(/^access-/),
        accountId: ACCOUNT_ID,
        expiresAtMs: HOUR_LATER_MS,
        warnings: [],
      });
      expect(login.accessToken).not.toBe(saved.access_token);
      expect(server.forms).toEqual([
        {
          grant_type: "refresh_token",
          client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
          refresh_token: saved.refresh_token ?? "",
        },
      ]);
      expect(unwrap(await current(deps))).toEqual(login);
      expect(server.refreshes()).toBe(1);
      expect(namesIn(dirname(deps.authPath))).toEqual(["auth.json"]);
    },
  );

  test("renews a login that was rejected, but only while it is the saved one", async () => {
    const { server, deps } = start();
    const saved = saveLogin(deps, server, { expires_at_ms: HOUR_LATER_MS });
    const renewed = unwrap(await current(deps, { rejected: saved.access_token }));
    expect(renewed.accessToken).not.toBe(saved.access_token);
    expect(unwrap(await current(deps, { rejected: saved.access_token }))).toEqual(renewed);
    expect(server.refreshes()).toBe(1);
  });

  test("keeps the refresh token and the account when the issuer sends none", async () => {
    const access_token = jwt({ exp: HOUR_LATER_MS / 1000 });
    const { server, deps } = start({ intercept: () => Response.json({ access_token, refresh_token: null }) });
    const saved = saveLogin(deps, server);
    expect(unwrap(await current(deps))).toEqual({
      accessToken: access_token,
      accountId: "acc-of-yesterday",
      expiresAtMs: Math.floor(HOUR_LATER_MS / 1000) * 1000 + (HOUR_LATER_MS % 1000),
      warnings: [],
    });
    expect(JSON.parse(savedText(deps)).openai.refresh_token).toBe(saved.refresh_token);
  });

  test.each([
    ["an hour when it does not say", { access_token: "opaque-token" }, HOUR_LATER_MS],
    ["what it says in words", { access_token: "opaque-token", expires_in: "3600" }, HOUR_LATER_MS],
    [
      "a year at most",
      { access_token: "opaque-token", expires_in: 1e300 },
      START_UNIX_MS + 366 * 1440 * MINUTE_MS,
    ],
  ])("takes a token to last %s", async (_how, fields, expiresAtMs) => {
    const { server, deps } = start({ intercept: () => Response.json(fields) });
    saveLogin(deps, server);
    expect(unwrap(await current(deps)).expiresAtMs).toBe(expiresAtMs);
  });

  test("asks to sign in when nobody has", async () => {
    const { deps } = start();
    expect(errorOf(await current(deps))).toEqual({
      class: "auth",
      message: 'There is no OpenAI login for profile "gpt"',
      hint: "buddy login gpt",
    });
  });

  test("sends no token to an issuer that it did not come from", async () => {
    const { server, deps } = start();
    saveLogin(deps, server, { issuer: "https://auth.openai.com" });
    expect(errorOf(await current(deps)).hint).toBe("buddy login gpt");
    expect(server.asked).toEqual([]);
  });

  test("asks to sign in again when the refresh token is worth nothing, and keeps the file", async () => {
    const { server, deps } = start();
    const saved = saveLogin(deps, server, { refresh_token: "refresh-of-last-year" });
    const before = savedText(deps);
    const why = errorOf(await current(deps));
    expect(why).toEqual({
      class: "auth",
      message: `The OpenAI login is no longer valid: ${new URL(server.url).host} answered 400: invalid_grant: bad grant: ***`,
      hint: "buddy login gpt",
    });
    expectNoSecret(why, ...server.secrets(), saved.refresh_token ?? "", saved.access_token);
    expect([savedText(deps), namesIn(dirname(deps.authPath))]).toEqual([before, ["auth.json"]]);
  });

  test("asks to sign in again when there is no refresh token", async () => {
    const { server, deps } = start();
    const { refresh_token, ...saved } = saveLogin(deps, server);
    writeFileSync(deps.authPath, JSON.stringify({ openai: saved }), { mode: 0o600 });
    expect(refresh_token).toBeDefined();
    expect(errorOf(await current(deps))).toMatchObject({ class: "auth", hint: "buddy login gpt" });
  });

  test.each([
    ["is not there", undefined],
    ["stumbles", () => new Response("oops", { status: 503 })],
  ])("may be tried again when the issuer %s", async (_what, answer) => {
    const { server, deps } = start({ intercept: () => answer?.() });
    const saved = saveLogin(deps, server, { expires_at_ms: START_UNIX_MS });
    if (answer === undefined) await server.stop();
    const why = errorOf(await current(deps));
    expect(why).toMatchObject({ class: "model", retryable: true });
    expectNoSecret(why, ...server.secrets(), saved.access_token);
  });

  test("lives on what is left of a login when the issuer is not there", async () => {
    const { server, deps } = start();
    const saved = saveLogin(deps, server, { expires_at_ms: START_UNIX_MS + MINUTE_MS });
    await server.stop();
    expect(unwrap(await current(deps)).accessToken).toBe(saved.access_token);
    expect(errorOf(await current(deps, { rejected: saved.access_token })).retryable).toBe(true);
  });

  test.each([{}, { access_token: "" }, { access_token: "a\r\nb" }, { access_token: 7 }])(
    "has no use for the tokens %j",
    async (fields) => {
      const { server, deps } = start({ intercept: () => Response.json(fields) });
      saveLogin(deps, server);
      const before = savedText(deps);
      expect(errorOf(await current(deps)).message).toContain("answered without a usable token");
      expect(savedText(deps)).toBe(before);
    },
  );

  test("says where a damaged file went, and what to do", async () => {
    const { deps } = start();
    mkdirSync(dirname(deps.authPath), { mode: 0o700 });
    writeFileSync(deps.authPath, '{"openai": {"access_token": "access-secret"', { mode: 0o600 });
    const why = errorOf(await current(deps));
    expect(why).toMatchObject({ class: "auth", hint: "buddy login gpt" });
    expect(why.message).toContain("it is kept as");
    expectNoSecret(why, "access-secret");
  });

  test("gives the renewed login also when it cannot be saved", async () => {
    const { server, deps } = start({
      intercept: () => {
        rmSync(dirname(deps.authPath), { recursive: true });
        writeFileSync(dirname(deps.authPath), "");
        return undefined;
      },
    });
    saveLogin(deps, server);
    const login = unwrap(await current(deps));
    expect(login.accessToken).toMatch(/^access-/);
    expect(login.warnings).toEqual([expect.stringContaining("the renewed login lasts for this run only")]);
    expectNoSecret(login.warnings, ...server.secrets());
  });

  test("lets go when cancelled, and still saves what the issuer answers afterwards", async () => {
    const answer = Promise.withResolvers<void>();
    const { server, deps } = start({ intercept: () => answer.promise.then(() => tokens) });
    const tokens = Response.json({ access_token: "access-too-late", expires_in: 3600 });
    saveLogin(deps, server);
    const abort = new AbortController();
    const asked = server.nextRequest("/oauth/token");
    const login = current(deps, "when_due", abort.signal);
    await asked;
    abort.abort(new Error("enough"));
    await expect(login).rejects.toThrow("enough");
    answer.resolve();
    const later = { ...deps, host: { ...systemHost, unixMs: () => START_UNIX_MS } };
    expect(unwrap(await current(later)).accessToken).toBe("access-too-late");
    expect(server.asked).toEqual(["/oauth/token"]);
  });

  test("stops waiting for another process's renewal when cancelled", async () => {
    const { server, deps } = start({ intercept: () => stall() });
    saveLogin(deps, server);
    const asked = server.nextRequest("/oauth/token");
    void current(deps);
    await asked;
    const abort = new AbortController();
    const second = current(deps, "when_due", abort.signal);
    abort.abort(new Error("enough"));
    await expect(second).rejects.toThrow("enough");
    await expect(current(deps, "when_due", AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  });

  test("is renewed once for calls side by side", async () => {
    const server = authServer();
    const deps = depsFor(server, systemHost);
    saveLogin(deps, server);
    const logins = await Promise.all(Array.from({ length: 8 }, () => current(deps)));
    expect(new Set(logins.map((login) => unwrap(login).accessToken)).size).toBe(1);
    expect(server.refreshes()).toBe(1);
  });

  test("is renewed once for eight processes", async () => {
    const server = authServer();
    const deps = depsFor(server, systemHost);
    saveLogin(deps, server);
    const children = await startChildren(8, "refresh-once.ts", [deps.authPath], server.env);
    const printed = await Promise.all(children.map((child) => child.go()));
    const expected = { ok: true, value: unwrap(await current(deps)) };
    expect(printed.map((text) => JSON.parse(text))).toEqual(Array.from({ length: 8 }, () => expected));
    expect(expected.value.accessToken).toMatch(/^access-(?!of)/);
    expect(server.refreshes()).toBe(1);
    expect(namesIn(dirname(deps.authPath))).toEqual(["auth.json"]);
  }, 60_000);
});
