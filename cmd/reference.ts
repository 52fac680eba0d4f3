import type { FlagSpec } from "./flags.ts";

/** What each exit code means: help and the manual page say the same. */
export const EXIT_MEANINGS: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "the model gave a final answer"],
  ["1", "unexpected failure: a bug, or an output that cannot be written"],
  ["2", "usage or configuration error; nothing was sent"],
  ["3", "credentials missing, rejected or expired"],
  ["4", "an approval was needed and could not be asked, or was refused by policy none"],
  ["5", "the model endpoint failed after retries"],
  ["6", "a limit was reached: time, iterations, tokens or cost"],
  ["7", "the conversation cannot fit the model's context even after compaction"],
  ["8", "the execution target failed"],
  ["9", "the answer does not satisfy --output-schema after two repairs"],
  ["130", "interrupted"],
  ["141", "with stream-json: whoever read the output has left"],
  ["143", "terminated"],
];

/** Every variable that buddy reads for itself. */
export const ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ["BUDDY_API_KEY", "the key of the active profile; sent only to that profile's host"],
  ["BUDDY_BASE_URL", "address of the endpoint (legacy AGENT_BASE_URL)"],
  ["BUDDY_MODEL", "profile or model (legacy AGENT_MODEL)"],
  ["BUDDY_CONFIG", "read only this configuration file"],
  ["BUDDY_APPROVE", "what --approve says"],
  ["BUDDY_LOG_FILE", "what --log-file says"],
  ["NO_COLOR, FORCE_COLOR", "no colours; colours also into a pipe"],
];

/** A flag with its value, as people are to type it. */
export const spelledFlag = ({ name, short, value, optional }: FlagSpec): string =>
  `${short ? `-${short}, ` : ""}--${name}${value ? (optional ? `[=${value}]` : ` ${value}`) : ""}`;
