import { anthropic } from "../../adapters/model/anthropic.ts";
import { completions } from "../../adapters/model/completions.ts";
import type { Protocol, ProtocolName } from "../../adapters/model/protocol.ts";
import { responses } from "../../adapters/model/responses.ts";

export const PROTOCOLS = ["completions", "responses", "anthropic"] as const;

/** A protocol by name, all of them loaded. */
export const newProtocol = (name: ProtocolName): Protocol => MAKERS[name]();

const MAKERS: Readonly<Record<ProtocolName, () => Protocol>> = { completions, responses, anthropic };
