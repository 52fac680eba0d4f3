import type { Hop } from "./hop.ts";

/** Through a proxy, which resolves the name by itself: what was resolved here has only been checked. */
export const proxyHop =
  ({ proxy, ca }: { readonly proxy: string; readonly ca: string | undefined }): Hop =>
  async ({ url, headers }, signal) => {
    const response = await fetch(url, {
      headers: { ...headers },
      redirect: "manual",
      decompress: false,
      proxy,
      signal,
      ...(ca === undefined ? {} : { tls: { ca } }),
    });
    return {
      status: response.status,
      header: (name) => response.headers.get(name) ?? undefined,
      body: response.body ?? noBody(),
      close: () => void response.body?.cancel().catch(() => {}), // it is closed already
    };
  };

async function* noBody(): AsyncGenerator<Uint8Array> {}
