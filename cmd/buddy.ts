import { OutputFailure, outputTo } from "../adapters/host/output.ts";
import type { Invocation } from "./command.ts";
import { versionLine } from "./version.ts";

// The entry. What is imported here is all that --version loads.

const argv = process.argv.slice(2);
process.exit(argv.length === 1 && isVersion(argv[0]) ? await printVersion() : await main(argv));

function isVersion(word: string | undefined): boolean {
  return word === "--version" || word === "-V" || word === "version";
}

async function printVersion(): Promise<number> {
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
  const context: Omit<Invocation, "flags" | "words" | "cwd"> = {
    env: process.env,
    stdout: outputTo(1),
    stderr: outputTo(2),
  };
  const { dispatch } = await import("./dispatch.ts");
  return dispatch(args, context);
}
