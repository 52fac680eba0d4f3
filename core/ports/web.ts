import type { Result } from "../result.ts";

/** `raw`: the text as it came. The others make HTML readable. */
export type PageFormat = "text" | "markdown" | "raw";

export type WebFailure = {
  readonly kind:
    | "denied"
    | "unresolved"
    | "unreachable"
    | "timed_out"
    | "redirects"
    | "too_large"
    /** It came, but not in a form that can be read. */
    | "unreadable";
  readonly detail: string;
};

export type Page = {
  /** Where it was found in the end. */
  readonly url: string;
  readonly status: number;
  readonly mediaType: string;
  /** Empty when it has none. */
  readonly title: string;
  readonly body:
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "binary"; readonly size: number; readonly firstBytes: string };
  /** There was more than may be read. */
  readonly cut: boolean;
};

export type SearchHit = { readonly title: string; readonly url: string; readonly snippet: string };

export type SearchAnswer =
  | { readonly type: "hits"; readonly hits: readonly SearchHit[] }
  | { readonly type: "none" }
  /** The engine wants to see a person first. */
  | { readonly type: "challenge" }
  /** Neither results nor the words for none: the page is not what it used to be. */
  | { readonly type: "changed_layout" };

/** Pages of the web, under the rules for URLs. Throws only when aborted. */
export type Web = {
  readonly fetch: (
    request: { readonly url: string; readonly format: PageFormat },
    signal: AbortSignal,
  ) => Promise<Result<Page, WebFailure>>;
  /** `url` is the search endpoint with the query in it. */
  readonly search: (
    request: { readonly url: string; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<Result<SearchAnswer, WebFailure>>;
};
