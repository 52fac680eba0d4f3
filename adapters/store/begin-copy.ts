import { sessionId } from "../../core/id.ts";
import type { Host } from "../../core/ports/host.ts";
import type { OpenedSession, StoreFailure } from "../../core/ports/store.ts";
import { ok, type Result } from "../../core/result.ts";
import type { SessionHeader } from "../../core/session.ts";
import { readSession } from "../../core/session-tree.ts";
import { beginSession } from "./begin-session.ts";
import type { SessionPlaces } from "./places.ts";

export type CopiedLines = { readonly lines: readonly string[]; readonly warnings: readonly string[] };

/** A new session, open, that begins with the lines of another. */
export async function beginCopy(
  host: Host,
  places: SessionPlaces,
  header: SessionHeader,
  { lines, warnings }: CopiedLines,
): Promise<Result<OpenedSession, StoreFailure>> {
  const tree = readSession([JSON.stringify(header), ...lines, ""]);
  if (!tree.ok) return tree;
  const begun = await beginSession(host, places, header, lines);
  if (!begun.ok) return begun;
  return ok({ ...begun.value, tree: tree.value, warnings: [...begun.value.warnings, ...warnings] });
}

export const freshHeader = (host: Host, { cwd, made }: SessionPlaces): SessionHeader => ({
  type: "session",
  v: 1,
  id: sessionId(host.unixMs(), host.random),
  created_at: new Date(host.unixMs()).toISOString(),
  cwd,
  target: made?.target ?? "",
  buddy: made?.buddy ?? "",
});
