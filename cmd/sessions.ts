import { resolve } from "node:path";
import { replaceFile } from "../adapters/host/atomic-file.ts";
import { paintFor } from "../adapters/output/paint.ts";
import { sessionFiles } from "../adapters/store/session-files.ts";
import { type Failure, failure } from "../core/failure.ts";
import { nearest } from "../core/nearest.ts";
import type { ReadSession, Store, StoreFailure } from "../core/ports/store.ts";
import { redactKnown } from "../core/redact-known.ts";
import { err, ok, type Result } from "../core/result.ts";
import { displayText } from "../core/sanitize.ts";
import { secretValues } from "../core/secret-values.ts";
import type { EntryRedaction } from "../core/session.ts";
import type { SessionSummary } from "../core/session-summary.ts";
import type { Invocation } from "./command.ts";
import { reportFailure, warningLine } from "./exit.ts";
import { stateDirOf } from "./state-dir.ts";

/** `buddy sessions`, `show ID`, `export ID`, `rm ID`. */
export async function run(invocation: Invocation): Promise<number> {
  const done = await runVerb(invocation);
  return done.ok ? 0 : reportFailure(done.error, invocation.stderr);
}

type Done = Result<void, Failure>;

const VERBS = ["list", "show", "export", "rm"] as const;
const FORMATS = ["md", "html", "jsonl"] as const;

async function runVerb(invocation: Invocation): Promise<Done> {
  const [verb = "list", ref, ...surplus] = invocation.words;
  const store = sessionFiles({
    cwd: invocation.cwd,
    stateDir: stateDirOf(invocation.env),
    prefer: "project",
  });
  if (verb === "list" && ref === undefined) return list(store, invocation);
  if (!VERBS.some((known) => known === verb)) return unknownVerb(verb);
  if (ref === undefined || surplus.length > 0 || verb === "list") {
    return err(
      failure("usage", verb === "list" ? "list takes no session" : `${verb} takes one session`, HINT),
    );
  }
  if (verb === "rm") return remove(store, ref, invocation);
  const read = await store.read(ref);
  if (!read.ok) return err(asFailure(read.error));
  for (const warning of read.value.warnings) invocation.stderr.write(warningLine(warning));
  return verb === "show" ? show(read.value, invocation) : exportSession(read.value, invocation);
}

const HINT = { hint: "buddy help sessions" } as const;

function unknownVerb(verb: string): Done {
  const meant = nearest(verb, [...VERBS]);
  const question = meant ? `; did you mean "${meant}"?` : "";
  return err(failure("usage", `Unknown "${verb}" after sessions${question}`, HINT));
}

/** An id that is not there is the user's slip; a session that cannot be used is not. */
function asFailure({ kind, detail }: StoreFailure): Failure {
  if (kind === "not_found") return failure("usage", detail, { hint: "buddy sessions lists the ids" });
  if (kind === "ambiguous") return failure("usage", detail, { hint: "give more of the id" });
  return failure("internal", detail);
}

async function list(store: Store, { flags, env, stdout, stderr }: Invocation): Promise<Done> {
  const { sessions, warnings } = await store.list();
  for (const warning of warnings) stderr.write(warningLine(warning));
  const shown = await withoutSecrets(sessions, env);
  if (flags.on("json")) {
    stdout.write(`${JSON.stringify(shown.map(jsonRow), undefined, 2)}\n`);
    return ok(undefined);
  }
  if (shown.length === 0) {
    stderr.write("There are no sessions of this directory yet\n");
    return ok(undefined);
  }
  const { sessionTable } = await import("../adapters/output/session-table.ts");
  stdout.write(sessionTable(shown, localTime, paintFor({ flags, env }, stdout)));
  return ok(undefined);
}

/** Session files were masked when they were written; snapshots of old were not. */
async function withoutSecrets(
  sessions: readonly SessionSummary[],
  env: Invocation["env"],
): Promise<readonly SessionSummary[]> {
  const secrets = secretValues(env);
  const known = redactKnown(secrets);
  if (sessions.every(({ format }) => format === "session")) {
    return sessions.map((session) => ({ ...session, title: known(session.title) }));
  }
  const { anything } = await redaction(env);
  return sessions.map((session) => ({
    ...session,
    title: session.format === "session" ? known(session.title) : anything(session.title),
  }));
}

const jsonRow = ({ id, path, format, lastUsedMs, title, turns, model, damage }: SessionSummary) => ({
  id,
  path: displayText(path),
  format,
  last_used: new Date(lastUsedMs).toISOString(),
  title,
  turns: turns.count,
  turns_exact: turns.type === "exact",
  model,
  ...(damage === undefined ? {} : { damage }),
});

function localTime(unixMs: number): string {
  const time = new Date(unixMs);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

async function redaction(env: Invocation["env"]): Promise<EntryRedaction> {
  const { redactor } = await import("../core/redact.ts");
  const secrets = secretValues(env);
  return { anything: redactor(secrets), known: redactKnown(secrets) };
}

async function show({ tree }: ReadSession, { flags, env, stdout }: Invocation): Promise<Done> {
  const { sessionView } = await import("../core/session-view.ts");
  const { sessionText } = await import("../adapters/output/show-session.ts");
  const view = sessionView(tree, (await redaction(env)).anything);
  stdout.write(sessionText(view, paintFor({ flags, env }, stdout)));
  return ok(undefined);
}

async function exportSession({ tree }: ReadSession, invocation: Invocation): Promise<Done> {
  const { flags, env, cwd, stdout, stderr } = invocation;
  const wanted = flags.text("format") ?? "md";
  const format = FORMATS.find((known) => known === wanted);
  if (format === undefined) {
    return err(failure("usage", `--format must be ${FORMATS.join(", ")}, not "${wanted}"`, HINT));
  }
  const text = await exported(format, tree, await redaction(env));
  const output = flags.text("output");
  if (output === undefined || output === "-") {
    stdout.write(text);
    return ok(undefined);
  }
  const written = replaceFile(resolve(cwd, output), text);
  if (!written.ok) return err(failure("internal", `Cannot write "${output}": ${written.error}`));
  stderr.write(displayText(`Wrote "${output}"\n`));
  return ok(undefined);
}

async function exported(
  format: (typeof FORMATS)[number],
  tree: ReadSession["tree"],
  redact: EntryRedaction,
): Promise<string> {
  if (format === "jsonl") {
    const { exportJsonl } = await import("../adapters/output/export-jsonl.ts");
    return exportJsonl(tree, redact);
  }
  const { sessionView } = await import("../core/session-view.ts");
  const view = sessionView(tree, redact.anything);
  if (format === "md") return (await import("../adapters/output/export-md.ts")).exportMarkdown(view);
  return (await import("../adapters/output/export-html.ts")).exportHtml(view);
}

async function remove(store: Store, ref: string, { stderr }: Invocation): Promise<Done> {
  const removed = await store.remove(ref);
  if (!removed.ok) return err(asFailure(removed.error));
  stderr.write(displayText(`Removed "${removed.value.path}"\n`));
  return ok(undefined);
}
