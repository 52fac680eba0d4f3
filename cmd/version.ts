import type { Invocation } from "./command.ts";

/** Defined when the executable is built; from source there is no build to name. */
export const VERSION = typeof BUDDY_VERSION === "string" ? BUDDY_VERSION : "0.0.0-source";

export const versionLine = (): string =>
  typeof BUDDY_COMMIT === "string"
    ? `buddy ${VERSION} (${BUDDY_COMMIT} ${BUDDY_DATE})\n`
    : `buddy ${VERSION}\n`;

export async function run({ stdout }: Invocation): Promise<number> {
  stdout.write(versionLine());
  return 0;
}
