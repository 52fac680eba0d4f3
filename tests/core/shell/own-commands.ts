import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";

const commands = v.array(v.string());

/** Commands of our own beside the corpus, by what the policy must make of them. */
export const ownCommands = v.parse(
  v.strictObject({
    denied: commands,
    /** Asked about whatever the settings, or denied. */
    careful: commands,
    allowed: commands,
    read_only: commands,
    not_read_only: commands,
  }),
  JSON.parse(readFileSync(join(import.meta.dir, "../../../fixtures/shell-policy.json"), "utf8")),
);
