import type { ToolCall } from "../../core/message.ts";

/** A piece of a tool call as servers stream it: any field may be missing, or come again in each piece. */
export type CallFragment = {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
};

/**
 * Another id means another call, also where a server numbers all of them 0 or none at all. So does, where there are
 * neither numbers nor ids, another name.
 */
function isAnother(known: { readonly id: string; readonly name: string }, fragment: CallFragment): boolean {
  if (fragment.id !== "" && known.id !== "" && known.id !== fragment.id) return true;
  return fragment.index === undefined && fragment.id === "" && fragment.name !== "" && known.name !== "";
}

/** Puts streamed tool calls together, in the order in which they began. */
export function callAssembler() {
  const calls: { id: string; name: string; arguments: string }[] = [];
  const byIndex = new Map<number, (typeof calls)[number]>();

  const slotFor = (fragment: CallFragment) => {
    const known = fragment.index === undefined ? calls.at(-1) : byIndex.get(fragment.index);
    if (known && !isAnother(known, fragment)) return known;
    const made = { id: "", name: "", arguments: "" };
    calls.push(made);
    if (fragment.index !== undefined) byIndex.set(fragment.index, made);
    return made;
  };

  return {
    add: (fragment: CallFragment): void => {
      const slot = slotFor(fragment);
      slot.id ||= fragment.id;
      slot.name ||= fragment.name;
      slot.arguments += fragment.arguments;
    },
    /** A call that came in one piece. */
    addWhole: ({ id, name, arguments: args }: CallFragment): void => {
      calls.push({ id, name, arguments: args });
    },
    count: () => calls.length,
    calls: (): readonly ToolCall[] => calls,
  };
}
