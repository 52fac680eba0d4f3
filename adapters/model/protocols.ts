import { anthropic } from "./anthropic.ts";
import { completions } from "./completions.ts";
import type { Protocol, ProtocolName } from "./protocol.ts";
import { responses } from "./responses.ts";

/** A protocol by the name it has in the configuration. Adding one is a file and a row. */
export const protocolNamed = (name: ProtocolName): Protocol => MAKERS[name]();

const MAKERS: Readonly<Record<ProtocolName, () => Protocol>> = { completions, responses, anthropic };
