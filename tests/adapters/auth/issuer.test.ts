import { afterEach, describe, expect, test } from "bun:test";
import { askIssuer, issuerFailure } from "../../../adapters/auth/issuer.ts";
import { stall } from "../../fakes/auth-server.ts";
import { fakeHost } from "../../fakes/host.ts";
import { authServer, cleanUp, errorOf, unsignalled, unwrap } from "./login-fixture.ts";

afterEach(cleanUp);

const FORM = { type: "form", fields: { refresh_token: "refresh-secret" } } as const;

const serving = (response: () => Response | Promise<Response>) => authServer({ intercept: response });

describe("askIssuer()", () => {
  test("gives status and fields, whatever they are", async () => {
    const { url } = serving(() => Response.json({ error: "x" }, { status: 418 }));
    expect(unwrap(await askIssuer(fakeHost(), url, FORM, unsignalled()))).toEqual({
      status: 418,
      fields: { error: "x" },
    });
  });

  test.each(["<html>", "[1]", "null", ""])("takes %p for no fields", async (text) => {
    const { url } = serving(() => new Response(text));
    expect(unwrap(await askIssuer(fakeHost(), url, FORM, unsignalled())).fields).toEqual({});
  });

  test("follows no redirect", async () => {
    const other = authServer();
    const { url } = serving(() => Response.redirect(`${other.url}/oauth/token`, 307));
    const answer = unwrap(await askIssuer(fakeHost(), url, FORM, unsignalled()));
    expect([answer.status, other.asked]).toEqual([307, []]);
    expect(issuerFailure(url, answer, [], "").message).toContain("redirects are not followed");
  });

  test("reads no more than 1 MiB", async () => {
    const { url } = serving(() => new Response("x".repeat(2 * 1024 * 1024)));
    const why = errorOf(await askIssuer(fakeHost(), url, FORM, unsignalled()));
    expect(why).toEqual({ class: "model", message: `${new URL(url).host} answered with more than 1 MiB` });
  });

  test("waits 30 seconds and no longer", async () => {
    const host = fakeHost();
    const server = serving(stall);
    const asked = server.nextRequest("/");
    const answer = askIssuer(host, `${server.url}/`, FORM, unsignalled());
    await asked;
    host.advance(30_000);
    expect(errorOf(await answer)).toEqual({
      class: "model",
      message: `${new URL(server.url).host} did not answer within 30 seconds`,
      retryable: true,
    });
    expect(host.waiting()).toBe(0);
  });

  test("waits no longer for the end of an answer either", async () => {
    const host = fakeHost();
    const begun = Promise.withResolvers<void>();
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          controller.enqueue(new TextEncoder().encode("{"));
          begun.resolve();
          return new Promise(() => {});
        },
      });
    const { url } = serving(() => new Response(body()));
    const answer = askIssuer(host, url, FORM, unsignalled());
    await begun.promise;
    host.advance(30_000);
    expect(errorOf(await answer).message).toContain("did not answer within 30 seconds");
  });

  test("throws what it was aborted with, and leaves no timer", async () => {
    const host = fakeHost();
    const server = serving(stall);
    const abort = new AbortController();
    const asked = server.nextRequest("/");
    const answer = askIssuer(host, `${server.url}/`, FORM, abort.signal);
    await asked;
    abort.abort(new Error("enough"));
    await expect(answer).rejects.toThrow("enough");
    expect(host.waiting()).toBe(0);
  });

  test("says when nobody is there", async () => {
    const server = authServer();
    await server.stop();
    expect(errorOf(await askIssuer(fakeHost(), server.url, FORM, unsignalled()))).toEqual({
      class: "model",
      message: `Cannot reach ${new URL(server.url).host}: connection refused`,
      retryable: true,
    });
  });
});

describe("issuerFailure()", () => {
  const url = "https://auth.example.org/oauth/token";
  const failureOf = (status: number, fields: object) =>
    issuerFailure(url, { status, fields: { ...fields } }, ["secret/1+2"], "buddy login gpt");

  test.each([408, 429, 500, 503])("may be tried again after %d", (status) => {
    expect(failureOf(status, {})).toEqual({
      class: "model",
      message: `auth.example.org answered ${status}`,
      retryable: true,
      http_status: status,
    });
  });

  test("says what the issuer said, without the secrets it echoes", () => {
    const said = "secret/1+2 and secret%2F1%2B2 \u001b[31m\nare wrong";
    expect(failureOf(400, { error: "invalid_grant", error_description: said })).toEqual({
      class: "auth",
      message: "auth.example.org answered 400: invalid_grant: *** and *** are wrong",
      http_status: 400,
      hint: "buddy login gpt",
    });
    expect(failureOf(401, { error: { code: "reused", message: said } }).message).toBe(
      "auth.example.org answered 401: reused: *** and *** are wrong",
    );
  });
});
