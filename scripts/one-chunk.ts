import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { BunPlugin } from "bun";

/**
 * Splitting makes a chunk for each set of lazy modules that share some files: one run would load forty of them, which
 * costs 0.4 ms. Here every lazy module imports the root, which is loaded before them anyway, so that what the root
 * reaches is shared by all and becomes one chunk.
 */
export function oneChunk(root: string): BunPlugin {
  const lazy = lazyModules();
  const withRoot = (path: string, source: string): string =>
    lazy.has(path) ? `${source}\nimport ${JSON.stringify(resolve(root))};\n` : source;
  return {
    name: "one-chunk",
    setup: (build) => {
      build.onLoad({ filter: /\/(?:cmd|adapters|core)\/.*\.ts$/ }, ({ path }) => ({
        contents: withRoot(path, readFileSync(path, "utf8")),
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
