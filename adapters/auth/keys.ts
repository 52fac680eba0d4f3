import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ActiveProfile } from "../../core/config/profile.ts";
import { type Failure, failure } from "../../core/failure.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { reasonOf } from "../host/errno.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The variable that each vendor's own tools read. */
const VENDOR_VARIABLES: Readonly<Record<string, string>> = {
  "api.openai.com": "OPENAI_API_KEY",
  "api.anthropic.com": "ANTHROPIC_API_KEY",
  "openrouter.ai": "OPENROUTER_API_KEY",
  "generativelanguage.googleapis.com": "GEMINI_API_KEY",
};

/** The key for a profile's endpoint; undefined where none is needed. Missing is a failure before anything is sent. */
export function findKey(profile: ActiveProfile, env: Env, cwd: string): Result<string | undefined, Failure> {
  const configured = configuredKey(profile, env, cwd);
  if (!configured.ok) return configured;
  const { hostname } = new URL(profile.api_base_url);
  const vendor = env[VENDOR_VARIABLES[hostname] ?? ""];
  const key = env.BUDDY_API_KEY || env.AGENT_API_KEY || configured.value || vendor;
  if (key && /[^\x21-\x7e]/.test(key)) {
    return err(
      failure("auth", `The key of profile "${profile.name}" has a blank or an unprintable character`),
    );
  }
  if (key) return ok(key);
  if (isLoopback(hostname)) return ok(undefined);
  const wanted = profile.api_key_env || VENDOR_VARIABLES[hostname] || "BUDDY_API_KEY";
  return err(
    failure("auth", `There is no key for profile "${profile.name}" (${hostname})`, {
      hint: `set ${wanted}, or api_key_file in [models.${profile.name}]`,
    }),
  );
}

function configuredKey(profile: ActiveProfile, env: Env, cwd: string): Result<string, Failure> {
  if (profile.api_key !== "") return ok(profile.api_key);
  if (profile.api_key_env !== "") return ok(env[profile.api_key_env] ?? "");
  if (profile.api_key_file === "") return ok("");
  const path = resolve(cwd, expandHome(profile.api_key_file, env.HOME));
  try {
    return ok(readFileSync(path, "utf8").trimEnd());
  } catch (error) {
    return err(failure("auth", `Cannot read the key file "${path}": ${reasonOf(error)}`));
  }
}

const expandHome = (path: string, home: string | undefined): string =>
  home && path.startsWith("~/") ? home + path.slice(1) : path;

const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
