// Run with a small limit on file sizes: appends entries until one does not fit, then a small one, and says what the
// store answered to each.
import { sessionFiles } from "../../adapters/store/session-files.ts";
import { entryId, sessionIdOf } from "../../core/id.ts";

const [cwd = "", ...sizes] = process.argv.slice(2);
const store = sessionFiles({ cwd, stateDir: undefined, prefer: "project" });
const created = await store.create({
  type: "session",
  v: 1,
  id: sessionIdOf("full"),
  created_at: "2026-01-01T00:00:00.000Z",
  cwd,
  target: "local",
  buddy: "1.0.0",
});
const answers = created.ok
  ? sizes.map((size, index) => created.value.log.append([lineOf(index, Number(size))]))
  : [created];
console.log(JSON.stringify(answers));

function lineOf(index: number, chars: number): string {
  const content = [{ type: "text", text: "x".repeat(chars) }];
  const place = { id: entryId(index), parentId: null, ts: index };
  return JSON.stringify({ ...place, type: "message", role: "user", content });
}
