import type { Host } from "../../core/ports/host.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { errnoOf, reasonOf } from "../host/errno.ts";
import { type LoginPage, NOT_FOUND, pageResponse } from "./login-page.ts";

export type RedirectListener = {
  /** As given, with the port that was chosen. */
  readonly redirectUri: string;
  /** The query of the first request to the redirect's path. */
  readonly arrived: Promise<URLSearchParams>;
  /** Shows the page to every browser that came back, and stops listening. */
  readonly close: (page: LoginPage) => Promise<void>;
};

/** Enough for a page to leave; a connection that never asks for anything is not waited for. */
const GRACE_MS = 1000;

/** Waits for the browser to come back to the redirect URI, on this machine's loopback address only. */
export function listenForRedirect(host: Host, redirectUri: string): Result<RedirectListener, string> {
  const wanted = new URL(redirectUri);
  const arrival = Promise.withResolvers<URLSearchParams>();
  const outcome = Promise.withResolvers<LoginPage>();
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    if (request.method !== "GET" || url.pathname !== wanted.pathname) return pageResponse(NOT_FOUND);
    arrival.resolve(url.searchParams);
    return pageResponse(await outcome.promise);
  };
  try {
    // The browser waits for its page as long as the tokens take: longer than the default of ten seconds.
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: Number(wanted.port),
      idleTimeout: 60,
      maxRequestBodySize: 1024,
      fetch: answer,
    });
    wanted.port = String(server.port);
    return ok({
      redirectUri: wanted.href,
      arrived: arrival.promise,
      close: async (page) => {
        outcome.resolve(page);
        const stopped = new AbortController();
        await Promise.race([server.stop(), host.wait(GRACE_MS, stopped.signal)]);
        stopped.abort();
        await server.stop(true);
      },
    });
  } catch (error) {
    const why = errnoOf(error) === "EADDRINUSE" ? "another program uses this port" : reasonOf(error);
    return err(`Cannot listen on 127.0.0.1:${wanted.port}: ${why}`);
  }
}
