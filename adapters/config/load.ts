import { join } from "node:path";
import type { Layer, Loaded } from "../../core/config/layers.ts";
import type { Config } from "../../core/config/schema.ts";
import { err, ok, type Result } from "../../core/result.ts";
import { builtIn } from "./built-in.ts" with { type: "macro" };
import { readConfigFile } from "./files.ts";
import { projectConfigFile, type UserPaths, userConfigFile } from "./paths.ts";
import { TEMPLATE } from "./template.ts";

export type ConfigSources = {
  /** `--config`, or BUDDY_CONFIG: only this file. */
  readonly only: string | undefined;
  /** `--hermetic`: no file at all. */
  readonly hermetic: boolean;
  readonly cwd: string;
  readonly paths: UserPaths;
  /** The user said to trust the project's file for this run. */
  readonly trustOnce: boolean;
  readonly flags: FlagLayer;
};

/** Flags are read by us. They set keys of a table in which a value means the same before and after validation. */
export type FlagLayer = Layer & { readonly values: { readonly agent?: Partial<Config["agent"]> } };

const BUILT_IN = builtIn();

export type LoadedConfig = Loaded & {
  /** Every layer, lowest first; the last is the flags. */
  readonly layers: readonly Layer[];
  /** Profiles that the user's own files define, in order. */
  readonly ownProfiles: readonly string[];
  /** The user file that is missing and could be made. */
  readonly missingUserFile: string | undefined;
};

/** Built-in profiles (what the template says holds without any file), user file, project file, flags. */
export async function loadConfig(sources: ConfigSources): Promise<Result<LoadedConfig, string>> {
  const files = await fileLayers(sources);
  if (!files.ok) return files;
  const { layers: own, warnings, missingUserFile } = files.value;
  const layers = [{ name: "built-in", own: true as const, values: BUILT_IN.values }, ...own, sources.flags];
  const merged = await merge(layers, sources.flags);
  if (!merged.ok) return merged;
  return ok({
    config: merged.value.config,
    warnings: [...warnings, ...merged.value.warnings],
    layers,
    ownProfiles: own.flatMap(({ own: ours, values }) => (ours ? [] : Object.keys(Object(values.models)))),
    missingUserFile,
  });
}

/** The schema is loaded only when there is something to check. A template of earlier says the same in other comments. */
async function merge(layers: readonly Layer[], flags: FlagLayer): Promise<Result<Loaded, string>> {
  if (layers.every(({ own, values }) => own || Bun.deepEquals(values, BUILT_IN.values))) {
    const { config } = BUILT_IN;
    return ok({ config: { ...config, agent: { ...config.agent, ...flags.values.agent } }, warnings: [] });
  }
  const { mergeLayers } = await import("../../core/config/layers.ts");
  return mergeLayers(layers);
}

export const trustFile = (paths: UserPaths): string | undefined =>
  paths.configDir && join(paths.configDir, "trust.json");

type FileLayers = {
  readonly layers: readonly Layer[];
  readonly warnings: readonly string[];
  readonly missingUserFile: string | undefined;
};

async function fileLayers(sources: ConfigSources): Promise<Result<FileLayers, string>> {
  const nothing = { layers: [], warnings: [], missingUserFile: undefined };
  if (sources.only !== undefined) {
    const read = await readConfigFile(sources.only);
    if (!read.ok) return read;
    if (read.value === undefined) return err(`Cannot read config "${sources.only}": no such file`);
    return ok({ ...nothing, layers: [read.value] });
  }
  if (sources.hermetic) return ok(nothing);
  const path = userConfigFile(sources.paths);
  // Most users never change the file that was made for them.
  const known = { text: TEMPLATE, values: BUILT_IN.values };
  const user = path === undefined ? ok(undefined) : await readConfigFile(path, known);
  if (!user.ok) return user;
  const project = await projectLayer(sources);
  if (!project.ok) return project;
  return ok({
    layers: [user.value, project.value.layer].filter((layer) => layer !== undefined),
    warnings: project.value.warnings,
    missingUserFile: user.value === undefined ? path : undefined,
  });
}

type ProjectLayer = { readonly layer: Layer | undefined; readonly warnings: readonly string[] };

/** The project's own file. Until the user trusts it, what could leak a key or loosen safety is left out. */
async function projectLayer({ cwd, paths, trustOnce }: ConfigSources): Promise<Result<ProjectLayer, string>> {
  const path = projectConfigFile(cwd);
  const read = await readConfigFile(path);
  if (!read.ok) return read;
  const layer = read.value;
  if (layer === undefined || trustOnce) return ok({ layer, warnings: [] });
  const { splitByTrust } = await import("../../core/config/trust.ts");
  const split = splitByTrust(layer.values);
  if (split.names.length === 0) return ok({ layer, warnings: [] });
  const { trustStore } = await import("./trust-store.ts");
  const trusted = trustStore(trustFile(paths)).isTrusted(cwd, split);
  if (!trusted.ok) return trusted;
  if (trusted.value) return ok({ layer, warnings: [] });
  const warning = `"${path}" is not trusted: ignored ${split.names.join(", ")}. To honour them: buddy trust, or --trust for one run`;
  return ok({ layer: { ...layer, values: split.harmless }, warnings: [warning] });
}
