import { formatDuration, parseDuration } from "../../core/duration.ts";
import type { ApprovalPolicy } from "../../core/policy/approval.ts";
import { displayText, oneLine } from "../../core/sanitize.ts";
import type { CommandRegistry, SlashCommand } from "./commands.ts";
import type { Controller } from "./controller.ts";
import { short } from "./footer.ts";
import { cancel } from "./input.ts";
import type { ReplHost } from "./repl-host.ts";

export type PolicyKeeper = { readonly get: () => string; readonly set: (shown: string) => void };

/** Commands about the run itself: what goes on, what is used, who approves. */
export function runCommands(
  c: Controller,
  host: ReplHost,
  policy: PolicyKeeper,
  registry: () => CommandRegistry,
): readonly SlashCommand[] {
  const active = () => c.view().task;
  return [
    {
      name: "help",
      does: "list commands and keys",
      anytime: true,
      run: () => c.say(...helpLines(registry(), c)),
    },
    {
      name: "status",
      does: "model, session, tokens, task",
      anytime: true,
      run: () => c.say(...statusLines(c, host, policy)),
    },
    {
      name: "context",
      does: "how full the model's context is",
      anytime: true,
      run: () => c.say(contextLine(c)),
    },
    { name: "ps", does: "list what runs", anytime: true, run: () => c.say(...psLines(c, host)) },
    {
      name: "kill",
      argument: "<id>",
      does: "cancel a task",
      anytime: true,
      complete: () => (active() ? [{ value: taskNumber(c), label: taskNumber(c) }] : []),
      run: (argument) => {
        if (argument === "")
          return c.print({ type: "error", text: "Which one? /ps lists them, /kill <id> ends one" });
        if (!isActive(c, argument))
          return c.print({ type: "error", text: `No task "${argument}" is running` });
        cancel(c);
      },
    },
    {
      name: "timeout",
      argument: "<duration> [id]",
      does: "end the task after this time",
      anytime: true,
      run: (argument) => setTimeLimit(c, argument),
    },
    {
      name: "approve",
      argument: "ask|all|none|<duration>",
      does: "who approves actions",
      anytime: true,
      complete: () => ["ask", "all", "none", "10m", "1h"].map((value) => ({ value, label: value })),
      run: (argument) => setPolicy(c, host, policy, argument),
    },
    {
      name: "tools",
      does: "list the tools that the model has",
      run: () => c.say(...toolLines(host)),
    },
    { name: "copy", does: "copy the last answer to the clipboard", anytime: true, run: () => copyAnswer(c) },
    {
      name: "attach",
      does: "how to join the shared terminal",
      run: () => c.say(host.attachHint ?? "There is no shared terminal here: commands run without tmux"),
    },
    {
      name: "mcp",
      does: "MCP servers and their state",
      run: () =>
        c.say(...(host.mcpServers.length === 0 ? ["No MCP servers are configured"] : host.mcpServers)),
    },
    {
      name: "skill",
      argument: ":<name> [args]",
      does: "load a skill",
      run: () =>
        c.say(
          host.skills.length === 0
            ? "No skills are configured"
            : `Skills: ${host.skills.join(", ")}; load one with /skill:<name>`,
        ),
    },
    { name: "quit", aliases: ["exit", "q"], does: "leave", run: () => c.quit(0) },
  ];
}

const taskNumber = (c: Controller): string => c.view().task?.id.replace(/^\D+/, "") ?? "";

const isActive = (c: Controller, id: string): boolean =>
  c.view().task !== undefined && [taskNumber(c), `#${taskNumber(c)}`, c.view().task?.id].includes(id);

function psLines(c: Controller, host: ReplHost): readonly string[] {
  const { task, queue } = c.view();
  if (task === undefined) return ["Nothing runs"];
  const elapsed = formatDuration(Math.max(0, host.unixMs() - task.startedMs));
  const calls = task.calls.map(({ name }) => oneLine(name, 40));
  return [
    `#${taskNumber(c)}  ${oneLine(task.doing, 60)}  ${elapsed}`,
    ...(calls.length > 0 ? [`    calls: ${calls.join(", ")}`] : []),
    ...(queue.length > 0 ? [`    queued: ${queue.length}`] : []),
  ];
}

function setTimeLimit(c: Controller, argument: string) {
  const [duration = "", id = taskNumber(c)] = argument.split(/\s+/);
  const duration_ms = parseDuration(duration);
  const { task } = c.view();
  if (!duration_ms)
    return c.print({ type: "error", text: `"${duration}" is no duration; write for example /timeout 10m` });
  if (task === undefined || !isActive(c, id))
    return c.print({ type: "error", text: `No task ${id === "" ? "" : `"${id}" `}is running` });
  c.send({ type: "set_timeout", task_id: task.id, duration_ms });
  c.say(`Task #${taskNumber(c)} ends after ${formatDuration(duration_ms)} from now`);
}

function setPolicy(c: Controller, host: ReplHost, keeper: PolicyKeeper, argument: string) {
  if (argument === "") return c.say(`Approvals: ${keeper.get() || "ask"}`);
  const windowMs = parseDuration(argument);
  const chosen: ApprovalPolicy | undefined =
    argument === "ask" || argument === "all" || argument === "none"
      ? { type: argument }
      : windowMs
        ? { type: "window", untilMs: host.monotonicMs() + windowMs }
        : undefined;
  if (!chosen)
    return c.print({
      type: "error",
      text: `/approve takes ask, all, none or a duration such as 10m, not "${argument}"`,
    });
  c.send({ type: "set_approval_policy", policy: chosen });
  keeper.set(argument === "ask" ? "" : argument);
  c.say(`Approvals: ${argument}`);
}

function statusLines(c: Controller, host: ReplHost, policy: PolicyKeeper): readonly string[] {
  const { facts, task } = c.view();
  const { session } = facts;
  return [
    `buddy ${host.version}`,
    `model     ${facts.profile} (${facts.model}), thinking ${host.thinking()}`,
    `target    ${displayText(facts.target)}, ${displayText(host.target.cwd)}`,
    `session   ${session ? `${session.id}${session.title === "" ? "" : ` “${displayText(session.title)}”`}` : "none yet"}`,
    `context   ${contextLine(c)}`,
    `used      ${short(facts.tokens.earlier + facts.tokens.task)} tokens`,
    `approvals ${policy.get() || "ask"}`,
    `task      ${task ? `#${taskNumber(c)} · ${oneLine(task.doing, 60)}` : "none"}`,
  ];
}

function contextLine(c: Controller): string {
  const { context } = c.view().facts;
  if (context === undefined) return "nothing is used yet";
  const share = context.limit > 0 ? ` (${Math.round((context.used / context.limit) * 100)}%)` : "";
  return `${context.used} of ${context.limit} tokens${share}`;
}

const toolLines = ({ tools }: ReplHost): readonly string[] =>
  tools.length === 0
    ? ["The model has no tools"]
    : tools.map(
        ({ name, description }) =>
          `${oneLine(name, 40).padEnd(16)} ${oneLine(description.split(/[.:;] /)[0] ?? "", 90)}`,
      );

function helpLines({ all }: CommandRegistry, c: Controller): readonly string[] {
  const title = ({ name, aliases = [], argument = "" }: SlashCommand) =>
    `/${name}${argument === "" || argument.startsWith(":") ? argument : ` ${argument}`}${aliases.length > 0 ? ` (${aliases.map((alias) => `/${alias}`).join(", ")})` : ""}`;
  return [
    "Commands",
    ...all.map((command) => `  ${title(command).padEnd(34)} ${oneLine(command.does, 80)}`),
    "",
    "Keys",
    ...c.keys.list.map(({ keys, does }) => `  ${keys.padEnd(14)} ${does}`),
    "  shift+enter    new line (also alt+enter when nothing runs, ctrl+j, a trailing \\)",
    "",
    "!command runs a command and tells the model, !!command does not; @ completes files",
  ];
}

/** By the terminal itself, so that it works over SSH too. */
function copyAnswer(c: Controller) {
  const { answer } = c.view().last;
  if (answer === "") return c.say("There is no answer to copy yet");
  c.copy(answer);
  c.say(`Copied ${answer.length} characters`);
}
