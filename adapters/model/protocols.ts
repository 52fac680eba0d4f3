import { completions } from "./completions.ts";
import type { Protocol, ProtocolName } from "./protocol.ts";

/** A protocol by the name it has in the configuration. The default is at hand, another one is loaded. Adding one is a file and a row. */
export const protocolNamed = (name: ProtocolName): Promise<Protocol> => LOADERS[name]();

const LOADERS: Readonly<Record<ProtocolName, () => Promise<Protocol>>> = {
  completions: async () => completions(),
  responses: async () => (await import("./responses.ts")).responses(),
  anthropic: async () => (await import("./anthropic.ts")).anthropic(),
};
