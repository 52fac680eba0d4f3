import { join } from "node:path";

/** Compiles the empty program with the flags of scripts/build.ts, so that only what it holds differs. */
export async function compileEmpty(outfile: string): Promise<void> {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, "empty.ts")],
    target: "bun",
    format: "esm",
    minify: true,
    bytecode: true,
    sourcemap: "none",
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  if (!built.success) throw new Error(`Cannot compile "${outfile}": ${built.logs.join("; ")}`);
}
