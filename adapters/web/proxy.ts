export type ProxySettings = {
  /** `network.proxy`; empty: what the environment says. */
  readonly proxy: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/** The proxy for a URL, or none: `network.proxy`, else HTTPS_PROXY or HTTP_PROXY, and NO_PROXY against both. */
export function proxyFor(url: string, { proxy, env }: ProxySettings): string | undefined {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (isThisMachine(host)) return undefined;
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const found = proxy || env[name.toLowerCase()] || env[name];
  if (!found) return undefined;
  const exceptions = (env.no_proxy || env.NO_PROXY || "").split(",").map((one) => one.trim().toLowerCase());
  const place = `${host}:${port || (protocol === "https:" ? "443" : "80")}`;
  return exceptions.some((one) => isException(one, host, place)) ? undefined : found;
}

/** A proxy would take it for the machine that the proxy is on. */
const isThisMachine = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\./.test(host);

function isException(entry: string, host: string, place: string): boolean {
  if (entry === "" || entry === "*") return entry === "*";
  const name = entry.replace(/^\*?\./, "");
  return [host, place].some((one) => one === name || one.endsWith(`.${name}`));
}
