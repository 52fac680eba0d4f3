import type { EntryId } from "../../core/id.ts";
import { textOf } from "../../core/message.ts";
import type { Redact } from "../../core/redact.ts";
import { oneLine } from "../../core/sanitize.ts";
import { pathOf, type SessionNode, type SessionTree } from "../../core/session-tree.ts";
import type { Choice } from "./picker.ts";

const LABEL_CHARS = 120;

/** Every message that a conversation can go on from, with the branches that were left drawn beside each other. */
export function treeChoices(
  tree: SessionTree,
  redact: Redact,
): { readonly choices: readonly Choice[]; readonly at: number } {
  const { nodes } = tree;
  const children = new Map<number, number[]>();
  for (const [index, node] of nodes.entries()) {
    if (node.entry.type === "leaf") continue;
    const siblings = children.get(node.parent);
    if (siblings) siblings.push(index);
    else children.set(node.parent, [index]);
  }
  const onPath = new Set(pathOf(tree).map(({ entry }) => entry.id));
  const choices: Choice[] = [];
  // Depth first without recursion: a session may be ten thousand messages long.
  const open = (children.get(-1) ?? []).map((index) => ({ index, depth: 0 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = nodes[next.index];
    const label = node && labelOf(node, redact);
    if (node && label !== undefined) {
      const mark = onPath.has(node.entry.id) ? "●" : "○";
      choices.push({ value: node.entry.id, label: `${"  ".repeat(next.depth)}${mark} ${label}` });
    }
    const below = children.get(next.index) ?? [];
    const depth = Math.min(10, next.depth + (below.length > 1 ? 1 : 0));
    for (const index of below.toReversed()) open.push({ index, depth });
  }
  const at = choices.findLastIndex(({ label }) => label.includes("●"));
  return { choices, at: Math.max(0, at) };
}

function labelOf({ entry }: SessionNode, redact: Redact): string | undefined {
  if (entry.type === "compaction") return "summary of what came before";
  if (entry.type !== "message" || entry.role === "tool") return undefined;
  if (entry.role === "user") return `> ${oneLine(redact(textOf(entry.content)), LABEL_CHARS)}`;
  const calls = entry.tool_calls.map(({ name }) => `▶ ${name}`).join(" ");
  return oneLine(redact(entry.content), LABEL_CHARS) || oneLine(calls, LABEL_CHARS);
}

/** The last thing the user said on the path, and the entry before it. */
export function lastPromptOn(
  tree: SessionTree,
): { readonly text: string; readonly before: EntryId | null } | undefined {
  const node = pathOf(tree).findLast(({ entry }) => entry.type === "message" && entry.role === "user");
  if (node === undefined || node.entry.type !== "message" || node.entry.role !== "user") return undefined;
  return { text: textOf(node.entry.content), before: tree.nodes[node.parent]?.entry.id ?? null };
}
