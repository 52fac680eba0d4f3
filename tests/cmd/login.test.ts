import { describe, expect, test } from "bun:test";
import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { TEMPLATE } from "../../adapters/config/template.ts";
import { ACCOUNT_ID, EMAIL } from "../fakes/auth-server.ts";
import { AUTH_FILE, leaksIn, newIssuer, newLoginPlace, OLD_TOKEN, saveLogin } from "./login-place.ts";
import { errorLines, newPlace, runBuddy, startBuddy, USER_FILE } from "./run-buddy.ts";

const LOG_IN_AT = /^Log in at:\n(\S+)$/m;
const SAVED = `Logged in to OpenAI as ${EMAIL}\n`;

describe.concurrent("buddy login in the browser", () => {
  test("login prints the address, waits for the browser and keeps the login to itself", async () => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    const buddy = startBuddy(place, ["login"], { env: issuer.env });
    const [, url = ""] = await buddy.said(LOG_IN_AT);
    const page = await fetch(url);
    expect([page.status, (await page.text()).includes("You are signed in")]).toEqual([200, true]);
    const ran = await buddy.done;
    expect([ran.stdout, ran.code, ran.stderr]).toEqual([SAVED, 0, `Log in at:\n${url}\n`]);
    const saved: unknown = JSON.parse(ran.files[AUTH_FILE] ?? "{}");
    expect(saved).toMatchObject({ openai: { issuer: issuer.url, account_id: ACCOUNT_ID, email: EMAIL } });
    const modes = [AUTH_FILE, "home/.config/buddy"].map(
      (path) => statSync(join(place.root, path)).mode & 0o777,
    );
    expect(modes.map((mode) => mode.toString(8))).toEqual(["600", "700"]);
    expect(leaksIn(ran, issuer.secrets())).toEqual([]);
  });

  test("login asks with PKCE for exactly one redirect on this machine", async () => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    const buddy = startBuddy(place, ["login"], { env: issuer.env });
    const url = new URL((await buddy.said(LOG_IN_AT))[1] ?? "");
    await fetch(url);
    await buddy.done;
    expect(url.origin + url.pathname).toBe(`${issuer.url}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      redirect_uri: expect.stringMatching(/^http:\/\/localhost:\d+\/auth\/callback$/),
    });
    expect(issuer.forms.map(({ grant_type }) => grant_type)).toEqual(["authorization_code"]);
  });

  test("login for a profile that uses a key works, and says what is missing", async () => {
    await using issuer = newIssuer();
    using place = newPlace();
    const buddy = startBuddy(place, ["login", "gpt-codex"], { env: issuer.env });
    await fetch((await buddy.said(LOG_IN_AT))[1] ?? "");
    const ran = await buddy.done;
    expect([ran.stdout, ran.code, ran.files[USER_FILE]]).toEqual([SAVED, 0, TEMPLATE]);
    expect(ran.stderr).toEndWith(
      'buddy: warning: Profile "gpt-codex" uses a key: set auth = "login" in it\n',
    );
  });

  test.each([
    ["denies", "The sign-in was refused in the browser"],
    ["comes_back_with_another_state", "The browser came back from another sign-in"],
    ["comes_back_without_code", "The browser came back without a code"],
  ] as const)("login ends with 3 when the user %s, and saves nothing", async (user, said) => {
    await using issuer = newIssuer({ user });
    using place = newLoginPlace();
    const buddy = startBuddy(place, ["login"], { env: issuer.env });
    const page = await fetch((await buddy.said(LOG_IN_AT))[1] ?? "");
    const ran = await buddy.done;
    expect([page.status, ran.code, ran.stdout, AUTH_FILE in ran.files]).toEqual([400, 3, "", false]);
    expect(errorLines(ran)).toEqual([
      expect.stringContaining(`buddy: ${said}`),
      "hint: buddy login gpt-codex",
    ]);
  });

  test.each([
    ["SIGINT", 130, "buddy: Interrupted"],
    ["SIGTERM", 143, "buddy: Terminated"],
  ] as const)("login ends at once on %s and leaves nothing listening", async (signal, code, said) => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    const buddy = startBuddy(place, ["login"], { env: issuer.env });
    const url = new URL((await buddy.said(LOG_IN_AT))[1] ?? "");
    const signalledMs = performance.now();
    buddy.signal(signal);
    const ran = await buddy.done;
    expect([ran.code, ran.stdout, errorLines(ran)]).toEqual([code, "", [said]]);
    expect(performance.now() - signalledMs).toBeLessThan(2000);
    const redirect = new URL(url.searchParams.get("redirect_uri") ?? "");
    const listens = await fetch(`http://127.0.0.1:${redirect.port}/`).then(
      () => true,
      () => false,
    );
    expect(listens).toBe(false);
  });
});

describe.concurrent("buddy login --device", () => {
  test("login --device shows a code, waits for it and saves the login", async () => {
    await using issuer = newIssuer({ interval: 1 });
    using place = newLoginPlace();
    const buddy = startBuddy(place, ["login", "--device"], { env: issuer.env });
    const [, page, code] = await buddy.said(/^Open (\S+)\nand enter the code (\S+) within 15m$/m);
    expect([page, code]).toEqual([`${issuer.url}/codex/device`, "ABCD-1234"]);
    const ran = await buddy.done;
    expect([ran.stdout, ran.code, AUTH_FILE in ran.files]).toEqual([SAVED, 0, true]);
    expect(leaksIn(ran, issuer.secrets())).toEqual([]);
  });

  test("login --device ends with 3 when the user refuses", async () => {
    await using issuer = newIssuer({ interval: 1, polls: ["denied"] });
    using place = newLoginPlace();
    const ran = await runBuddy(place, ["login", "--device"], { env: issuer.env });
    expect([ran.code, ran.stdout, AUTH_FILE in ran.files]).toEqual([3, "", false]);
    expect(errorLines(ran)[0]).toBe("buddy: The sign-in was refused in the browser");
  });

  test("login --device says that the issuer cannot be reached", async () => {
    const issuer = newIssuer();
    await issuer.stop();
    using place = newLoginPlace();
    const ran = await runBuddy(place, ["login", "--device"], { env: issuer.env });
    expect([ran.code, ran.stdout]).toEqual([5, ""]);
    expect(errorLines(ran)[0]).toContain(`Cannot reach ${new URL(issuer.url).host}`);
  });
});

describe.concurrent("buddy login --check", () => {
  test("login --check says that there is a valid login, and asks nobody", async () => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    saveLogin(place, issuer);
    const ran = await runBuddy(place, ["login", "--check"], { env: issuer.env });
    expect([ran.code, ran.stderr, issuer.asked]).toEqual([0, "", []]);
    expect(ran.stdout).toMatch(/^The OpenAI login is valid; it is renewed by itself \(next in 59m\d\ds\)\n$/);
  });

  test("login --check ends with 3 when there is none", async () => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    const ran = await runBuddy(place, ["login", "--check"], { env: issuer.env });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      3,
      "",
      'buddy: There is no OpenAI login for profile "gpt-codex"\nhint: buddy login gpt-codex\n',
    ]);
  });

  test("login --check renews a login that has run out", async () => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    saveLogin(place, issuer, { expiresInMs: -1000 });
    const ran = await runBuddy(place, ["login", "--check"], { env: issuer.env });
    expect([ran.code, issuer.refreshes(), ran.files[AUTH_FILE]?.includes(OLD_TOKEN)]).toEqual([0, 1, false]);
    expect(ran.stdout).toStartWith("The OpenAI login is valid; ");
    expect(leaksIn(ran, issuer.secrets())).toEqual([]);
  });

  test("login --check ends with 3 when a login has run out for good, without showing it", async () => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    const refreshToken = "refresh-that-was-used-before";
    saveLogin(place, issuer, { expiresInMs: -1000, refreshToken });
    const ran = await runBuddy(place, ["login", "--check"], { env: issuer.env });
    expect([ran.code, ran.stdout]).toEqual([3, ""]);
    expect(errorLines(ran)).toEqual([
      expect.stringContaining("buddy: The OpenAI login is no longer valid: "),
      "hint: buddy login gpt-codex",
    ]);
    expect(leaksIn(ran, [refreshToken, OLD_TOKEN])).toEqual([]);
  });

  test("login --check repairs the mode of a file that others could read, and says so", async () => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    saveLogin(place, issuer);
    const path = join(place.root, AUTH_FILE);
    chmodSync(path, 0o644);
    const ran = await runBuddy(place, ["login", "--check"], { env: issuer.env });
    expect([ran.code, (statSync(path).mode & 0o777).toString(8)]).toEqual([0, "600"]);
    expect(ran.stderr).toContain(
      `buddy: warning: "${path}" was open to others (mode 0644): it is 0600 now\n`,
    );
  });

  test("login --check does not take the login of another issuer", async () => {
    await using issuer = newIssuer();
    await using other = newIssuer();
    using place = newLoginPlace();
    saveLogin(place, other);
    const ran = await runBuddy(place, ["login", "--check"], { env: issuer.env });
    expect([ran.code, issuer.asked, other.asked]).toEqual([3, [], []]);
  });
});

describe.concurrent("buddy logout", () => {
  test("logout forgets the login, and says when there was none", async () => {
    await using issuer = newIssuer();
    using place = newLoginPlace();
    saveLogin(place, issuer);
    const [first, second] = [
      await runBuddy(place, ["logout"], { env: issuer.env }),
      await runBuddy(place, ["logout", "gpt-codex"], { env: issuer.env }),
    ];
    expect([first.stdout, first.code, second.stdout, second.code]).toEqual([
      "Logged out of OpenAI\n",
      0,
      "There was no login for OpenAI\n",
      0,
    ]);
    expect(JSON.stringify(second.files)).not.toContain(OLD_TOKEN);
    expect((await runBuddy(place, ["login", "--check"], { env: issuer.env })).code).toBe(3);
  });
});

describe.concurrent("buddy login and logout", () => {
  test.each([
    [["claude"], 'Profile "claude": auth = "login" needs api = "responses"', ""],
    [["ollama"], 'Profile "ollama": auth = "login" needs api = "responses"', ""],
    [["far"], 'There is no login for "https://models.example.com/v1"', "login works with: openai; "],
    [["nobody"], 'There is no profile "nobody"', "the profiles are: gpt-codex, "],
    [["toString"], 'There is no profile "toString"', "the profiles are: "],
    [["gpt-codex", "claude"], "Give one profile", ""],
  ])("login and logout %j are usage errors", async (words, said, hint) => {
    using place = newPlace({
      [USER_FILE]: '[models.far]\napi_base_url = "https://models.example.com/v1"\napi = "responses"\n',
    });
    for (const command of ["login", "logout"]) {
      const ran = await runBuddy(place, [command, ...words]);
      expect([ran.code, ran.stdout]).toEqual([2, ""]);
      const [first, second = ""] = errorLines(ran);
      expect([first, second.startsWith(hint === "" ? "" : `hint: ${hint}`)]).toEqual([
        `buddy: ${said}`,
        true,
      ]);
    }
  });

  test("login without a home says that it has no place for it", async () => {
    await using issuer = newIssuer();
    using place = newPlace();
    const ran = await runBuddy(place, ["login"], { env: { ...issuer.env, HOME: undefined } });
    expect([ran.code, errorLines(ran)[0]]).toEqual([
      3,
      "buddy: A login needs a home directory to keep it in",
    ]);
  });

  test("login in a home that cannot hold it fails before anybody has signed in", async () => {
    await using issuer = newIssuer();
    using place = newPlace({ "home/.config": "in the way" });
    const ran = await runBuddy(place, ["login"], { env: issuer.env });
    expect([ran.code, ran.stdout, issuer.asked]).toEqual([3, "", []]);
    expect(errorLines(ran).at(-1)).not.toContain("Log in at");
  });
});
