import { describe, expect, test } from "bun:test";
import { judgeUrl } from "../../core/policy/urls.ts";
import { rulesOf, SSRF_ROWS } from "../fakes/ssrf-rows.ts";

// The rows whose verdict is in the URL itself. All rows, names and redirects included, run through the transport in
// tests/adapters/web-corpus.test.ts.

const literal = SSRF_ROWS.filter(
  ({ context, expected }) =>
    expected === "allow" ||
    (!context.redirects && !context.behaviour && Object.keys(context.dns ?? {}).length === 0),
);

describe("judgeUrl() on the corpus", () => {
  test.each(literal.map((row) => [`${row.id}: ${row.why}`, row] as const))("%s", (_name, row) => {
    const verdict = judgeUrl(row.input, rulesOf(row));
    expect(verdict.type).toBe(row.expected === "allow" ? "allowed" : "denied");
  });
});
