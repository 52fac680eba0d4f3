import * as v from "valibot";
import { defineTool } from "../define-tool.ts";
import type { SearchAnswer, SearchHit, Web } from "../ports/web.ts";
import { type Tool, type ToolOutput, toolFailure } from "../tool.ts";
import { truncateEnd } from "../truncate.ts";
import { untrusted } from "../untrusted.ts";

const MOST = 8;

export const webSearchTool = (web: Web, endpoint: string): Tool =>
  defineTool({
    name: "web_search",
    description:
      "Searches the web and returns titles, addresses and snippets. Read a result with fetch_url before you rely on it. " +
      "Not for what the machine you work on can tell. " +
      'Example: {"query":"bun compile bytecode","limit":5}',
    schema: v.object({
      query: v.pipe(
        v.string(),
        v.trim(),
        v.nonEmpty("is required"),
        v.maxLength(500, "must be at most 500 characters"),
        v.description("What to look for"),
      ),
      limit: v.optional(
        v.pipe(
          v.number(),
          v.integer("must be a whole number"),
          v.minValue(1, "must be at least 1"),
          v.maxValue(MOST, `must be at most ${MOST}`),
          v.description(`How many results; default and most: ${MOST}`),
        ),
        MOST,
      ),
    }),
    parallel: true,
    needs: ({ query }) => ({
      kind: "url",
      subject: searchUrl(endpoint, query),
      risk: "low",
      mutation: false,
      privesc: false,
      why: "search the web",
    }),
    execute: async ({ query, limit }, { limits, signal }) => {
      const answer = await web.search({ url: searchUrl(endpoint, query), limit }, signal);
      return answer.ok
        ? answerResult(answer.value, query, limits.textChars)
        : toolFailure(answer.error.detail);
    },
  });

/** The endpoint with the query in it; what else its query says stays. */
export function searchUrl(endpoint: string, query: string): string {
  const [address = ""] = endpoint.split("#");
  return `${address}${address.includes("?") ? "&" : "?"}q=${encodeURIComponent(query.replace(/\p{Surrogate}/gu, "\ufffd"))}`;
}

function answerResult(answer: SearchAnswer, query: string, maxChars: number): ToolOutput {
  switch (answer.type) {
    case "hits": {
      const list = truncateEnd(answer.hits.map(hitLines).join("\n\n"), maxChars);
      return {
        result: { query, results: answer.hits.length, content: untrusted(list, "web search") },
        summary: `${answer.hits.length} results`,
        isError: false,
      };
    }
    case "none":
      return { result: { query, results: 0, content: "No results" }, summary: "no results", isError: false };
    case "challenge":
      return toolFailure(
        "The search engine asks for proof that a person is searching (challenge page): there are no results to be had " +
          "from it now. Do not repeat the search; fetch a page whose address is known, or tell the user",
      );
    case "changed_layout":
      return toolFailure(
        "The search engine answered with a page that has neither results nor the words for none: its layout has " +
          "changed. Do not repeat the search; the user can name another engine in tools.search_endpoint",
      );
  }
}

const hitLines = ({ title, url, snippet }: SearchHit, index: number): string =>
  [`${index + 1}. ${title}`, `   ${url}`, ...(snippet === "" ? [] : [`   ${snippet}`])].join("\n");
