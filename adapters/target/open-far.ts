import type { Target } from "../../core/ports/target.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { childEnv, type EnvRules } from "../host/child-env.ts";
import { farFiles } from "./far/far-files.ts";
import { openFarSide } from "./far/far-side.ts";
import { plainShell } from "./shell/plain.ts";
import { containerLink } from "./transport/container.ts";
import type { Link, LinkFailure } from "./transport/link.ts";
import { localLink } from "./transport/local-link.ts";
import { sshLink } from "./transport/ssh.ts";
import { parseSshHost } from "./transport/ssh-host.ts";
import type { Transport } from "./transport/transport.ts";

export type FarPlace = {
  readonly ssh: string | undefined;
  readonly container: string | undefined;
  /** The directory to work in over there; nothing: where one arrives. */
  readonly cwd: string | undefined;
  /** Where clients are started here. */
  readonly localCwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly envRules?: EnvRules;
  /** Somebody sits at a terminal who can be asked for a password. */
  readonly asks: boolean;
};

export type FarTarget = {
  readonly target: Target;
  readonly transport: Transport;
  /** The user's home over there. */
  readonly home: string;
  readonly temporary: string;
  readonly reach: readonly string[];
};

export type FarFailure = LinkFailure & { readonly kind: "usage" | "target" };

/** A target that is not this machine: an SSH host, a container here, or a container there. */
export async function openFarTarget(
  place: FarPlace,
  signal: AbortSignal,
): Promise<Result<FarTarget, FarFailure>> {
  const link = await linkTo(place, signal);
  if (!link.ok) return link;
  const opened = await openFarSide(link.value, place.cwd ?? "", signal);
  if (!opened.ok) {
    const { kind, ...why } = opened.error;
    return err({ ...why, kind: kind === "directory" ? "usage" : "target" });
  }
  const far = opened.value;
  const target: Target = {
    summary: far.summary,
    cwd: far.cwd,
    run: plainShell(far),
    ...farFiles(far),
    timeZone: async () => far.facts.timeZone,
    close: far.close,
    killNow: far.killNow,
  };
  const { home, temporary } = far.facts;
  return ok({ target, transport: far, home, temporary, reach: link.value.reach });
}

async function linkTo(place: FarPlace, signal: AbortSignal): Promise<Result<Link, FarFailure>> {
  const env = childEnv(place.env, place.envRules);
  const cwd = place.localCwd;
  let link = localLink({ cwd, env });
  if (place.ssh !== undefined) {
    const host = parseSshHost(place.ssh);
    if (!host.ok) return err({ kind: "usage", message: host.error });
    link = sshLink(host.value, { env, cwd, asks: place.asks });
  }
  if (place.container === undefined) return ok(link);
  const choice = { name: place.container, engine: place.env.BUDDY_CONTAINER_ENGINE || undefined };
  const container = await containerLink(link, choice, signal);
  if (container.ok) return container;
  await link.close("gently");
  return err({ kind: "target", ...container.error });
}
