import type { UrlRules } from "../../core/policy/urls.ts";
import type { Web } from "../../core/ports/web.ts";
import { err, ok } from "../../core/result.ts";
import { directHop } from "./direct-hop.ts";
import type { Hop } from "./hop.ts";
import { pageOf, textOf } from "./page.ts";
import { type ProxySettings, proxyFor } from "./proxy.ts";
import { proxyHop } from "./proxy-hop.ts";
import { type Resolver, systemResolver } from "./resolve.ts";
import { searchAnswer } from "./search-page.ts";
import { type Transport, transport } from "./transport.ts";

export type WebSettings = {
  readonly rules: UrlRules;
  readonly userAgent: string;
  readonly proxy: ProxySettings;
  /** Further certificate authorities, PEM. */
  readonly ca: string | undefined;
};

const TIMEOUT_MS = 20_000;
const MAX_BYTES = 10 * 1024 * 1024;

/** The web as it is: one transport for pages and searches. */
export const httpWeb = (settings: WebSettings, resolve: Resolver = systemResolver): Web =>
  webOver(
    transport({
      rules: settings.rules,
      userAgent: settings.userAgent,
      resolve,
      hopTo: hops(settings),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
    }),
  );

const hops =
  ({ proxy, ca }: Pick<WebSettings, "proxy" | "ca">) =>
  (url: string): Hop => {
    const via = proxyFor(url, proxy);
    return via === undefined ? directHop({ ca }) : proxyHop({ proxy: via, ca });
  };

export const webOver = (get: Transport): Web => ({
  fetch: async ({ url, format }, signal) => {
    const fetched = await get(url, signal);
    return fetched.ok ? ok(await pageOf(fetched.value, format)) : fetched;
  },
  search: async ({ url, limit }, signal) => {
    const fetched = await get(url, signal);
    if (!fetched.ok) return fetched;
    const html = textOf(fetched.value, "text/html") ?? "";
    const answer = await searchAnswer({ ...fetched.value, html }, limit);
    const { status } = fetched.value;
    if (answer.type !== "changed_layout" || status < 400) return ok(answer);
    return err({ kind: "unreadable", detail: `The search engine answered with status ${status}` });
  },
});
