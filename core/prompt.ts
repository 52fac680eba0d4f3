import builtin from "./system-prompt.md" with { type: "text" };

export type PromptFacts = {
  /** Stands in the place of the built-in prompt. */
  readonly replacement?: string | undefined;
  /** Added after the built-in prompt. */
  readonly operator: readonly string[];
  readonly target: string;
  /** Commands are typed into a terminal that the user sees too. */
  readonly shared?: boolean;
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
    ...(facts.shared ? [SHARED] : []),
    `You work on ${where}. Working directory: ${facts.cwd}. Date: ${facts.date}.`,
  ].join("\n\n");
}

const SHARED =
  "Your commands are typed into a tmux pane that the user watches and may type into as well; its directory and variables stay between commands. A note at the end of each request shows its screen. Passwords and other secrets are for the user to type there: never ask for them, never type them.";
