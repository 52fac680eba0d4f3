// Opens a session, says how that went, adds a line, and keeps it open until its standard input ends.
import { sessionFiles } from "../../adapters/store/session-files.ts";

const [cwd = "", ref = ""] = process.argv.slice(2);
const opened = await sessionFiles({ cwd, stateDir: undefined, prefer: "project" }).open(ref);
if (opened.ok) {
  const { log, tree } = opened.value;
  const entry = { id: `p${process.pid}`, parentId: tree.tip, ts: 1, type: "title", title: "mine" };
  log.append([JSON.stringify(entry)]);
}
console.log(opened.ok ? "opened" : opened.error.kind);
for await (const _ of console) break;
if (opened.ok) await opened.value.log.close();
