import { type Place, runProgram } from "./process.ts";
import type { Gap } from "./rows.ts";

export type Peer = { readonly name: string; readonly argv: readonly string[]; readonly place: Place };

const NAMES = ["codex", "claude", "opencode", "gemini", "pi"];

/** Other agents on this machine. Only their start-up is timed, which asks nothing of a model. */
export function findPeers(place: Place): { readonly peers: readonly Peer[]; readonly gaps: readonly Gap[] } {
  // One that looks for updates as it starts must not reach the network.
  const nowhere = "http://127.0.0.1:9";
  const shut = { ...place, env: { ...place.env, http_proxy: nowhere, https_proxy: nowhere } };
  const found = NAMES.map((name) => probe(name, Bun.which(name), shut));
  return {
    peers: found.flatMap((result) => ("argv" in result ? [result] : [])),
    gaps: found.flatMap((result) => ("reason" in result ? [result] : [])),
  };
}

function probe(name: string, path: string | null, place: Place): Peer | Gap {
  const what = `${name} --version (peer)`;
  if (path === null) return { what, reason: "not installed" };
  const peer = { name, argv: [path, "--version"], place };
  try {
    runProgram(peer.argv, place);
    return peer;
  } catch (error) {
    return { what, reason: error instanceof Error ? error.message : String(error) };
  }
}
