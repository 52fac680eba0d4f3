import * as v from "valibot";
import type { UrlRules } from "../../core/policy/urls.ts";
import { corpusRows } from "../adapters/corpus.ts";

const answers = v.array(v.string());

/** URLs with what their names resolve to and where they lead. */
export const SSRF_ROWS = corpusRows(
  "ssrf-urls",
  v.object({
    id: v.string(),
    input: v.string(),
    context: v.object({
      dns: v.optional(
        v.record(v.string(), v.union([answers, v.string(), v.object({ sequence: v.array(answers) })])),
      ),
      redirects: v.optional(v.array(v.object({ status: v.number(), location: v.string() }))),
      allow_domains: v.optional(v.array(v.string())),
      deny_domains: v.optional(v.array(v.string())),
      allow_private: v.optional(v.array(v.string())),
      behaviour: v.optional(v.picklist(["gzip-bomb", "slow-1-byte-per-s", "200-html-1MiB"])),
    }),
    expected: v.picklist(["allow", "block"]),
    why: v.string(),
  }),
);

export type SsrfRow = (typeof SSRF_ROWS)[number];

export const rulesOf = ({ context }: SsrfRow): UrlRules => ({
  allowedDomains: context.allow_domains ?? context.allow_private,
  blockedDomains: context.deny_domains ?? [],
});
