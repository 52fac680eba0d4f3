import { err, ok, type Result } from "../../../core/result.ts";
import { textOf } from "../far/keeper.ts";
import type { Link, LinkFailure } from "./link.ts";

export type ContainerChoice = {
  readonly name: string;
  /** The user's own choice of an engine, by name or path. */
  readonly engine: string | undefined;
};

const ENGINES = ["docker", "podman"];

/** A container that runs, on the machine at the end of another link. Only `exec` is ever used on it. */
export async function containerLink(
  over: Link,
  choice: ContainerChoice,
  signal: AbortSignal,
): Promise<Result<Link, LinkFailure>> {
  const where = over.summary === "local" ? "" : ` on ${over.summary}`;
  if (/^-|[\s\p{Cc}]/u.test(choice.name) || choice.name === "") {
    return err({ message: `--container "${choice.name}": that is no name of a container` });
  }
  const connected = await over.connect(signal);
  if (!connected.ok) return connected;
  const found = await findContainer(over, choice, where, signal);
  if (!found.ok) return found;
  const { engine, id } = found.value;
  return ok({
    summary: `container ${choice.name}${where}`,
    reach: [...over.reach, engine, "exec", "-it", choice.name],
    connect: over.connect,
    // The name could be given to another container meanwhile; the id cannot.
    start: (argv, options) => over.start([engine, "exec", ...inputFlag(options.stdin), id, ...argv], options),
    explain: (words) => explainExec(choice.name, where, words),
    close: over.close,
    killNow: over.killNow,
  });
}

const inputFlag = (stdin: "empty" | "pipe"): readonly string[] => (stdin === "pipe" ? ["-i"] : []);

type Found = { readonly engine: string; readonly id: string };

async function findContainer(
  over: Link,
  { name, engine }: ContainerChoice,
  where: string,
  signal: AbortSignal,
): Promise<Result<Found, LinkFailure>> {
  const reasons: string[] = [];
  let missing: LinkFailure | undefined;
  for (const candidate of engine === undefined ? ENGINES : [engine]) {
    const format = "{{.State.Running}} {{.Id}}";
    const looked = await capture(
      over,
      [candidate, "inspect", "--type", "container", "--format", format, name],
      signal,
    );
    const [running, id] = looked.stdout.trim().split(" ");
    if (running === "true" && id) return ok({ engine: candidate, id });
    if (running === "false")
      missing ??= await notThere(over, candidate, `"${name}"${where} does not run`, signal);
    else if (/no such (container|object)|no container with name/i.test(looked.stderr)) {
      missing ??= await notThere(over, candidate, `There is no container "${name}"${where}`, signal);
    } else reasons.push(`${candidate}: ${lastLine(looked.stderr) || "is not there"}`);
  }
  if (missing) return err(missing);
  return err({
    message: `Cannot use containers${where}: ${reasons.join("; ")}`,
    hint: "install docker or podman and start it, or name one in BUDDY_CONTAINER_ENGINE",
  });
}

const MAX_LISTED = 20;

async function notThere(over: Link, engine: string, what: string, signal: AbortSignal): Promise<LinkFailure> {
  const listed = await capture(over, [engine, "ps", "--format", "{{.Names}}"], signal);
  const names = listed.stdout.split("\n").filter((name) => name.trim() !== "");
  const shown = names.slice(0, MAX_LISTED).join(", ") + (names.length > MAX_LISTED ? ", …" : "");
  const message = what.startsWith("There") ? what : `Container ${what}`;
  return {
    message: `${message}; running: ${names.length === 0 ? "none" : shown}`,
    hint: names.length === 0 ? `start it with ${engine} start` : "give --container one of the running ones",
  };
}

type Captured = { readonly stdout: string; readonly stderr: string };

/** What a short command says. One that cannot be started says so on stderr. */
async function capture(over: Link, argv: readonly string[], signal: AbortSignal): Promise<Captured> {
  signal.throwIfAborted();
  const started = over.start(argv, { stdin: "empty" });
  if (!started.ok) return { stdout: "", stderr: started.error };
  const { stdout, stderr, end, exited } = started.value;
  const onAbort = () => void end();
  signal.addEventListener("abort", onAbort, { once: true });
  const [out, errors] = await Promise.all([textOf(stdout), textOf(stderr), exited]);
  signal.removeEventListener("abort", onAbort);
  signal.throwIfAborted();
  return { stdout: out, stderr: errors };
}

const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";

function explainExec(name: string, where: string, words: string): LinkFailure {
  const said = lastLine(words);
  if (
    /"sh": executable file not found|exec(utable file)?:? "?sh"?.*not found|no such file or directory.*\bsh\b/i.test(
      words,
    )
  ) {
    return {
      message: `Container "${name}"${where} has no sh: buddy cannot work in it`,
      hint: "use an image with a shell, or work on the machine that runs the container",
    };
  }
  if (/not running|container state improper|no such container|is stopped|exited/i.test(words)) {
    return { message: `Container "${name}"${where} does not run any more: ${said}` };
  }
  return { message: `Cannot run anything in container "${name}"${where}${said === "" ? "" : `: ${said}`}` };
}
