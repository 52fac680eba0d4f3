/** A host as a URL names it: lower case, without the dot at the end, IPv6 in brackets. */
export type HostPort = { readonly host: string; readonly port: number };

/**
 * Does an entry of the allow-list name this host? `host` is exactly that host, `*.host` what is below it; with
 * `:port` only there.
 */
export const isAllowedBy = (entries: readonly string[], place: HostPort): boolean =>
  entries.some((entry) => covers(parseEntry(entry), place));

/** The same for the block-list, on which a plain name stands for what is below it as well. */
export const isBlockedBy = (entries: readonly string[], place: HostPort): boolean =>
  entries.some((entry) => {
    const parsed = parseEntry(entry);
    return covers(parsed, place) || covers({ ...parsed, below: true }, place);
  });

/** Does an entry name this very port, so that there is no doubt that it is meant? */
export const namesPort = (entries: readonly string[], place: HostPort): boolean =>
  entries.some((entry) => {
    const parsed = parseEntry(entry);
    return parsed.port !== undefined && covers(parsed, place);
  });

type Entry = { readonly host: string; readonly below: boolean; readonly port: number | undefined };

function parseEntry(entry: string): Entry {
  const [, below, host = "", port] = /^(\*\.)?(\[[^\]]*\]|[^:]*?)\.?(?::(\d+))?$/.exec(plain(entry)) ?? [];
  return { host, below: below !== undefined, port: port === undefined ? undefined : Number(port) };
}

/** An entry is often a pasted address; a bare IPv6 address gets the brackets it has in a URL. */
function plain(entry: string): string {
  const text = entry
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/\/.*$/, "");
  return /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f.]*$/.test(text) ? `[${text}]` : asciiHost(text);
}

/** International names are compared as DNS spells them. */
function asciiHost(text: string): string {
  if (/^[\x21-\x7e]*$/.test(text)) return text;
  const [, below = "", rest = ""] = /^(\*\.)?(.*)$/.exec(text) ?? [];
  return URL.canParse(`http://${rest}/`) ? `${below}${new URL(`http://${rest}/`).host}` : text;
}

function covers({ host, below, port }: Entry, place: HostPort): boolean {
  if (host === "" || (port !== undefined && port !== place.port)) return false;
  return below ? place.host.endsWith(`.${host}`) : place.host === host;
}

/** Names that lead to this machine, its network or its cloud, whatever DNS says. Completes "it is …". */
export function localName(host: string): string | undefined {
  if (METADATA_NAMES.has(host)) return "the metadata service of a cloud";
  if (!host.includes(".")) return "a name of the local network";
  return LOCAL_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`))
    ? "a name of this machine or its network"
    : undefined;
}

const METADATA_NAMES = new Set([
  "metadata.goog",
  "metadata.google.internal",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "metadata.tencentyun.com",
]);

/** Reserved for private use by RFC 6761, 6762, 8375 and ICANN, or used so by routers and clusters everywhere. */
const LOCAL_SUFFIXES = [
  "localhost",
  "localdomain",
  "localdomain6",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "home.arpa",
  "lan",
  "svc",
];
