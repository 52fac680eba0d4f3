import { resolve } from "node:path";
import { readConfigFile } from "../adapters/config/files.ts";
import { trustFile } from "../adapters/config/load.ts";
import { projectConfigFile, userPaths } from "../adapters/config/paths.ts";
import { type TrustStore, trustStore } from "../adapters/config/trust-store.ts";
import { systemHost } from "../adapters/host/host.ts";
import { splitByTrust } from "../core/config/trust.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import { displayText } from "../core/sanitize.ts";
import type { Invocation } from "./command.ts";
import { reportFailure } from "./exit.ts";

/** `buddy trust [dir]`, `--revoke`, `--list`. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, words, env, cwd, stdout, stderr } = invocation;
  const store = trustStore(trustFile(userPaths(env)));
  const dir = resolve(cwd, words[0] ?? ".");
  const said =
    words.length > 1
      ? err("Give one directory")
      : flags.on("list")
        ? list(store)
        : flags.on("revoke")
          ? revoke(store, dir)
          : await trust(store, dir);
  if (!said.ok) return reportFailure(asFailure(said.error), stderr);
  stdout.write(displayText(`${said.value}\n`));
  return 0;
}

const asFailure = (message: string): Failure => failure("usage", message);

async function trust(store: TrustStore, dir: string): Promise<Result<string, string>> {
  const path = projectConfigFile(dir);
  const layer = await readConfigFile(path);
  if (!layer.ok) return layer;
  if (layer.value === undefined) return err(`There is no "${path}" to trust`);
  const split = splitByTrust(layer.value.values);
  if (split.names.length === 0) return ok(`"${path}" needs no trust: it holds nothing that could do harm`);
  const saved = store.trust(dir, split, systemHost.unixMs());
  if (!saved.ok) return saved;
  return ok(
    `Trusted "${path}" as it is now: ${split.names.join(", ")}. When these change, it is asked again`,
  );
}

function revoke(store: TrustStore, dir: string): Result<string, string> {
  const revoked = store.revoke(dir);
  if (!revoked.ok) return revoked;
  return ok(revoked.value ? `"${dir}" is no longer trusted` : `"${dir}" was not trusted`);
}

function list(store: TrustStore): Result<string, string> {
  const trusted = store.list();
  if (!trusted.ok) return trusted;
  if (trusted.value.length === 0) return ok("No directory is trusted");
  return ok(trusted.value.map(({ dir, since }) => `${dir}  (since ${since.slice(0, 10)})`).join("\n"));
}
