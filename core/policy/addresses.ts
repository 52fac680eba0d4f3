import ipaddr from "ipaddr.js";

export type AddressVerdict =
  | { readonly type: "public" }
  /** `why` completes "it is …". */
  | { readonly type: "blocked"; readonly why: string };

/** May a connection be made to this address? Only what is plainly part of the public internet passes. */
export function judgeAddress(text: string): AddressVerdict {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return judgeV4(ipaddr.IPv4.parse(text));
  if (ipaddr.IPv6.isValid(text)) return judgeV6(ipaddr.IPv6.parse(text));
  return { type: "blocked", why: "no address at all" };
}

/** An IPv6 address that stands for an IPv4 one: nobody writes those into a URL without an aim. */
export function hidesV4(text: string): boolean {
  if (!ipaddr.IPv6.isValid(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  const compatible = address.range() === "unicast" && address.match(V4_COMPATIBLE);
  return compatible || embeddedV4(address) !== undefined;
}

function judgeV4(address: ipaddr.IPv4): AddressVerdict {
  const host = HOST_SERVICES.get(address.toString());
  if (host !== undefined) return { type: "blocked", why: host };
  const range = address.range();
  return range === "unicast" ? { type: "public" } : { type: "blocked", why: wordsFor(range) };
}

function judgeV6(address: ipaddr.IPv6): AddressVerdict {
  const range = address.range();
  const inner = embeddedV4(address);
  if (inner !== undefined) {
    const verdict = judgeV4(inner);
    if (verdict.type === "public") return verdict;
    return { type: "blocked", why: `${wordsFor(range)} for ${inner.toString()}, ${verdict.why}` };
  }
  if (range !== "unicast") return { type: "blocked", why: wordsFor(range) };
  // The rest of the space has no owner yet, or stands for IPv4 in a way that nothing uses any more.
  return address.match(GLOBAL_UNICAST) ? { type: "public" } : { type: "blocked", why: wordsFor("reserved") };
}

/** What DNS64 and dual-stack sockets make of an IPv4 address. 6to4, Teredo and the like are refused whole. */
function embeddedV4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  if (!address.match(V4_MAPPED) && !address.match(NAT64)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
const V4_MAPPED = ipaddr.IPv6.parseCIDR("::ffff:0:0/96");
const V4_COMPATIBLE = ipaddr.IPv6.parseCIDR("::/96");
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/** Public by their number, but answered by the machine's own host. */
const HOST_SERVICES: ReadonlyMap<string, string> = new Map([
  ["168.63.129.16", "the metadata service of a cloud"],
  ["169.254.169.254", "the metadata service of a cloud"],
  ["100.100.100.200", "the metadata service of a cloud"],
  ["192.0.0.192", "the metadata service of a cloud"],
]);

const wordsFor = (range: string): string => RANGE_WORDS.get(range) ?? "a reserved address";

const RANGE_WORDS: ReadonlyMap<string, string> = new Map([
  ["unspecified", "an unspecified address"],
  ["broadcast", "a broadcast address"],
  ["multicast", "a multicast address"],
  ["linkLocal", "a link-local address"],
  ["deprecatedSiteLocal", "a site-local address"],
  ["loopback", "a loopback address"],
  ["carrierGradeNat", "an address inside a carrier's network"],
  ["private", "a private address"],
  ["uniqueLocal", "a private address"],
  ["ipv4Mapped", "an IPv4-mapped form"],
  ["rfc6145", "an IPv4-translated form"],
  ["rfc6052", "a NAT64 form"],
  ["6to4", "a 6to4 address"],
  ["teredo", "a Teredo address"],
]);
