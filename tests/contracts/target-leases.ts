import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { queue } from "../../adapters/target/far/queue.ts";
import type { Target } from "../../core/ports/target.ts";
import { never, plainEnv } from "./target-runs.ts";

/** On another machine no environment of ours is there to be inherited, and everything takes longer. */
export type TargetTraits = {
  readonly place: "here" | "elsewhere";
  /** In a pane both streams are one, the shell lives on between commands, and a terminal stands for standard input. */
  readonly shell?: "plain" | "pane";
};

export type TargetPlace = {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
};

export type OpenTarget = (place: TargetPlace) => Target | Promise<Target>;

type Body = (target: Target, cwd: string) => Promise<void>;
type Lease = { readonly target: Target; readonly root: string; readonly cwd: string };

export type Leases = {
  /** A target in an empty directory. It may have served another test. */
  readonly withTarget: (body: Body) => Promise<void>;
  /** One of its own, closed when the body has ended. */
  readonly withNewTarget: (body: Body, env?: TargetPlace["env"]) => Promise<void>;
};

/** What is elsewhere takes so long to reach that tests share a few connections. */
const MAX_ELSEWHERE = 4;

export function targetLeases(open: OpenTarget, { place }: TargetTraits): Leases {
  const places = queue(place === "here" ? Number.POSITIVE_INFINITY : MAX_ELSEWHERE);
  const idle: Lease[] = [];
  const start = async (env = plainEnv()): Promise<Lease> => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "buddy-target-")));
    const [cwd, home] = [join(root, "work"), join(root, "home")];
    mkdirSync(cwd);
    mkdirSync(home);
    return { target: await open({ cwd, home, env }), root, cwd };
  };
  const end = async ({ target, root }: Lease): Promise<void> => {
    await target.close();
    rmSync(root, { recursive: true, force: true });
  };
  const tidy = ({ root, cwd }: Lease): void => {
    for (const name of readdirSync(root)) {
      if (name !== "work" && name !== "home") rmSync(join(root, name), { recursive: true });
    }
    for (const name of readdirSync(cwd)) rmSync(join(cwd, name), { recursive: true });
  };
  afterAll(async () => {
    await Promise.all(idle.splice(0).map(end));
  });

  const withNewTarget: Leases["withNewTarget"] = async (body, env) => {
    const leave = await places.enter(never());
    const lease = await start(env);
    try {
      await body(lease.target, lease.cwd);
    } finally {
      await end(lease);
      leave();
    }
  };
  const withSharedTarget = async (body: Body): Promise<void> => {
    const leave = await places.enter(never());
    const lease = idle.pop() ?? (await start());
    let passed = false;
    try {
      await body(lease.target, lease.cwd);
      passed = true;
    } finally {
      if (passed) {
        tidy(lease);
        idle.push(lease);
      } else await end(lease);
      leave();
    }
  };
  return { withTarget: place === "here" ? withNewTarget : withSharedTarget, withNewTarget };
}
