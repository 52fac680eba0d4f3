import type { Config } from "../core/config/schema.ts";
import type { UrlRules } from "../core/policy/urls.ts";
import type { Web } from "../core/ports/web.ts";
import { err } from "../core/result.ts";
import type { WebSwitches } from "../core/tools/index.ts";
import { authorities } from "./authorities.ts";
import type { Invocation } from "./command.ts";
import { VERSION } from "./version.ts";

export type WiredWeb = { readonly web: WebSwitches; readonly urls: UrlRules };

/** The web under the user's rules. Most runs never go there: it is loaded by the first call that does. */
export function wireWeb({ tools, network }: Config, env: Invocation["env"]): WiredWeb {
  const searchEndpoint = tools.search_enabled ? tools.search_endpoint : undefined;
  const urls: UrlRules = {
    // In the file an empty list is the default: no list.
    allowedDomains: tools.fetch_allowed_domains.length > 0 ? tools.fetch_allowed_domains : undefined,
    blockedDomains: tools.fetch_blocked_domains,
    ...(searchEndpoint === undefined ? {} : { searchEndpoint }),
  };
  const open = async (): Promise<Web> => {
    const { httpWeb } = await import("../adapters/web/web.ts");
    const ca = authorities(network.ca_file);
    if (!ca.ok) return closedWeb(ca.error.message);
    const userAgent = `Mozilla/5.0 (compatible; buddy/${VERSION})`;
    return httpWeb({ rules: urls, userAgent, proxy: { proxy: network.proxy, env }, ca: ca.value });
  };
  return { urls, web: { web: openedOnce(open), fetch: tools.fetch_enabled, searchEndpoint } };
}

function openedOnce(open: () => Promise<Web>): Web {
  let opened: Promise<Web> | undefined;
  const web = () => {
    opened ??= open();
    return opened;
  };
  return {
    fetch: async (request, signal) => (await web()).fetch(request, signal),
    search: async (request, signal) => (await web()).search(request, signal),
  };
}

function closedWeb(detail: string): Web {
  const failed = async () => err({ kind: "unreachable", detail } as const);
  return { fetch: failed, search: failed };
}
