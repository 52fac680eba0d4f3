import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { currentLogin } from "../../../adapters/auth/current-login.ts";
import { savedAccount, signIn, signOut } from "../../../adapters/auth/login.ts";
import { ACCOUNT_ID, EMAIL } from "../../fakes/auth-server.ts";
import { START_UNIX_MS } from "../../fakes/host.ts";
import {
  authServer,
  cleanUp,
  depsFor,
  errorOf,
  expectNoSecret,
  hurriedHost,
  modeOf,
  namesIn,
  unsignalled,
  unwrap,
} from "./login-fixture.ts";

afterEach(cleanUp);

const device = { type: "device", onCode: () => {} } as const;
const EXPIRES_AT_MS = START_UNIX_MS + 5000 + 3_600_000;

function start() {
  const server = authServer();
  return { server, deps: depsFor(server, hurriedHost()) };
}

describe("signIn()", () => {
  test("saves the login privately, for every profile of the provider, and shows no token", async () => {
    const { server, deps } = start();
    const account = unwrap(await signIn(deps, device, unsignalled()));
    expect(account).toEqual({
      email: EMAIL,
      accountId: ACCOUNT_ID,
      expiresAtMs: EXPIRES_AT_MS,
      warnings: [],
    });
    expectNoSecret(account, ...server.secrets());
    expect([modeOf(deps.authPath), modeOf(dirname(deps.authPath)), namesIn(dirname(deps.authPath))]).toEqual([
      "600",
      "700",
      ["auth.json"],
    ]);
    expect(unwrap(savedAccount({ ...deps, profile: "another" }))).toEqual(account);
    const login = unwrap(await currentLogin(deps, { renew: "when_due" }, unsignalled()));
    expect(server.secrets()).toContain(login.accessToken);
  });

  test("works in the browser", async () => {
    const deps = depsFor(authServer());
    const onUrl = (url: string) => {
      void fetch(url).then((page) => page.text());
    };
    expect(unwrap(await signIn(deps, { type: "browser", onUrl }, unsignalled())).email).toBe(EMAIL);
  });

  test("says what it repaired and kept aside", async () => {
    const { deps } = start();
    mkdirSync(dirname(deps.authPath), { mode: 0o755 });
    writeFileSync(deps.authPath, "damaged", { mode: 0o600 });
    expect(unwrap(await signIn(deps, device, unsignalled())).warnings).toEqual([
      expect.stringContaining("was open to others (mode 0755)"),
      expect.stringContaining("were damaged: it is kept as"),
    ]);
  });

  test("asks nobody when the login could not be saved", async () => {
    const { server, deps } = start();
    writeFileSync(dirname(deps.authPath), "");
    expect(errorOf(await signIn(deps, device, unsignalled())).class).toBe("auth");
    expect(server.asked).toEqual([]);
  });
});

describe("signOut()", () => {
  test("forgets the login", async () => {
    const { deps } = start();
    unwrap(await signIn(deps, device, unsignalled()));
    expect(unwrap(await signOut(deps, unsignalled()))).toBe("signed_out");
    expect([unwrap(savedAccount(deps)), namesIn(dirname(deps.authPath))]).toEqual([undefined, []]);
  });

  test("makes nothing when there is nothing to forget", async () => {
    const { deps } = start();
    expect(unwrap(await signOut(deps, unsignalled()))).toBe("not_signed_in");
    expect(namesIn(dirname(dirname(deps.authPath)))).toEqual([]);
  });
});
