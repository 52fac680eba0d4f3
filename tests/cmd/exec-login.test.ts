import { describe, expect, test } from "bun:test";
import type { AuthServer } from "../fakes/auth-server.ts";
import { ACCOUNT_ID } from "../fakes/auth-server.ts";
import { type Backend, type BackendReply, calls, says, startBackend } from "../fakes/login-backend.ts";
import {
  AUTH_FILE,
  type GivenLogin,
  LOGIN_TOML,
  leaksIn,
  newIssuer,
  newLoginPlace,
  OLD_TOKEN,
  saveLogin,
} from "./login-place.ts";
import { errorLines, newPlace, runBuddy, USER_FILE } from "./run-buddy.ts";
import { savedRoles } from "./session-lines.ts";

const refused = (): Response => Response.json({ error: { message: "token expired" } }, { status: 401 });

type Script = readonly BackendReply[] | (() => BackendReply);

const envOf = (issuer: AuthServer, backend: Backend) => ({
  ...issuer.env,
  BUDDY_LOGIN_BACKEND_OPENAI: backend.url,
});

/** One run with a saved login against the fake issuer and the fake backend. */
async function execWith(script: Script, given: GivenLogin, args: readonly string[] = []) {
  await using issuer = newIssuer();
  await using backend = startBackend(script);
  using place = newLoginPlace();
  saveLogin(place, issuer, given);
  const ran = await runBuddy(place, ["exec", ...args, "hi"], { env: envOf(issuer, backend) });
  return {
    ...ran,
    sent: backend.requests,
    tokens: backend.requests.map(({ headers }) => headers.authorization?.replace("Bearer ", "")),
    refreshes: issuer.refreshes(),
    leaks: leaksIn(ran, [OLD_TOKEN, ...issuer.secrets()]),
    saved: ran.files[AUTH_FILE] ?? "",
  };
}

describe.concurrent('buddy exec with auth = "login"', () => {
  test("exec sends token and account to the backend, stores nothing there, and streams", async () => {
    const ran = await execWith([says("the answer")], {});
    expect([ran.stdout, ran.code, ran.refreshes, ran.leaks]).toEqual(["the answer\n", 0, 0, []]);
    expect(ran.sent.length).toBe(1);
    expect(ran.sent[0]).toMatchObject({
      path: "/backend/responses",
      headers: {
        authorization: `Bearer ${OLD_TOKEN}`,
        "chatgpt-account-id": "acc-of-yesterday",
        accept: "text/event-stream",
      },
      body: {
        model: "gpt-5.3-codex",
        store: false,
        stream: true,
        input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hi" }] }],
      },
    });
    expect(savedRoles(ran)).toEqual(["user", "assistant"]);
  });

  test("exec streams from the backend also where the profile says not to", async () => {
    await using issuer = newIssuer();
    await using backend = startBackend([says("ok")]);
    using place = newPlace({ [USER_FILE]: LOGIN_TOML.replace("\n\n", "\nstream = false\n\n") });
    saveLogin(place, issuer);
    const ran = await runBuddy(place, ["exec", "hi"], { env: envOf(issuer, backend) });
    expect([ran.stdout, backend.requests[0]?.body]).toMatchObject(["ok\n", { stream: true, store: false }]);
  });

  test("exec runs tools and gives the provider its sealed thoughts back, item for item", async () => {
    const asked = { command: "echo hi", risk: "low", mutation: false, privesc: false, why: "test" };
    const script = [calls("call_1", "run_shell", asked), says("done")];
    const ran = await execWith(script, {}, ["--approve", "all"]);
    expect([ran.stdout, ran.code, ran.leaks]).toEqual(["done\n", 0, []]);
    expect(ran.sent[1]?.body).toMatchObject({
      input: [
        { type: "message", role: "user" },
        { type: "reasoning", id: "rs_1", encrypted_content: "gAAAA-sealed" },
        { type: "function_call", call_id: "call_1", name: "run_shell" },
        { type: "function_call_output", call_id: "call_1", output: expect.stringContaining("hi\\n") },
      ],
    });
    expect(savedRoles(ran)).toEqual(["user", "assistant", "approval", "tool", "assistant"]);
  });

  test("exec renews the login once when the backend refuses it, and asks once more", async () => {
    const ran = await execWith([refused(), says("the answer")], {});
    expect([ran.stdout, ran.code, ran.refreshes, ran.leaks]).toEqual(["the answer\n", 0, 1, []]);
    expect(ran.tokens).toEqual([OLD_TOKEN, expect.stringMatching(/^access-[0-9a-f-]{36}$/)]);
    expect(ran.sent.map(({ headers }) => headers["chatgpt-account-id"])).toEqual([
      "acc-of-yesterday",
      ACCOUNT_ID,
    ]);
    expect([ran.saved.includes(OLD_TOKEN), ran.saved.includes(ran.tokens[1] ?? "none")]).toEqual([
      false,
      true,
    ]);
  });

  test("exec gives up with 3 when the backend refuses the renewed login too", async () => {
    const ran = await execWith(refused, {});
    expect([ran.stdout, ran.code, ran.refreshes, ran.tokens.length, ran.leaks]).toEqual(["", 3, 1, 2, []]);
    expect(errorLines(ran)[0]).toContain("answered 401: token expired");
  });

  test("exec renews a login that is about to run out before it sends anything", async () => {
    const ran = await execWith([says("ok")], { expiresInMs: 60_000 });
    expect([ran.stdout, ran.code, ran.refreshes, ran.tokens.includes(OLD_TOKEN)]).toEqual([
      "ok\n",
      0,
      1,
      false,
    ]);
    expect(ran.leaks).toEqual([]);
  });

  test("exec ends with 3, and sends nothing, when the login cannot be renewed", async () => {
    const ran = await execWith([], { expiresInMs: -1000, refreshToken: "refresh-that-was-used-before" });
    expect([ran.stdout, ran.code, ran.sent, ran.leaks]).toEqual(["", 3, [], []]);
    expect(errorLines(ran)).toEqual([
      expect.stringContaining("buddy: The OpenAI login is no longer valid: "),
      "hint: buddy login gpt-codex",
    ]);
  });

  test("exec ends with 3, and sends nothing, when nobody has logged in", async () => {
    await using issuer = newIssuer();
    await using backend = startBackend([]);
    using place = newLoginPlace();
    const env = {
      ...envOf(issuer, backend),
      OPENAI_API_KEY: "sk-0123456789",
      BUDDY_API_KEY: "sk-0123456789",
    };
    const ran = await runBuddy(place, ["exec", "hi"], { env });
    expect([ran.code, ran.stdout, ran.stderr, backend.requests]).toEqual([
      3,
      "",
      'buddy: There is no OpenAI login for profile "gpt-codex"\nhint: buddy login gpt-codex\n',
      [],
    ]);
  });

  test("exec never sends a login to an address that is given on the side", async () => {
    await using issuer = newIssuer();
    await using backend = startBackend([]);
    await using other = startBackend([]);
    using place = newLoginPlace();
    saveLogin(place, issuer);
    const args = ["exec", "-m", "gpt-codex", "--base-url", other.url, "hi"];
    const ran = await runBuddy(place, args, { env: envOf(issuer, backend) });
    expect([ran.code, other.requests, backend.requests]).toEqual([2, [], []]);
    expect(errorLines(ran)[0]).toBe(`buddy: There is no login for "${other.url}"`);
  });

  test("exec with a key sends that and no account, and no token", async () => {
    await using issuer = newIssuer();
    await using backend = startBackend([says("ok")]);
    using place = newPlace({
      [USER_FILE]: `[models.k]\napi = "responses"\napi_base_url = "${backend.url}"\napi_key = "k-123456"\n`,
    });
    saveLogin(place, issuer);
    const ran = await runBuddy(place, ["exec", "hi"], { env: issuer.env });
    const [{ headers } = { headers: {} }] = backend.requests;
    expect([ran.stdout, headers]).toMatchObject(["ok\n", { authorization: "Bearer k-123456" }]);
    expect(Object.keys(headers)).not.toContain("chatgpt-account-id");
  });
});

test("buddy models says that a profile uses a login", async () => {
  using place = newLoginPlace();
  const { stdout } = await runBuddy(place, ["models"]);
  expect(stdout).toMatch(/^\* gpt-codex\n(?: {4}.*\n){2} {4}key +login$/m);
});
