// An OAuth issuer on loopback with the endpoints that OpenAI's has. Written from the public protocol (RFC 6749, 7636, 8628).
import { createHash, randomUUID } from "node:crypto";

export type Poll = "pending" | "not_found" | "slow_down" | "expired" | "denied" | "broken" | "granted";

export type AuthScript = {
  /** What the user does on the authorization page. */
  readonly user?: "approves" | "denies" | "comes_back_with_another_state" | "comes_back_without_code";
  /** Answers to the polls of the device flow, in order; the last one stays. */
  readonly polls?: readonly Poll[];
  readonly interval?: number | string;
  readonly expiresInS?: number;
  /** Comes before the honest answer of `/oauth/token` and the device endpoints; undefined leaves it to that. */
  readonly intercept?: (path: string, form: URLSearchParams) => Response | Promise<Response> | undefined;
};

export type AuthServer = {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  /** Paths, in the order in which they were asked for. */
  readonly asked: readonly string[];
  /** Bodies of `/oauth/token`. */
  readonly forms: readonly Readonly<Record<string, string>>[];
  /** Settles when the path is asked for next. */
  readonly nextRequest: (path: string) => Promise<void>;
  readonly refreshes: () => number;
  /** A refresh token that is good for one use. */
  readonly newRefreshToken: () => string;
  /** Everything issued that no message may show. */
  readonly secrets: () => readonly string[];
  readonly stop: () => Promise<void>;
};

export const ACCOUNT_ID = "acc-123";
export const EMAIL = "ada@example.org";

/** A token whose claims can be read, as those of the real issuer. */
export const jwt = (claims: object): string =>
  [{ alg: "none" }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".") +
  `.${randomUUID()}`;

/** Never answers: for time limits and cancellation. */
export const stall = (): Promise<Response> => new Promise(() => {});

export function startAuthServer(script: AuthScript = {}): AuthServer {
  const asked: string[] = [];
  const forms: Record<string, string>[] = [];
  const issued = new Set<string>();
  const codes = new Map<string, { readonly challenge: string; readonly redirectUri: string }>();
  const refreshTokens = new Set<string>();
  const waiting: { readonly path: string; readonly resolve: () => void }[] = [];
  let refreshes = 0;
  let polls = 0;

  const secret = (kind: string): string => {
    const made = `${kind}-${randomUUID()}`;
    issued.add(made);
    return made;
  };

  const authorize = (query: URLSearchParams): Response => {
    const redirectUri = query.get("redirect_uri") ?? "";
    const back = new URL(redirectUri);
    const user = script.user ?? "approves";
    back.searchParams.set("state", user.includes("another") ? "forged" : (query.get("state") ?? ""));
    if (user === "denies") back.searchParams.set("error", "access_denied");
    else if (user !== "comes_back_without_code") {
      const code = secret("code");
      codes.set(code, { challenge: query.get("code_challenge") ?? "", redirectUri });
      back.searchParams.set("code", code);
    }
    return Response.redirect(back.href, 302);
  };

  const tokens = (): Response => {
    const refresh_token = secret("refresh");
    refreshTokens.add(refresh_token);
    const access_token = secret("access");
    const id_token = jwt({
      email: EMAIL,
      "https://api.openai.com/auth": { chatgpt_account_id: ACCOUNT_ID },
    });
    issued.add(id_token);
    const expires_in = script.expiresInS ?? 3600;
    return Response.json({ access_token, refresh_token, id_token, expires_in, token_type: "Bearer" });
  };

  /** Echoes what it was sent, as careless servers do. */
  const refuse = (code: string, echo: string): Response =>
    Response.json({ error: code, error_description: `bad grant: ${echo}` }, { status: 400 });

  const token = (form: URLSearchParams): Response => {
    if (form.get("grant_type") === "refresh_token") {
      const given = form.get("refresh_token") ?? "";
      refreshes++;
      return refreshTokens.delete(given) ? tokens() : refuse("invalid_grant", given);
    }
    const code = form.get("code") ?? "";
    const known = codes.get(code);
    codes.delete(code);
    const verifier = form.get("code_verifier") ?? "";
    if (verifier !== "") issued.add(verifier);
    if (known === undefined || known.redirectUri !== form.get("redirect_uri"))
      return refuse("invalid_grant", code);
    if (known.challenge !== createHash("sha256").update(verifier).digest("base64url"))
      return refuse("invalid_grant", verifier);
    return tokens();
  };

  const userCode = (): Response =>
    Response.json({
      device_auth_id: secret("device"),
      user_code: "ABCD-1234",
      interval: script.interval ?? "5",
    });

  const poll = (): Response => {
    const list = script.polls ?? ["granted"];
    switch (list[Math.min(polls++, list.length - 1)] ?? "granted") {
      case "pending":
        return Response.json({ error: { code: "deviceauth_authorization_unknown" } }, { status: 403 });
      case "not_found":
        return new Response("not found", { status: 404 });
      case "slow_down":
        return Response.json({ error: "slow_down" }, { status: 400 });
      case "expired":
        return Response.json({ error: "expired_token" }, { status: 400 });
      case "denied":
        return Response.json({ error: "access_denied" }, { status: 400 });
      case "broken":
        return new Response("oops", { status: 502 });
      case "granted": {
        const [authorization_code, code_verifier] = [secret("code"), secret("verifier")];
        const challenge = createHash("sha256").update(code_verifier).digest("base64url");
        codes.set(authorization_code, { challenge, redirectUri: `${url}/deviceauth/callback` });
        return Response.json({ authorization_code, code_challenge: challenge, code_verifier });
      }
    }
  };

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { pathname, searchParams } = new URL(request.url);
      const text = await request.text();
      asked.push(pathname);
      for (const waiter of waiting.filter(({ path }) => path === pathname)) waiter.resolve();
      const form = new URLSearchParams(text);
      if (pathname === "/oauth/token") forms.push(Object.fromEntries(form));
      const scripted = script.intercept?.(pathname, form);
      if (scripted !== undefined) return scripted;
      if (pathname === "/oauth/authorize") return authorize(searchParams);
      if (pathname === "/oauth/token") return token(form);
      if (pathname === "/api/accounts/deviceauth/usercode") return userCode();
      if (pathname === "/api/accounts/deviceauth/token") return poll();
      return new Response(`the issuer has no ${pathname}`, { status: 418 });
    },
  });
  const url = `http://127.0.0.1:${server.port}`;

  return {
    url,
    env: { BUDDY_LOGIN_ISSUER_OPENAI: url },
    asked,
    forms,
    nextRequest: (path) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ path, resolve });
      return promise;
    },
    refreshes: () => refreshes,
    newRefreshToken: () => {
      const made = secret("refresh");
      refreshTokens.add(made);
      return made;
    },
    secrets: () => [...issued],
    stop: () => server.stop(true),
  };
}
