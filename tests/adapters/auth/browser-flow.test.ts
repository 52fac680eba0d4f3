import { afterEach, describe, expect, test } from "bun:test";
import { type BrowserUi, browserLogin } from "../../../adapters/auth/browser-flow.ts";
import { ACCOUNT_ID, type AuthScript, EMAIL, stall } from "../../fakes/auth-server.ts";
import { fakeHost } from "../../fakes/host.ts";
import {
  authServer,
  cleanUp,
  depsFor,
  errorOf,
  expectNoSecret,
  HOUR_LATER_MS,
  unsignalled,
  unwrap,
} from "./login-fixture.ts";

afterEach(cleanUp);

/** Where the issuer sends the browser. */
async function redirectOf(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "manual" });
  return response.headers.get("location") ?? "";
}

/** A user with a browser: opens the address, goes where it is sent, and sees a page. */
function browsing() {
  const page = Promise.withResolvers<Response>();
  const onUrl = (url: string) => {
    redirectOf(url)
      .then((location) => fetch(location))
      .then(page.resolve, page.reject);
  };
  return { ui: { onUrl } satisfies BrowserUi, page: page.promise };
}

function start(script: AuthScript = {}) {
  const server = authServer(script);
  const host = fakeHost();
  return { server, host, deps: depsFor(server, host) };
}

describe("browserLogin()", () => {
  test("signs in with code, PKCE and state", async () => {
    const { server, deps, host } = start();
    const { ui, page } = browsing();
    const login = unwrap(await browserLogin(deps, ui, unsignalled()));
    const { access_token, refresh_token, ...rest } = login;
    expect(rest).toEqual({
      issuer: server.url,
      account_id: ACCOUNT_ID,
      email: EMAIL,
      expires_at_ms: HOUR_LATER_MS,
    });
    expect(server.secrets()).toContain(access_token);
    expect(server.secrets()).toContain(refresh_token ?? "");
    const shown = await page;
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining("You are signed in")]);
    expect(host.waiting()).toBe(0);
  });

  test("asks with what the provider wants and redeems with the matching verifier", async () => {
    const { server, deps } = start();
    let asked = new URL("http://none");
    const { ui } = browsing();
    const watching = {
      onUrl: (url: string) => {
        asked = new URL(url);
        ui.onUrl(url);
      },
    };
    unwrap(await browserLogin(deps, watching, unsignalled()));
    const { state, code_challenge, redirect_uri, ...rest } = Object.fromEntries(asked.searchParams);
    expect(rest).toEqual({
      response_type: "code",
      client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
      scope: "openid profile email offline_access",
      code_challenge_method: "S256",
      id_token_add_organizations: "true",
      codex_cli_simplified_flow: "true",
      originator: "buddy",
    });
    expect(redirect_uri).toMatch(/^http:\/\/localhost:[1-9]\d*\/auth\/callback$/);
    expect([state?.length, code_challenge?.length]).toEqual([43, 43]);
    expect(server.forms).toEqual([
      {
        grant_type: "authorization_code",
        client_id: "app_EMoamEEZ73f0CkXaXp7hrann",
        code: expect.any(String),
        redirect_uri: redirect_uri ?? "",
        code_verifier: expect.any(String),
      },
    ]);
  });

  test.each([
    ["denies", "The sign-in was refused in the browser"],
    [
      "comes_back_with_another_state",
      "The browser came back from another sign-in: its state is not the one that was sent",
    ],
    ["comes_back_without_code", "The browser came back without a code"],
  ] as const)("fails clearly when the user %s", async (user, message) => {
    const { server, deps } = start({ user });
    const { ui, page } = browsing();
    const why = errorOf(await browserLogin(deps, ui, unsignalled()));
    expect(why).toEqual({ class: "auth", message, hint: "buddy login gpt" });
    expect(server.forms).toEqual([]);
    const shown = await page;
    expect(shown.status).toBe(400);
    expect(await shown.text()).toContain(message);
  });

  test("fails clearly when the code was used before", async () => {
    const { server, deps } = start();
    const replay = async (url: string) => {
      const location = await redirectOf(url);
      const code = new URL(location).searchParams.get("code") ?? "";
      await fetch(`${server.url}/oauth/token`, { method: "POST", body: new URLSearchParams({ code }) });
      await fetch(location);
    };
    const replayed: BrowserUi = { onUrl: (url) => void replay(url) };
    const why = errorOf(await browserLogin(deps, replayed, unsignalled()));
    expect(why).toMatchObject({ class: "auth", http_status: 400, hint: "buddy login gpt" });
    expect(why.message).toContain("The code of this sign-in was used before or has expired");
    expectNoSecret(why, ...server.secrets());
  });

  test.each([
    ["whole", (address: string) => address],
    ["in blanks", (address: string) => `  ${address}\n`],
    ["its query only", (address: string) => new URL(address).search],
    ["its query without the mark", (address: string) => new URL(address).search.slice(1)],
  ])("takes the pasted address, %s", async (_how, spelled) => {
    const { deps } = start();
    const location = Promise.withResolvers<string>();
    const problems: (string | undefined)[] = [];
    const ui: BrowserUi = {
      onUrl: (url) => {
        redirectOf(url).then(location.resolve, location.reject);
      },
      askPasted: async (problem) => {
        problems.push(problem);
        return problems.length === 1 ? "what?" : spelled(await location.promise);
      },
    };
    unwrap(await browserLogin(deps, ui, unsignalled()));
    expect(problems).toEqual([undefined, expect.stringContaining("That is not the address")]);
  });

  test("refuses a pasted address of another sign-in", async () => {
    const { server, deps } = start();
    const ui: BrowserUi = {
      onUrl: () => {},
      askPasted: async () => "http://localhost:1455/auth/callback?code=code-of-another&state=forged",
    };
    const why = errorOf(await browserLogin(deps, ui, unsignalled()));
    expect(why.message).toContain("came back from another sign-in");
    expect(server.asked).toEqual([]);
  });

  test("still waits for the browser when nothing can be pasted", async () => {
    const { deps } = start();
    const { ui } = browsing();
    unwrap(await browserLogin(deps, { ...ui, askPasted: async () => undefined }, unsignalled()));
  });

  test("ends the question for the pasted address when the browser came back", async () => {
    const { deps } = start();
    const { ui } = browsing();
    const ended = Promise.withResolvers<void>();
    const askPasted: NonNullable<BrowserUi["askPasted"]> = (_problem, signal) => {
      signal.addEventListener("abort", () => ended.resolve());
      return new Promise(() => {});
    };
    unwrap(await browserLogin(deps, { ...ui, askPasted }, unsignalled()));
    await ended.promise;
  });

  test("waits five minutes and no longer", async () => {
    const { deps, host } = start();
    const shown = Promise.withResolvers<void>();
    const login = browserLogin(deps, { onUrl: () => shown.resolve() }, unsignalled());
    await shown.promise;
    host.advance(299_999);
    expect(host.waiting()).toBe(1);
    host.advance(1);
    expect(errorOf(await login)).toEqual({
      class: "auth",
      message: "Nobody signed in within 5 minutes",
      hint: "buddy login gpt",
    });
  });

  test("can be cancelled while it waits for the user, and frees its port", async () => {
    const { deps, host } = start();
    const abort = new AbortController();
    const shown = Promise.withResolvers<string>();
    const login = browserLogin(deps, { onUrl: shown.resolve }, abort.signal);
    const redirect = new URL(await shown.promise).searchParams.get("redirect_uri") ?? "";
    abort.abort(new Error("enough"));
    await expect(login).rejects.toThrow("enough");
    await expect(fetch(redirect)).rejects.toThrow();
    expect(host.waiting()).toBe(0);
  });

  test("can be cancelled while it waits for the tokens, and tells the browser", async () => {
    const { server, deps } = start({ intercept: (path) => (path === "/oauth/token" ? stall() : undefined) });
    const { ui, page } = browsing();
    const abort = new AbortController();
    const asked = server.nextRequest("/oauth/token");
    const login = browserLogin(deps, ui, abort.signal);
    await asked;
    abort.abort(new Error("enough"));
    await expect(login).rejects.toThrow("enough");
    expect(await (await page).text()).toContain("The sign-in was cancelled");
  });

  test("does not wait for a connection that asks for nothing", async () => {
    const server = authServer();
    const clock = fakeHost();
    const wait = (ms: number, signal: AbortSignal) =>
      ms === 1000 ? Promise.resolve() : clock.wait(ms, signal);
    const shown = Promise.withResolvers<string>();
    const login = browserLogin(depsFor(server, { ...clock, wait }), { onUrl: shown.resolve }, unsignalled());
    const location = new URL(await redirectOf(await shown.promise));
    const closed = Promise.withResolvers<void>();
    const socket = { open: () => {}, data: () => {}, close: () => closed.resolve() };
    const silent = await Bun.connect({ hostname: "127.0.0.1", port: Number(location.port), socket });
    silent.write("GET /auth");
    await fetch(location);
    unwrap(await login);
    await closed.promise;
  });

  test("says when its port is taken", async () => {
    const { deps } = start();
    using other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const provider = { ...deps.provider, redirectUri: `http://localhost:${other.port}/auth/callback` };
    const why = errorOf(await browserLogin({ ...deps, provider }, { onUrl: () => {} }, unsignalled()));
    expect(why).toEqual({
      class: "auth",
      message: `Cannot listen on 127.0.0.1:${other.port}: another program uses this port`,
      hint: "end the other sign-in, or use: buddy login gpt --device",
    });
  });

  test("answers nothing but the redirect, and shows pages that load and run nothing", async () => {
    const { deps } = start({ user: "denies" });
    const shown = Promise.withResolvers<string>();
    const login = browserLogin(deps, { onUrl: shown.resolve }, unsignalled());
    const url = await shown.promise;
    const location = new URL(await redirectOf(url));
    expect((await fetch(`${location.origin}/favicon.ico`)).status).toBe(404);
    expect((await fetch(location, { method: "POST" })).status).toBe(404);
    location.searchParams.set("error", "server_error");
    location.searchParams.set("error_description", "<script>alert(1)</script>");
    const page = await fetch(location);
    expect(page.headers.get("content-security-policy")).toStartWith("default-src 'none'");
    expect(await page.text()).not.toMatch(/<script|https?:|src=/);
    expect(errorOf(await login).message).toBe(
      "OpenAI ended the sign-in: server_error: <script>alert(1)</script>",
    );
  });
});
