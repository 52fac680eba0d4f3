import type { Output } from "../../adapters/host/output.ts";

/** Keeps what is written; from `closedAfter` writes on nobody reads. */
export function keptOutput(
  closedAfter = Number.POSITIVE_INFINITY,
): Output & { readonly written: readonly string[] } {
  const written: string[] = [];
  return {
    written,
    write: (text) => (written.push(text) > closedAfter ? "closed" : "written"),
    isTerminal: () => false,
  };
}
