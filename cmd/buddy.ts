import type { Invocation } from "./command.ts";

// The entry. Only what the asked command needs is loaded: `buddy --version` answers before anything else is read.

const argv = process.argv.slice(2);
process.exit(argv.length === 1 && isVersion(argv[0]) ? await printVersion() : await main(argv));

function isVersion(word: string | undefined): boolean {
  return word === "--version" || word === "-V" || word === "version";
}

async function printVersion(): Promise<number> {
  const { versionLine } = await import("./version.ts");
  const { OutputFailure, outputTo } = await import("../adapters/host/output.ts");
  try {
    outputTo(1).write(versionLine());
    return 0;
  } catch (error) {
    if (!(error instanceof OutputFailure)) throw error;
    outputTo(2).write(`buddy: ${error.message}\n`);
    return 1;
  }
}

async function main(args: readonly string[]): Promise<number> {
  const { dispatch } = await import("./dispatch.ts");
  const { outputTo } = await import("../adapters/host/output.ts");
  const context: Omit<Invocation, "flags" | "words" | "cwd"> = {
    env: process.env,
    stdout: outputTo(1),
    stderr: outputTo(2),
  };
  return dispatch(args, context);
}
