import type { EntryId } from "./id.ts";
import { pathOf, type SessionTree } from "./session-tree.ts";

/** The entries of the messages on the path, in order, also of those that a compaction took out of what is sent. */
export const messageIdsOn = (tree: SessionTree): readonly EntryId[] =>
  pathOf(tree).flatMap(({ entry }) => (entry.type === "message" ? [entry.id] : []));

/** The summary that the conversation begins with, if it was compacted. */
export function summaryOf(tree: SessionTree): string | undefined {
  const last = pathOf(tree).findLast(({ entry }) => entry.type === "compaction")?.entry;
  return last?.type === "compaction" && last.summary !== "" ? last.summary : undefined;
}
