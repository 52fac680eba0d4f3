// Compiles dist/buddy (or the path given) for this machine.
import { $ } from "bun";
import pkg from "../package.json" with { type: "json" };
import { oneChunk } from "./one-chunk.ts";

const outfile = process.argv[2] ?? "dist/buddy";
const git = async (...args: string[]) => (await $`git ${args}`.quiet().nothrow().text()).trim();
const commit = (await git("rev-parse", "--short=12", "HEAD")) || "unknown";
const date = (await git("show", "-s", "--format=%cs", "HEAD")) || "unknown";

const built = await Bun.build({
  entrypoints: ["cmd/buddy.ts"],
  target: "bun",
  format: "esm",
  minify: true,
  bytecode: true,
  // Each lazily imported command is a chunk of its own: --version reads almost nothing.
  splitting: true,
  plugins: [oneChunk("cmd/dispatch.ts")],
  sourcemap: "none",
  define: {
    BUDDY_VERSION: JSON.stringify(pkg.version),
    BUDDY_COMMIT: JSON.stringify(commit),
    BUDDY_DATE: JSON.stringify(date),
  },
  // A directory that the user enters must not be able to act: see "Project trust" in ARCHITECTURE.md.
  compile: {
    outfile,
    // Start-up code stays in the interpreter; one-task.ts sets it back once the first request is out.
    jitPolicy: 8,
    autoloadDotenv: false,
    autoloadBunfig: false,
    autoloadTsconfig: false,
    autoloadPackageJson: false,
  },
});
for (const log of built.logs) console.error(log);
if (!built.success) process.exit(1);
