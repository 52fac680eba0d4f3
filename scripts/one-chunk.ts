import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { BunPlugin } from "bun";

/**
 * Splitting makes a chunk for each set of lazy modules that share some files: one run would load forty of them, which
 * costs 0.4 ms. Here every lazy module imports the roots, which most of them need anyway, so that what the roots
 * reach is shared by all and becomes one chunk.
 */
export function oneChunk(roots: readonly string[]): BunPlugin {
  const shared = roots.map((root) => resolve(root));
  const lazy = lazyModules();
  const withRoots = (path: string, source: string): string =>
    lazy.has(path)
      ? `${source}\n${shared.map((root) => `import ${JSON.stringify(root)};`).join("\n")}\n`
      : source;
  return {
    name: "one-chunk",
    setup: (build) => {
      build.onLoad({ filter: /\/(?:cmd|adapters|core)\/.*\.ts$/ }, ({ path }) => ({
        contents: withRoots(path, readFileSync(path, "utf8")),
        loader: "ts",
      }));
    },
  };
}

/** Every file that is named in an `import("…")`. */
function lazyModules(): ReadonlySet<string> {
  const files = [...new Bun.Glob("{cmd,adapters,core}/**/*.ts").scanSync(".")];
  return new Set(
    files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\bimport\("(\.[^"]+\.ts)"\)/g)].map(([, name = ""]) =>
        resolve(dirname(file), name),
      ),
    ),
  );
}
