import type { SearchAnswer, SearchHit } from "../../core/ports/web.ts";
import { type DomElement, parseHtml } from "./dom.ts";

export type SearchResponse = { readonly url: string; readonly status: number; readonly html: string };

/** What a page of results says, or which other kind of page it is. */
export async function searchAnswer(
  { url, status, html }: SearchResponse,
  limit: number,
): Promise<SearchAnswer> {
  const { document } = await parseHtml(html);
  const hits = hitsOf(document, url);
  if (hits.length > 0) return { type: "hits", hits: hits.slice(0, limit) };
  if (isChallenge(document, status)) return { type: "challenge" };
  if (document.querySelector(NO_RESULTS) !== null) return { type: "none" };
  return { type: "changed_layout" };
}

const RESULT = ".result:not(.result--ad):not(.result--no-result)";
const TITLE = "a.result__a";
const SNIPPET = ".result__snippet";
const NO_RESULTS = ".no-results, .result--no-result";
const CHALLENGE = ".anomaly-modal, #challenge-form, form[action*='anomaly'], .g-recaptcha, .h-captcha";
/** What engines answer, besides words, to whom they take for a robot. */
const CHALLENGE_STATUS = new Set([202, 403, 429]);

const isChallenge = (document: DomElement, status: number): boolean =>
  CHALLENGE_STATUS.has(status) || document.querySelector(CHALLENGE) !== null;

function hitsOf(document: DomElement, base: string): readonly SearchHit[] {
  const hits = new Map<string, SearchHit>();
  for (const result of document.querySelectorAll(RESULT)) {
    const anchor = result.querySelector(TITLE);
    const url = realUrl(anchor?.getAttribute("href") ?? "", base);
    if (url === undefined || hits.has(url)) continue;
    hits.set(url, { title: words(anchor), url, snippet: words(result.querySelector(SNIPPET)) });
  }
  return [...hits.values()];
}

const words = (element: DomElement | null): string =>
  (element?.textContent ?? "").replace(/\s+/g, " ").trim();

/** Results point to the engine, which counts the click and redirects: `/l/?uddg=<where>`. Advertisements do not. */
function realUrl(href: string, base: string): string | undefined {
  if (href === "" || !URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  const wrapped = url.pathname === "/l/" ? url.searchParams.get("uddg") : null;
  const real = wrapped === null ? url : URL.canParse(wrapped) ? new URL(wrapped) : undefined;
  if (real === undefined || !/^https?:$/.test(real.protocol)) return undefined;
  return /(^|\.)duckduckgo\.com$/.test(real.hostname) && real.pathname === "/y.js" ? undefined : real.href;
}
