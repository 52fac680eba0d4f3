// A process that saves one login after the other, a dot for each, until it is killed or has saved as many as asked.
import { writeSync } from "node:fs";
import { authFile } from "../../adapters/auth/auth-file.ts";
import { systemHost } from "../../adapters/host/host.ts";
import { withLock } from "../../adapters/host/lock.ts";

const [path = "", count = "Infinity"] = process.argv.slice(2);
const file = authFile(systemHost, path);
file.prepare();
const signal = new AbortController().signal;
for (let saved = 0; saved < Number(count); saved++) {
  const login = {
    issuer: "http://127.0.0.1",
    access_token: "a".repeat(1000 + (saved % 7) * 1000),
    expires_at_ms: saved,
  };
  const work = async () => file.write("openai", login);
  const written = await withLock(systemHost, file.lockPath, { waitMs: 10_000 }, work, signal);
  if (!written.ok || !written.value.ok) throw new Error(JSON.stringify(written));
  writeSync(1, ".");
}
