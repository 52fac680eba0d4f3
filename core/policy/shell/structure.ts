import { ask, deny, type Finding } from "./invocation.ts";
import type { Command, Compound, Script, Word } from "./syntax.ts";

/** A function that starts itself more than once, or in the background: a fork bomb. */
export function judgeFunction({ name, scripts }: Compound): Finding | undefined {
  const calls = callsOf(name, scripts);
  if (!calls.doubled && !calls.background) return undefined;
  return deny("fork-bomb", `The function "${name}" starts itself again and again`);
}

type SelfCalls = { readonly doubled: boolean; readonly background: boolean };

function callsOf(name: string, scripts: readonly Script[]): SelfCalls {
  let doubled = false;
  let background = false;
  for (const { pipelines } of scripts) {
    for (const { stages, background: isBackground } of pipelines) {
      const count = stages.filter((stage) => isCallOf(name, stage)).length;
      doubled ||= count > 1 || (count > 0 && stages.length > 1);
      background ||= count > 0 && isBackground;
      for (const stage of stages) {
        if (stage.type !== "compound" || stage.kind === "function") continue;
        const below = callsOf(name, stage.scripts);
        doubled ||= below.doubled;
        background ||= below.background || (isBackground && hasCall(name, stage.scripts));
      }
    }
  }
  return { doubled, background };
}

const hasCall = (name: string, scripts: readonly Script[]): boolean =>
  scripts.some(({ pipelines }) =>
    pipelines.some(({ stages }) => stages.some((stage) => isCallOf(name, stage))),
  );

const isCallOf = (name: string, command: Command): boolean =>
  command.type === "simple" && plainText(command.words[0]) === name;

const plainText = (word: Word | undefined): string | undefined =>
  word?.parts.map((part) => (part.type === "text" ? part.text : "\0")).join("");

/** A loop without an end that starts something in the background each time. */
export function judgeLoop({ name, scripts: [condition, body] }: Compound): Finding | undefined {
  const [first] = condition?.pipelines ?? [];
  const [stage] = first?.stages ?? [];
  const word = stage?.type === "simple" ? plainText(stage.words[0]) : undefined;
  const endless = name === "((" || (name === "" && /^(true|:|false|1|\[|yes)$/.test(word ?? ""));
  if (!endless || body === undefined || !startsInBackground(body)) return undefined;
  return ask("process-flood", "A loop without an end starts a process each time");
}

const startsInBackground = ({ pipelines }: Script): boolean =>
  pipelines.some(
    ({ background, stages }) =>
      background ||
      stages.some((stage) => stage.type === "compound" && stage.scripts.some(startsInBackground)),
  );
