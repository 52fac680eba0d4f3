import { readFileSync } from "node:fs";
import { join } from "node:path";
import { judgeShell } from "../core/policy/shell/judge.ts";
import type { Contestant } from "./contestants.ts";
import type { Samples } from "./statistics.ts";

const CORPUS = join(import.meta.dir, "../fixtures/corpus/shell-commands.json");

/** The shell policy on every command of the corpus, each timed on its own, in this process. */
export function verdicts(samples: Samples): Contestant {
  const rows: readonly { readonly input: string }[] = JSON.parse(readFileSync(CORPUS, "utf8"));
  const rules = { home: "/home/u", denylist: [] };
  const run = async () => {
    for (const { input } of rows) {
      const startedNs = Bun.nanoseconds();
      judgeShell(input, rules);
      samples.add("verdict", (Bun.nanoseconds() - startedNs) / 1e6);
    }
  };
  return { name: "verdict", every: 4, run };
}
