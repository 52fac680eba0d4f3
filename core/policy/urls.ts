import { hidesV4, judgeAddress } from "./addresses.ts";
import { type HostPort, isAllowedBy, isBlockedBy, localName, namesPort } from "./domains.ts";

export type UrlRules = {
  /** Only these hosts, and they even if private. Undefined: every public one; an empty list: none. */
  readonly allowedDomains: readonly string[] | undefined;
  /** Never these: they win over everything else. */
  readonly blockedDomains: readonly string[];
  /** The address that the user's configuration gives for searches: it alone, with any query, may be private. */
  readonly searchEndpoint?: string;
};

export type UrlVerdict =
  | {
      readonly type: "allowed";
      /** The one spelling to use from here on; without a fragment. */
      readonly url: string;
      /** For the resolver, or the address itself, without brackets. */
      readonly host: string;
      readonly port: number;
      /** `any`: the user named this host, so it may be at a private address. */
      readonly addresses: "public" | "any";
    }
  | { readonly type: "denied"; readonly rule: UrlRule; readonly reason: string };

export type UrlRule =
  | "syntax"
  | "scheme"
  | "credentials"
  | "spelling"
  | "blocked_domain"
  | "not_allowed_domain"
  | "private_name"
  | "private_address"
  | "port";

/** May this URL be fetched, by its literal form? What its name resolves to is judged by `judgeAddress`. */
export function judgeUrl(text: string, rules: UrlRules): UrlVerdict {
  const written = readUrl(text);
  if (written.type === "denied") return written;
  const { url, rawHost } = written;
  const odd = oddSpelling(rawHost, url.hostname);
  if (odd !== undefined) return denied("spelling", text, odd);
  const place = placeOf(url);
  if (isBlockedBy(rules.blockedDomains, place)) {
    return denied("blocked_domain", text, `${place.host} is in tools.fetch_blocked_domains`);
  }
  const listed = isAllowedBy(rules.allowedDomains ?? [], place);
  const trusted = listed || isSearch(url, rules.searchEndpoint);
  const meant = trusted && (!listed || namesPort(rules.allowedDomains ?? [], place));
  if (NEVER_WEB.has(place.port) && !meant) {
    return denied("port", text, `port ${place.port} belongs to another protocol`);
  }
  if (!trusted) {
    const why = notPublic(place.host);
    if (why !== undefined) return denied(why.rule, text, `${place.host} is ${why.what}`);
    if (rules.allowedDomains !== undefined) {
      return denied("not_allowed_domain", text, `${place.host} is not in tools.fetch_allowed_domains`);
    }
  }
  return {
    type: "allowed",
    url: url.href,
    host: place.host.replace(/^\[|\]$/g, ""),
    port: place.port,
    addresses: trusted ? "any" : "public",
  };
}

type Denied = Extract<UrlVerdict, { type: "denied" }>;

const denied = (rule: UrlRule, text: string, why: string): Denied => ({
  type: "denied",
  rule,
  reason: `Cannot fetch ${JSON.stringify(shortened(text))}: ${why}`,
});

const shortened = (text: string): string => (text.length <= 300 ? text : `${text.slice(0, 300)}…`);

const MAX_URL_CHARS = 8192;

/**
 * Only what every parser reads the same way: no blanks, control characters or backslashes anywhere, both slashes, a
 * host.
 */
function readUrl(
  text: string,
): Denied | { readonly type: "read"; readonly url: URL; readonly rawHost: string } {
  const no = (rule: UrlRule, why: string) => denied(rule, text, why);
  if (text.length > MAX_URL_CHARS) return no("syntax", `it is longer than ${MAX_URL_CHARS} characters`);
  const scheme = /^\s*([a-z][a-z\d+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== "http" && scheme !== "https") return no("scheme", "only http and https URLs can be fetched");
  if (/[\s\p{Cc}\\]/u.test(text))
    return no("syntax", "it has a blank, a control character or a backslash in it");
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined || !URL.canParse(text))
    return no("syntax", "it is not of the form https://host/path");
  if (authority.includes("@")) return no("credentials", "it has a user name or password in it");
  const url = new URL(text);
  url.hash = "";
  const name = url.hostname.replace(/\.$/, "");
  if (name.split(".").includes("") || name.length > 253) return no("syntax", "its host is not a name");
  if (name !== url.hostname) url.hostname = name;
  return { type: "read", url, rawHost: authority.replace(/:\d*$/, "") };
}

/** A host must be written as it is: what has to be decoded first was written to be misread. */
function oddSpelling(raw: string, parsed: string): string | undefined {
  const written = raw.toLowerCase();
  if (written.includes("%")) return "its host is percent-encoded";
  if (parsed.startsWith("[")) {
    return hidesV4(parsed.slice(1, -1))
      ? "its host is an IPv4 address in the form of an IPv6 one"
      : undefined;
  }
  if (isV4(parsed)) return written === parsed ? undefined : `its host is another spelling of ${parsed}`;
  if (/^[\x21-\x7e]*$/.test(written)) return undefined;
  const disguised = written.normalize("NFKC") !== written.normalize("NFC");
  return disguised || /[\p{Default_Ignorable_Code_Point}\p{Cf}\u3002]/u.test(written)
    ? `its host is another spelling of ${parsed}`
    : undefined;
}

const isV4 = (host: string): boolean => /^\d+\.\d+\.\d+\.\d+$/.test(host);

const placeOf = (url: URL): HostPort => ({
  host: url.hostname,
  port: url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port),
});

function notPublic(host: string): { readonly rule: UrlRule; readonly what: string } | undefined {
  if (host.startsWith("[") || isV4(host)) {
    const verdict = judgeAddress(host.replace(/^\[|\]$/g, ""));
    return verdict.type === "public" ? undefined : { rule: "private_address", what: verdict.why };
  }
  const what = localName(host);
  return what === undefined ? undefined : { rule: "private_name", what };
}

/** Everything but the query is the user's. */
function isSearch(url: URL, endpoint: string | undefined): boolean {
  if (endpoint === undefined || !URL.canParse(endpoint)) return false;
  const own = new URL(endpoint);
  return own.origin === url.origin && own.pathname === url.pathname;
}

/**
 * The ports that the Fetch standard bars (mail, shells, name services and the like can be talked to by mistake), and
 * those of databases, queues and desktops.
 */
const NEVER_WEB: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 88, 445,
  873, 1433, 1521, 1883, 3306, 3389, 5432, 5672, 5900, 9042, 9092, 11211, 27017,
]);
