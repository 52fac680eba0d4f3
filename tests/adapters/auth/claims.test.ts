import { expect, test } from "bun:test";
import { accountOf, claimsOf, expiryOf } from "../../../adapters/auth/claims.ts";
import { jwt } from "../../fakes/auth-server.ts";

const CLAIM = { inside: "https://api.openai.com/auth", name: "chatgpt_account_id" };

test.each([
  ["inside the object of the issuer", { [CLAIM.inside]: { chatgpt_account_id: "acc-1" } }, "acc-1"],
  ["at the top", { chatgpt_account_id: "acc-2" }, "acc-2"],
  ["nowhere", { sub: "x" }, undefined],
  ["of another type", { [CLAIM.inside]: { chatgpt_account_id: 7 } }, undefined],
  ["that would break a header", { chatgpt_account_id: "acc\r\nx-evil: 1" }, undefined],
])("accountOf() finds an account %s", (_where, claims, account) => {
  expect(accountOf(claimsOf(jwt(claims)), CLAIM)).toBe(account);
});

test.each([undefined, "", "opaque", "a.b.c", `a.${btoa("[1]")}.c`, `a.${btoa("null")}.c`])(
  "claimsOf() finds nothing in %p",
  (token) => {
    expect(claimsOf(token)).toEqual({});
  },
);

test("expiryOf() is in milliseconds, and unknown when it makes no sense", () => {
  expect(expiryOf({ exp: 1_700_000_000 })).toBe(1_700_000_000_000);
  expect([expiryOf({}), expiryOf({ exp: "soon" }), expiryOf({ exp: -1 })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
