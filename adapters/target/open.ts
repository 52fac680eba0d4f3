import { readlinkSync } from "node:fs";
import type { Target } from "../../core/ports/target.ts";
import { childEnv, type EnvRules } from "../host/child-env.ts";
import { localFiles } from "./files.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import { plainShell } from "./shell/plain.ts";
import { localTransport } from "./transport/local.ts";
import type { Transport } from "./transport/transport.ts";

export type TargetPlace = {
  readonly cwd: string;
  readonly home: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly envRules?: EnvRules;
  /** Commands run inside of it. */
  readonly sandbox?: Sandbox | undefined;
};

/** The machine buddy runs on, each command in its own shell. */
export const openLocalTarget = (place: TargetPlace): Target => openLocal(place).target;

/** The same with what starts its programs, for whoever has another shell for it. */
export function openLocal({ cwd, home, env, envRules, sandbox }: TargetPlace): {
  readonly target: Target;
  readonly transport: Transport;
} {
  const transport = localTransport({ cwd, env: childEnv(env, envRules) });
  const target: Target = {
    summary: transport.summary,
    cwd,
    run: plainShell(sandbox ? walled(transport, sandbox) : transport),
    ...localFiles({ cwd, home }),
    timeZone: async () => localTimeZone(env),
    close: transport.close,
    killNow: transport.killNow,
  };
  return { target, transport };
}

const walled = (transport: Transport, sandbox: Sandbox): Transport => ({
  ...transport,
  start: (argv, options) => transport.start(sandbox(argv), options),
});

/** Asking Intl costs milliseconds, so it is asked only where the system does not say it plainly. */
function localTimeZone(env: TargetPlace["env"]): string {
  if (env.TZ && !env.TZ.startsWith(":")) return env.TZ;
  try {
    const [, name] = readlinkSync("/etc/localtime").split("/zoneinfo/");
    if (name) return name;
  } catch {
    // no such link: a minimal container, or a copied file
  }
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
