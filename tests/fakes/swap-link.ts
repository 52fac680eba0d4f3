// Puts a link in the place of something and takes it away again, as fast as it can, until it is killed.
import { renameSync, rmSync, symlinkSync } from "node:fs";

const [place = "", leadsTo = ""] = process.argv.slice(2);
const [link, kept] = [`${place}.link`, `${place}.kept`];
console.log("ready");
while (true) {
  try {
    symlinkSync(leadsTo, link);
    renameSync(place, kept);
    renameSync(link, place);
    rmSync(place);
    renameSync(kept, place);
  } catch {
    // The writer made something in between: begin again with what is kept.
    rmSync(link, { force: true });
    try {
      rmSync(place, { recursive: true, force: true });
      renameSync(kept, place);
    } catch {
      // nothing was kept
    }
  }
}
