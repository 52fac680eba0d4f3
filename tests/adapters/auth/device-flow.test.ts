import { afterEach, describe, expect, test } from "bun:test";
import { type DevicePrompt, deviceLogin } from "../../../adapters/auth/device-flow.ts";
import { ACCOUNT_ID, type AuthScript, EMAIL, type Poll, stall } from "../../fakes/auth-server.ts";
import { fakeHost, START_UNIX_MS } from "../../fakes/host.ts";
import {
  authServer,
  cleanUp,
  depsFor,
  errorOf,
  expectNoSecret,
  hurriedHost,
  unsignalled,
  unwrap,
} from "./login-fixture.ts";

afterEach(cleanUp);

const POLL_PATH = "/api/accounts/deviceauth/token";

function start(script: AuthScript) {
  const server = authServer(script);
  const host = hurriedHost();
  const prompts: DevicePrompt[] = [];
  const login = () => deviceLogin(depsFor(server, host), (prompt) => prompts.push(prompt), unsignalled());
  return { server, host, prompts, login };
}

describe("deviceLogin()", () => {
  test("shows address and code, polls at the interval, and redeems what it is granted", async () => {
    const { server, host, prompts, login } = start({
      interval: "3",
      polls: ["pending", "not_found", "granted"],
    });
    const { access_token, refresh_token, ...rest } = unwrap(await login());
    expect(rest).toEqual({
      issuer: server.url,
      account_id: ACCOUNT_ID,
      email: EMAIL,
      expires_at_ms: START_UNIX_MS + 9000 + 3_600_000,
    });
    expect(server.secrets()).toEqual(expect.arrayContaining([access_token, refresh_token]));
    expect(prompts).toEqual([
      { url: `${server.url}/codex/device`, userCode: "ABCD-1234", expiresInMs: 900_000 },
    ]);
    expect(host.waits).toEqual([3000, 3000, 3000]);
    expect(server.asked).toEqual([
      "/api/accounts/deviceauth/usercode",
      POLL_PATH,
      POLL_PATH,
      POLL_PATH,
      "/oauth/token",
    ]);
    expect(server.forms).toEqual([
      {
        grant_type: "authorization_code",
        client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
        code: expect.stringMatching(/^code-/),
        redirect_uri: `${server.url}/deviceauth/callback`,
        code_verifier: expect.stringMatching(/^verifier-/),
      },
    ]);
  });

  test("polls five seconds slower each time it is told to", async () => {
    const { host, login } = start({ interval: 2, polls: ["slow_down", "pending", "slow_down", "granted"] });
    unwrap(await login());
    expect(host.waits).toEqual([2000, 7000, 7000, 12_000]);
  });

  test.each([0, -1, "soon", 1e9, "", null])(
    "polls at five seconds when the interval is %p",
    async (interval) => {
      const { host, login } = start({
        intercept: (path) =>
          path.endsWith("usercode")
            ? Response.json({ device_auth_id: "device-1", user_code: "ABCD", interval })
            : undefined,
      });
      unwrap(await login());
      expect(host.waits).toEqual([5000]);
    },
  );

  test("does not give up when the issuer stumbles", async () => {
    const { host, login } = start({ polls: ["broken", "pending", "granted"] });
    unwrap(await login());
    expect(host.waits).toEqual([5000, 10_000, 10_000]);
  });

  test.each([
    ["denied", "The sign-in was refused in the browser", "buddy login gpt"],
    ["expired", "The code has expired: nobody signed in with it in time", "buddy login gpt --device"],
  ] as const satisfies readonly (readonly [Poll, string, string])[])(
    "fails clearly when it is %s",
    async (poll, message, hint) => {
      const { server, login } = start({ polls: ["pending", poll] });
      expect(errorOf(await login())).toEqual({ class: "auth", message, hint });
      expect(server.forms).toEqual([]);
    },
  );

  test("gives up after fifteen minutes", async () => {
    const { host, login } = start({ interval: 60, polls: ["pending"] });
    expect(errorOf(await login()).message).toBe("The code has expired: nobody signed in with it in time");
    expect(host.waits).toEqual(Array.from({ length: 14 }, () => 60_000));
  });

  test("says when the issuer has no device sign-in", async () => {
    const { prompts, login } = start({ intercept: () => new Response("", { status: 404 }) });
    const why = errorOf(await login());
    expect(why).toMatchObject({ class: "auth", hint: "try without --device: buddy login gpt" });
    expect(prompts).toEqual([]);
  });

  test.each([
    {},
    { device_auth_id: "device-1", user_code: "\u001b[2J" },
    { device_auth_id: "", user_code: "A" },
  ])("has no use for the device code %j", async (fields) => {
    const { prompts, login } = start({ intercept: () => Response.json(fields) });
    expect(errorOf(await login()).message).toContain("answered without a usable device code");
    expect(prompts).toEqual([]);
  });

  test("shows nothing secret when the issuer echoes what it was sent", async () => {
    const { server, login } = start({
      intercept: (path, form) =>
        path === POLL_PATH
          ? Response.json({ error: "odd", error_description: form.toString() }, { status: 400 })
          : undefined,
    });
    const why = errorOf(await login());
    expect(why.message).toContain("answered 400: odd");
    expectNoSecret(why, ...server.secrets());
  });

  test("can be cancelled between polls and during one", async () => {
    const between = authServer({ polls: ["pending"] });
    const host = fakeHost();
    const abort = new AbortController();
    const shown = Promise.withResolvers<void>();
    const login = deviceLogin(depsFor(between, host), () => shown.resolve(), abort.signal);
    await shown.promise;
    abort.abort(new Error("enough"));
    await expect(login).rejects.toThrow("enough");
    expect([host.waiting(), between.asked]).toEqual([0, ["/api/accounts/deviceauth/usercode"]]);

    const during = authServer({ intercept: (path) => (path === POLL_PATH ? stall() : undefined) });
    const abortDuring = new AbortController();
    const polled = during.nextRequest(POLL_PATH);
    const stalled = deviceLogin(depsFor(during, hurriedHost()), () => {}, abortDuring.signal);
    await polled;
    abortDuring.abort(new Error("enough"));
    await expect(stalled).rejects.toThrow("enough");
  });
});
