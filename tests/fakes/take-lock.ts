// A process that takes a lock once it is told to go, notes whether it was alone, and dies with the lock in its hands.
import { appendFileSync, closeSync, openSync, unlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { systemHost } from "../../adapters/host/host.ts";
import { takeLock } from "../../adapters/host/lock.ts";

const [path = "", log = ""] = process.argv.slice(2);
console.log("ready");
for await (const _ of console) break;
// Asks again at once: the more collide, the better.
const eagerHost = { ...systemHost, wait: () => setImmediate() };
const lock = await takeLock(eagerHost, path, { waitMs: 10_000 }, new AbortController().signal);
if (!lock.ok) throw new Error(lock.error.detail);
closeSync(openSync(`${path}.inside`, "wx"));
for (let turn = 0; turn < 3; turn++) await setImmediate();
unlinkSync(`${path}.inside`);
appendFileSync(log, "alone\n");
process.kill(process.pid, "SIGKILL");
