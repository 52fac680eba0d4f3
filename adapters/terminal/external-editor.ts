import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { err, ok, type Result } from "../../core/result.ts";
import { reasonOf } from "../host/errno.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Lets the user change a text in an editor of their own, which has the terminal meanwhile. */
export async function editExternally(text: string, env: Env): Promise<Result<string, string>> {
  const program = env.VISUAL || env.EDITOR || "vi";
  const dir = mkdtempSync(join(tmpdir(), "buddy-edit-"));
  const path = join(dir, "prompt.md");
  try {
    writeFileSync(path, text, { mode: 0o600 });
    // By the shell, because people write arguments into these variables.
    const child = Bun.spawn(["/bin/sh", "-c", `${program} "$1"`, "sh", path], {
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
      env: { ...env },
    });
    const code = await child.exited;
    if (code !== 0) return err(`"${program}" ended with ${code}; the text stays as it was`);
    return ok(readFileSync(path, "utf8").replace(/\n$/, ""));
  } catch (error) {
    return err(`Cannot edit with "${program}": ${reasonOf(error)}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
