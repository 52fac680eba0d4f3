import builtin from "./system-prompt.md" with { type: "text" };

export type PromptFacts = {
  /** Stands in the place of the built-in prompt. */
  readonly replacement?: string | undefined;
  /** Added after the built-in prompt. */
  readonly operator: readonly string[];
  readonly target: string;
  readonly cwd: string;
  readonly date: string;
};

/** The long stable part comes first, so that providers can cache it. */
export function systemPrompt(facts: PromptFacts): string {
  const operator = facts.operator.filter((text) => text.trim() !== "");
  const where = facts.target === "local" ? "this machine" : facts.target;
  return [
    (facts.replacement ?? builtin).trim(),
    ...(operator.length > 0
      ? [`Operator instructions:\n${operator.map((text) => text.trim()).join("\n\n")}`]
      : []),
    `You work on ${where}. Working directory: ${facts.cwd}. Date: ${facts.date}.`,
  ].join("\n\n");
}
