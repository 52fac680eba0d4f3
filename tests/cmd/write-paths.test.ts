import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathRows } from "../adapters/path-rows.ts";
import { calls, says } from "../fakes/endpoint.ts";
import { newEndpoint, newPlace, type Place, runBuddy } from "./run-buddy.ts";
import { resultsSent } from "./sent-results.ts";

const rows = pathRows();

type Row = (typeof rows)[number];

/** The rows speak of one home; here it is a fresh one, so that what stands there cannot matter. */
const inPlace = ({ home }: Place, path: string): string => path.replaceAll("/home/u", home);

function prepare(place: Place, setup: Row["context"]["setup"]): void {
  for (const one of setup) {
    if ("symlink" in one) symlinkSync(inPlace(place, one.to), join(place.cwd, one.symlink));
    else if ("mkfifo" in one) Bun.spawnSync(["mkfifo", join(place.cwd, one.mkfifo)]);
    else {
      mkdirSync(join(place.cwd, one.mkdir));
      if (one.mode !== undefined) chmodSync(join(place.cwd, one.mkdir), Number.parseInt(one.mode, 8));
    }
  }
}

const argumentsFor = (tool: string, path: string): object => {
  if (tool === "read_file") return { path };
  return tool === "edit" ? { path, edits: [{ search: "root", replace: "x" }] } : { path, content: "x\n" };
};

/**
 * What the model is told. Nobody approves anything, so that a rule that fails harms nothing; only what may be written
 * and then fails (a pipe, a read-only directory) is really tried.
 */
async function ask(row: Row) {
  const call = (place: Place) =>
    calls({ name: row.tool, arguments: argumentsFor(row.tool, inPlace(place, row.input)) });
  const root = newPlace();
  using place = { ...root, home: join(root.root, "u"), cwd: join(root.root, "u/proj") };
  mkdirSync(place.cwd, { recursive: true });
  prepare(place, row.context.setup);
  await using endpoint = newEndpoint((_request, index) => (index === 0 ? call(place) : says("done")));
  const roots = row.context.allow_roots.map((path) => inPlace(place, path));
  mkdirSync(join(root.root, "config/buddy"), { recursive: true });
  await Bun.write(
    join(root.root, "config/buddy/buddy.toml"),
    `[tools]\nfiles_confirm = true\nfiles_allowed_paths = ${JSON.stringify(roots)}\n[models.m]\napi_base_url = "${endpoint.url}"\n`,
  );
  const really = row.context.setup.some((one) => !("symlink" in one));
  const cwd = row.context.cwd === "/etc" ? "/etc" : place.cwd;
  const ran = await runBuddy(
    { ...place, cwd },
    ["exec", "--no-session", "--approve", really ? "all" : "none", "do it"],
    {
      env: {
        HOME: row.context.home === null ? undefined : place.home,
        XDG_CONFIG_HOME: join(root.root, "config"),
      },
    },
  );
  return { ran, told: resultsSent(endpoint.requests)[0] ?? "" };
}

const NOT_APPROVED = /Denied: (?!Cannot)/;

describe.concurrent("buddy exec and the paths that a model asks for", () => {
  test.each(rows.map((row) => [row.id, row.why, row] as const))("%s: %s", async (_id, _why, row) => {
    const { ran, told } = await ask(row);
    expect(ran.stdout).toBe("done\n");
    // What policy lets through is then not approved, which is another sentence.
    const verdict = NOT_APPROVED.test(told) ? "allow" : "block";
    expect([verdict, told]).toEqual([
      row.expected,
      expect.stringMatching(/Denied|Cannot|NUL|control character/),
    ]);
  });
});
