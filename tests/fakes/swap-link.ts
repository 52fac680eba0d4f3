// Swaps something for a link and back, in one step each and as fast as it can, until it is killed.
import { dlopen, FFIType, ptr } from "bun:ffi";
import { lstatSync, rmSync, symlinkSync } from "node:fs";

const [place = "", leadsTo = ""] = process.argv.slice(2);
const link = `${place}.link`;
symlinkSync(leadsTo, link);

const AT_FDCWD = -100;
const RENAME_EXCHANGE = 2;
const { i32, u32, ptr: pointer } = FFIType;
const libc = dlopen("libc.so.6", {
  renameat2: { args: [i32, pointer, i32, pointer, u32], returns: i32 },
});
const [a, b] = [Buffer.from(`${place}\0`), Buffer.from(`${link}\0`)];
console.log("ready");
while (true) {
  libc.symbols.renameat2(AT_FDCWD, ptr(a), AT_FDCWD, ptr(b), RENAME_EXCHANGE);
  if ([place, link].some((path) => lstatSync(path).isSymbolicLink())) continue;
  // The writer has replaced the link by a file: there is a new one for the next round.
  rmSync(link, { force: true });
  symlinkSync(leadsTo, link);
}
