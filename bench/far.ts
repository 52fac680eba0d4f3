import { join } from "node:path";
import { findProgram } from "../tests/rigs/programs.ts";
import { startSshd } from "../tests/rigs/sshd.ts";
import type { Place } from "./process.ts";
import type { Gap } from "./rows.ts";

/** A host that is far away: a real sshd behind a link that takes its time. */
export type Far = AsyncDisposable & {
  readonly flags: readonly string[];
  readonly place: Place;
  /** A session over a connection that stands: what everybody has to pay who uses ssh for each command. */
  readonly session: readonly string[];
};

const ONE_WAY_MS = 20;
export const ROUND_TRIP_MS = 2 * ONE_WAY_MS;

export async function startFar(place: Place): Promise<Far | Gap> {
  const missing = ["ssh", "sshd", "ssh-keygen"].filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) return { what: "turns over SSH", reason: `${missing.join(", ")} not installed` };
  const sshd = await startSshd();
  const script = join(import.meta.dir, "../tests/rigs/slow-link.ts");
  const link = Bun.spawn([process.execPath, script, String(sshd.port), String(ONE_WAY_MS)], {
    stdout: "pipe",
  });
  const port = Number(await firstLine(link.stdout));
  sshd.trust(port);
  const address = sshd.address.replace(/\d+$/, String(port));
  const env = { ...place.env, PATH: `${sshd.bin}:${place.env.PATH ?? ""}` };
  const socket = join(sshd.root, "bench");
  const host = ["-p", String(port), address.replace(/:\d+$/, "")];
  const master = Bun.spawn(["ssh", "-M", "-N", "-S", socket, ...host], {
    env,
    stdio: ["ignore", "ignore", "ignore"],
  });
  return {
    flags: ["--no-session", "--ssh", address, "-C", place.dir],
    place: { ...place, env },
    session: ["ssh", "-S", socket, ...host, "true"],
    [Symbol.asyncDispose]: async () => {
      master.kill("SIGKILL");
      link.kill("SIGKILL");
      await Promise.all([master.exited, link.exited]);
      await sshd[Symbol.asyncDispose]();
    },
  };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const bytes of stream) {
    text += new TextDecoder().decode(bytes);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}
