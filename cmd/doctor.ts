import type { Paint } from "../adapters/output/paint.ts";
import { paintFor } from "../adapters/output/paint.ts";
import { oneLine } from "../core/sanitize.ts";
import type { Invocation } from "./command.ts";
import type { Check } from "./doctor-check.ts";
import { environmentChecks } from "./doctor-environment.ts";
import { setupChecks } from "./doctor-setup.ts";
import { EXIT_CODES } from "./exit.ts";
import { VERSION } from "./version.ts";

/** `buddy doctor`: looks at everything at once, so that it takes as long as the slowest. */
export async function run(invocation: Invocation): Promise<number> {
  const [environment, setup] = await Promise.all([environmentChecks(invocation), setupChecks(invocation)]);
  const checks = [...environment, ...setup];
  const failed = checks.find(({ status }) => status === "failed");
  const exitCode = failed ? EXIT_CODES[failed.class ?? "usage"] : 0;
  const { flags, stdout } = invocation;
  if (flags.on("json")) {
    const shown = checks.map(({ name, status, detail, hint }) => ({
      name,
      status,
      detail,
      hint: hint ?? null,
    }));
    stdout.write(
      `${JSON.stringify({ ok: !failed, exit_code: exitCode, version: VERSION, checks: shown })}\n`,
    );
    return exitCode;
  }
  const paint = paintFor(invocation, stdout);
  stdout.write(checks.map((check) => checkLines(check, paint)).join(""));
  stdout.write(failed ? "This setup cannot work yet.\n" : "This setup can work.\n");
  return exitCode;
}

const MARKS = { ok: ["green", "ok"], warning: ["yellow", "note"], failed: ["red", "FAILED"] } as const;

function checkLines({ name, status, detail, hint }: Check, paint: Paint): string {
  const [style, mark] = MARKS[status];
  const line = `${paint(style, mark.padEnd(7))}${name.padEnd(13)}${oneLine(detail, 300)}\n`;
  return hint === undefined
    ? line
    : `${line}${" ".repeat(20)}${paint("dim", `hint: ${oneLine(hint, 300)}`)}\n`;
}
