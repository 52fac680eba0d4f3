import * as v from "valibot";
import type { Ran } from "./run-buddy.ts";

const line = v.looseObject({
  type: v.string(),
  id: v.string(),
  parentId: v.exactOptional(v.nullable(v.string())),
  role: v.exactOptional(v.string()),
  content: v.exactOptional(v.unknown()),
  tool_calls: v.exactOptional(v.array(v.looseObject({ id: v.string() }))),
  tool_call_id: v.exactOptional(v.string()),
});

export type SessionLine = v.InferOutput<typeof line>;

/** The lines of the one session that a run saved; throws when there is not one, or when a line of it is not whole. */
export function sessionLines({ files }: Pick<Ran, "files">): readonly SessionLine[] {
  const paths = Object.keys(files).filter((path) => path.endsWith(".jsonl"));
  const text = files[paths[0] ?? ""];
  if (text === undefined || paths.length > 1) throw new Error(`There are ${paths.length} sessions, not one`);
  if (!text.endsWith("\n")) throw new Error("The last line of the session is torn");
  return text
    .slice(0, -1)
    .split("\n")
    .map((raw) => v.parse(line, JSON.parse(raw)));
}

/** The roles of the conversation in order, after a check that each entry hangs on the one before and each call has one result. */
export function savedRoles(ran: Pick<Ran, "files">): readonly string[] {
  const [header, ...entries] = sessionLines(ran);
  if (header?.type !== "session") throw new Error("The session does not begin with a header");
  entries.forEach((entry, index) => {
    const parent = index === 0 ? null : entries[index - 1]?.id;
    if (entry.parentId !== parent)
      throw new Error(`Entry ${entry.id} hangs on ${entry.parentId}, not on ${parent}`);
  });
  const asked = entries.flatMap((entry) => entry.tool_calls?.map(({ id }) => id) ?? []);
  const answered = entries.flatMap((entry) => entry.tool_call_id ?? []);
  if (asked.join() !== answered.join())
    throw new Error(`Calls ${asked.join()} have the results ${answered.join()}`);
  return entries.map((entry) => entry.role ?? entry.type);
}
