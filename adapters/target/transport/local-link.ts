import { ok } from "../../../core/result.ts";
import type { Link } from "./link.ts";
import { localTransport } from "./local.ts";

/** This machine as a way to something else on it. */
export function localLink(place: Parameters<typeof localTransport>[0]): Link {
  const { start, close } = localTransport(place);
  return {
    summary: "local",
    reach: [],
    connect: async () => ok(undefined),
    start,
    explain: (words) => ({ message: words }),
    close: () => close(),
    // Clients end with their standard input; killing them would keep them from handing that on.
    killNow: () => {},
  };
}
