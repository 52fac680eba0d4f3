import { systemHost } from "../adapters/host/host.ts";
import type { Invocation } from "./command.ts";

export async function run(_invocation: Invocation): Promise<number> {
  return systemHost ? 0 : 1;
}
