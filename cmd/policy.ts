import type { LoadedConfig } from "../adapters/config/load.ts";
import { userPaths } from "../adapters/config/paths.ts";
import { type Failure, failure } from "../core/failure.ts";
import { err, ok, type Result } from "../core/result.ts";
import { displayText } from "../core/sanitize.ts";
import type { Invocation } from "./command.ts";
import { reportFailure, warningLine } from "./exit.ts";
import { loadLayers } from "./settings.ts";
import { localFilesTarget } from "./wire-target.ts";
import { fileRules, shellRules } from "./wire-tools.ts";
import { wireWeb } from "./wire-web.ts";

/** What is printed, field by field as `--json` has it. */
type Verdict = {
  readonly verdict: "allow" | "ask" | "deny";
  readonly read_only: boolean;
  readonly rule: string;
  readonly reason: string;
  readonly commands: readonly (readonly string[])[];
};

type Question =
  | { readonly type: "command"; readonly text: string }
  | { readonly type: "path"; readonly text: string }
  | { readonly type: "url"; readonly text: string };

/** `buddy policy test -- COMMAND`, `--path PATH`, `--url URL`: nothing is run, opened or fetched. */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, stdout, stderr } = invocation;
  const question = questionOf(invocation);
  if (!question.ok) return reportFailure(question.error, stderr);
  const loaded = await loadLayers(invocation);
  if (!loaded.ok) return reportFailure(loaded.error, stderr);
  for (const warning of loaded.value.warnings) stderr.write(warningLine(warning));
  const verdict = await judge(question.value, loaded.value.config, invocation);
  stdout.write(flags.on("json") ? `${JSON.stringify(verdict)}\n` : displayText(textOf(verdict)));
  return 0;
}

function questionOf({ flags, words }: Invocation): Result<Question, Failure> {
  const [action, ...rest] = words;
  const path = flags.text("path");
  const url = flags.text("url");
  const asked: readonly Question[] = [
    ...(rest.length > 0 ? [{ type: "command", text: rest.join(" ") } as const] : []),
    ...(path === undefined ? [] : [{ type: "path", text: path } as const]),
    ...(url === undefined ? [] : [{ type: "url", text: url } as const]),
  ];
  const [question, another] = asked;
  if (action === "test" && question !== undefined && another === undefined) return ok(question);
  const hint = "buddy policy test -- 'COMMAND', buddy policy test --path PATH, buddy policy test --url URL";
  return err(failure("usage", "Give policy test one command, one path or one URL", { hint }));
}

async function judge(
  { type, text }: Question,
  config: LoadedConfig["config"],
  { env, cwd }: Invocation,
): Promise<Verdict> {
  const paths = userPaths(env);
  switch (type) {
    case "command": {
      const { judgeShell } = await import("../core/policy/shell/judge.ts");
      const { verdict, readOnly, rule, reason, commands } = judgeShell(text, shellRules(config, paths));
      return { verdict, read_only: readOnly, rule, reason, commands };
    }
    case "path": {
      const { locateFile } = await import("../core/locate-file.ts");
      const access = {
        target: localFilesTarget(config, { env, cwd }, paths),
        rules: fileRules(config, paths),
      };
      const located = await locateFile(access, text, "write", new AbortController().signal);
      if (located.type !== "failed") return withoutCommands(located);
      return withoutCommands({ type: "denied", rule: "unreachable", reason: located.detail });
    }
    case "url": {
      const { judgeUrl } = await import("../core/policy/urls.ts");
      return withoutCommands(judgeUrl(text, wireWeb(config, env).urls));
    }
  }
}

type Judged =
  | { readonly type: "allowed" | "located" }
  | { readonly type: "denied"; readonly rule: string; readonly reason: string };

const withoutCommands = (judged: Judged): Verdict => ({
  verdict: judged.type === "denied" ? "deny" : "allow",
  read_only: false,
  rule: judged.type === "denied" ? judged.rule : "",
  reason: judged.type === "denied" ? judged.reason : "",
  commands: [],
});

function textOf({ verdict, read_only, rule, reason, commands }: Verdict): string {
  const lines = [
    `verdict: ${verdict}${read_only ? ", read-only" : ""}`,
    ...(rule === "" ? [] : [`rule: ${rule}`]),
    ...(reason === "" ? [] : [`reason: ${reason}`]),
    ...(commands.length === 0 ? [] : ["commands:"]),
    ...commands.map((argv) => `  ${JSON.stringify(argv)}`),
  ];
  return `${lines.join("\n")}\n`;
}
