import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Result } from "../../core/result.ts";

/** Runs a test in a directory of its own with these files, which is gone afterwards. */
export async function inDirectory(
  files: Readonly<Record<string, string>>,
  body: (root: string) => Promise<void>,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "buddy-config-"));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    await body(root);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

export function unwrap<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(`expected a value: ${JSON.stringify(result.error)}`);
  return result.value;
}
