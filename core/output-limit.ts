import type { ToolLimits } from "./tool.ts";

const SHARE_OF_CONTEXT = 0.05;
const CHARS_PER_TOKEN = 4;
const MOST = 50_000;
const LEAST = { shell: 4000, text: 8000 };

/** How much text one result may put into the conversation: a share of the model's context, or what the user says. */
export function outputLimits(
  limit: number | "auto",
  contextTokens: number,
): Pick<ToolLimits, "shellChars" | "textChars"> {
  if (limit !== "auto") return { shellChars: limit, textChars: limit };
  const share = Math.min(MOST, Math.floor(contextTokens * CHARS_PER_TOKEN * SHARE_OF_CONTEXT));
  return { shellChars: Math.max(LEAST.shell, share), textChars: Math.max(LEAST.text, share) };
}
