import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directHop } from "../../adapters/web/direct-hop.ts";

const openssl = Bun.which("openssl");
if (openssl === null) console.log("skipped: there is no openssl to make a certificate with");

const dir = mkdtempSync(join(tmpdir(), "buddy-tls-"));
afterAll(() => rmSync(dir, { recursive: true }));

/** A server at 127.0.0.1 that can prove to be site.test, and nothing else. */
async function startSecureSite(program: string) {
  const [keyFile, certFile] = [join(dir, "key.pem"), join(dir, "cert.pem")];
  const asked = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=site.test"];
  const files = ["-addext", "subjectAltName=DNS:site.test", "-keyout", keyFile, "-out", certFile];
  Bun.spawnSync([program, ...asked, ...files]);
  const cert = readFileSync(certFile, "utf8");
  const server = createServer({ key: readFileSync(keyFile), cert }, (_request, response) =>
    response.end("hello"),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { port, cert, [Symbol.dispose]: () => void server.close() };
}

describe.skipIf(openssl === null)("directHop()", () => {
  test("believes a certificate for the name in the URL, whatever the address, and no other", async () => {
    using site = await startSecureSite(openssl ?? "");
    const visit = async (host: string, ca: string | undefined) => {
      const request = { url: `https://${host}:${site.port}/`, address: "127.0.0.1", headers: {} };
      const response = await directHop({ ca })(request, new AbortController().signal);
      response.close();
      return response.status;
    };
    expect(await visit("site.test", site.cert)).toBe(200);
    await expect(visit("other.test", site.cert)).rejects.toThrow("does not match");
    await expect(visit("127.0.0.1", site.cert)).rejects.toThrow("does not match");
    await expect(visit("site.test", undefined)).rejects.toThrow("self signed");
  });
});
