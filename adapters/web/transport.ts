import { judgeAddress } from "../../core/policy/addresses.ts";
import { isBlockedBy } from "../../core/policy/domains.ts";
import { judgeUrl, type UrlRules, type UrlVerdict } from "../../core/policy/urls.ts";
import type { WebFailure } from "../../core/ports/web.ts";
import { err, ok, type Result } from "../../core/result.ts";
import type { Hop, HopResponse } from "./hop.ts";
import { readBody } from "./read-body.ts";
import type { Resolver } from "./resolve.ts";

export type TransportSettings = {
  readonly rules: UrlRules;
  readonly resolve: Resolver;
  /** How a URL is reached: straight, or through a proxy. */
  readonly hopTo: (url: string) => Hop;
  readonly userAgent: string;
  /** For everything together: names, redirects, the body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
};

export type Fetched = {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly cut: boolean;
};

/** GET under the rules for URLs. Throws only when aborted. */
export type Transport = (url: string, signal: AbortSignal) => Promise<Result<Fetched, WebFailure>>;

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export const transport =
  (settings: TransportSettings): Transport =>
  async (url, signal) => {
    const deadline = AbortSignal.timeout(settings.timeoutMs);
    const either = AbortSignal.any([signal, deadline]);
    // Whatever a server does to a connection, the time for everything holds.
    const fetched = await orAborted(follow(settings, url, either), either).catch((error) =>
      unreachable(url, error),
    );
    signal.throwIfAborted();
    // A body that the deadline cut off ends as if it were whole.
    if (!deadline.aborted) return fetched;
    return err({
      kind: "timed_out",
      detail: `No answer in time: it took more than ${settings.timeoutMs / 1000} s`,
    });
  };

function unreachable(url: string, error: unknown): Result<never, WebFailure> {
  const why = error instanceof Error ? error.message : String(error);
  return err({ kind: "unreachable", detail: `Cannot reach "${new URL(url).host}": ${why}` });
}

const brokenOff = (url: string): Result<never, WebFailure> =>
  err({ kind: "unreachable", detail: `The answer of "${new URL(url).host}" broke off before its end` });

/** Each place on the way is judged from the top. */
async function follow(
  settings: TransportSettings,
  start: string,
  signal: AbortSignal,
): Promise<Result<Fetched, WebFailure>> {
  let url = start;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await visit(settings, url, signal);
    if (!response.ok) return redirects === 0 ? response : err(afterRedirect(response.error, start));
    const location = response.value.header("location");
    if (!REDIRECTS.has(response.value.status) || location === undefined) {
      return finished(settings, response.value);
    }
    response.value.close();
    const next = headerText(location);
    if (!URL.canParse(next, url)) {
      return err({ kind: "unreadable", detail: `"${start}" redirects to what is no URL` });
    }
    url = new URL(next, url).href;
  }
  return err({ kind: "redirects", detail: `"${start}" redirects more than ${MAX_REDIRECTS} times` });
}

/** Headers come letter by letter; addresses with other letters than ASCII are sent as UTF-8. */
function headerText(header: string): string {
  const decoded = Buffer.from(header, "latin1").toString("utf8");
  return decoded.includes("\ufffd") ? header : decoded;
}

const afterRedirect = (failure: WebFailure, start: string): WebFailure => ({
  ...failure,
  detail: `${failure.detail} ("${start}" redirects there)`,
});

type Visited = HopResponse & { readonly url: string };

async function visit(
  { rules, resolve, hopTo, userAgent }: TransportSettings,
  text: string,
  signal: AbortSignal,
): Promise<Result<Visited, WebFailure>> {
  const verdict = judgeUrl(text, rules);
  if (verdict.type === "denied") return err({ kind: "denied", detail: verdict.reason });
  const addresses = await checkedAddresses(verdict, { rules, resolve }, signal);
  if (!addresses.ok) return addresses;
  const { url } = verdict;
  const headers = { "user-agent": userAgent, accept: ACCEPT, "accept-encoding": "gzip, deflate, br" };
  const response = await firstAnswer(
    addresses.value,
    (address) => hopTo(url)({ url, address, headers }, signal),
    signal,
  ).then(ok, (error) => unreachable(url, error));
  return response.ok ? ok({ ...response.value, url }) : response;
}

const ACCEPT = "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5";

/** One look-up; a single answer that is not public spoils them all. */
async function checkedAddresses(
  { host, port, addresses: wanted }: Extract<UrlVerdict, { type: "allowed" }>,
  { rules, resolve }: Pick<TransportSettings, "rules" | "resolve">,
  signal: AbortSignal,
): Promise<Result<readonly string[], WebFailure>> {
  if (host.includes(":") || /^[\d.]+$/.test(host)) return ok([host]);
  const found = await orAborted(resolve(host), signal).catch(() => []);
  signal.throwIfAborted();
  if (found.length === 0) return err({ kind: "unresolved", detail: `The name "${host}" leads nowhere` });
  for (const address of found) {
    if (isBlockedBy(rules.blockedDomains, { host: urlHost(address), port })) {
      const detail = `Cannot fetch from "${host}": it resolves to ${address}, which is in tools.fetch_blocked_domains`;
      return err({ kind: "denied", detail });
    }
    const verdict = judgeAddress(address);
    if (verdict.type === "public" || (wanted === "any" && isAddress(address))) continue;
    const detail = `Cannot fetch from "${host}": it resolves to ${address}, ${verdict.why}`;
    return err({ kind: "denied", detail });
  }
  // A machine without IPv6 fails on it only after a while.
  return ok([...found].sort((a, b) => Number(a.includes(":")) - Number(b.includes(":"))));
}

const urlHost = (address: string): string => (address.includes(":") ? `[${address}]` : address);

const isAddress = (text: string): boolean => text.includes(":") || /^\d+\.\d+\.\d+\.\d+$/.test(text);

const MAX_ATTEMPTS = 3;

/** The addresses in turn, until one answers. */
async function firstAnswer(
  addresses: readonly string[],
  hop: (address: string) => Promise<HopResponse>,
  signal: AbortSignal,
): Promise<HopResponse> {
  const [first = "", ...others] = addresses.slice(0, MAX_ATTEMPTS);
  try {
    return await hop(first);
  } catch (error) {
    if (signal.aborted || others.length === 0) throw error;
    return firstAnswer(others, hop, signal);
  }
}

async function finished(
  { maxBytes }: TransportSettings,
  response: Visited,
): Promise<Result<Fetched, WebFailure>> {
  const { url, status, header } = response;
  const body = await readBody(response, maxBytes).catch(() => brokenOff(url));
  if (!body.ok) return body;
  return ok({ url, status, contentType: header("content-type") ?? "", ...body.value });
}

/** Not everything can be called off, DNS for one; it can be left alone. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
