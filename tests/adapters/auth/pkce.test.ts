import { expect, test } from "bun:test";
import { challengeOf, newPkce, newState, sameState } from "../../../adapters/auth/pkce.ts";

test("challengeOf() is S256: the example of RFC 7636, appendix B", () => {
  expect(challengeOf("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
});

test("newPkce() makes a verifier of legal characters and length, another each time", () => {
  const [one, two] = [newPkce(), newPkce()];
  expect(one.verifier).toMatch(/^[A-Za-z0-9_-]{43,128}$/);
  expect(one.challenge).toBe(challengeOf(one.verifier));
  expect(one.verifier).not.toBe(two.verifier);
});

test("sameState() tells a state from every other", () => {
  const state = newState();
  expect(state).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(sameState(state, state)).toBe(true);
  for (const other of [newState(), "", state.slice(1), `${state}x`])
    expect(sameState(state, other)).toBe(false);
});
