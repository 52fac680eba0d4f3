import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { rootCertificates } from "node:tls";
import type { Hop, HopResponse } from "./hop.ts";

/** Connects to the given address and no other, whatever the URL's name resolves to by now. */
export const directHop =
  ({ ca }: { readonly ca: string | undefined }): Hop =>
  ({ url, address, headers }, signal) =>
    new Promise((resolve, reject) => {
      const send = url.startsWith("https:") ? httpsRequest : httpRequest;
      const sent = send(
        url,
        {
          method: "GET",
          headers: { ...headers },
          agent: false,
          signal,
          // Bun wants the answer as an array; it does not ask for hosts that are addresses already.
          lookup: (_name, _options, done) => done(null, [{ address, family: isIP(address) }]),
          ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
        },
        (incoming) => resolve(hopResponse(incoming)),
      );
      sent.on("error", reject);
      // Without someone who listens, Bun waits for ever after a change of protocol that nobody asked for.
      sent.on("upgrade", (_incoming, socket) => {
        socket.destroy();
        reject(new Error("it wants to speak another protocol"));
      });
      let notices = 0;
      sent.on("information", () => {
        notices += 1;
        if (notices > MAX_NOTICES) sent.destroy(new Error("it announces an answer again and again"));
      });
      sent.end();
    });

/** Answers of the kind "100 Continue", before the real one. */
const MAX_NOTICES = 20;

function hopResponse(incoming: IncomingMessage): HopResponse {
  return {
    status: incoming.statusCode ?? 0,
    header: (name) => {
      const value = incoming.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    body: incoming,
    close: () => void incoming.destroy(),
  };
}
