import type { Page, SearchAnswer, Web, WebFailure } from "../../core/ports/web.ts";
import { err, ok, type Result } from "../../core/result.ts";

export type ScriptedWeb = { readonly web: Web; readonly asked: readonly object[] };

/** A web of a few pages and one answer to every search; what is not in the script leads nowhere. */
export function scriptedWeb(
  pages: Readonly<Record<string, Page | WebFailure>> = {},
  answer: SearchAnswer | WebFailure = { type: "none" },
): ScriptedWeb {
  const asked: object[] = [];
  return {
    asked,
    web: {
      fetch: async (request, signal) => {
        signal.throwIfAborted();
        asked.push(request);
        return resultOf(pages[request.url] ?? { kind: "unresolved", detail: "Not in the script" });
      },
      search: async (request, signal) => {
        signal.throwIfAborted();
        asked.push(request);
        return resultOf(answer);
      },
    },
  };
}

const resultOf = <T extends object>(value: T | WebFailure): Result<T, WebFailure> =>
  "kind" in value ? err(value) : ok(value);

export const textPage = (url: string, text: string, more: Partial<Page> = {}): Page => ({
  url,
  status: 200,
  mediaType: "text/plain",
  title: "",
  body: { type: "text", text },
  cut: false,
  ...more,
});
