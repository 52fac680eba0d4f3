// Goes on with a session until it is killed; says the number of each entry that the store has taken.
import { writeSync } from "node:fs";
import { sessionFiles } from "../../adapters/store/session-files.ts";
import { type EntryId, entryId } from "../../core/id.ts";

const [cwd = "", ref = ""] = process.argv.slice(2);
const opened = await sessionFiles({ cwd, stateDir: undefined, prefer: "project" }).open(ref);
if (!opened.ok) throw new Error(opened.error.detail);
const { log, tree } = opened.value;
let parentId: EntryId | null = tree.tip;
for (let index = tree.nextIndex; ; index++) {
  const content = [{ type: "text", text: `${index} ${"x".repeat((index * 997) % 50_000)}` }];
  const entry = { id: entryId(index), parentId, ts: index, type: "message", role: "user", content };
  const appended = log.append([JSON.stringify(entry)]);
  if (!appended.ok) throw new Error(appended.error.detail);
  parentId = entry.id;
  writeSync(1, `${index}\n`);
}
