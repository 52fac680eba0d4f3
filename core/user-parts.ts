import { type Part, type TextPart, text, textOf, type UserMessage } from "./message.ts";

// A prompt may carry, before the user's own words, what happened since the last one. The model reads all of it; people
// are shown only what they wrote.

const TAGS = ["user_command", "harness_note"] as const;
export type HarnessTag = (typeof TAGS)[number];

export const harnessPart = (tag: HarnessTag, content: string): TextPart =>
  text(`<${tag}>\n${content}\n</${tag}>\n`);

export const withParts = (parts: readonly Part[], message: UserMessage): UserMessage =>
  parts.length === 0 ? message : { ...message, content: [...parts, ...message.content] };

/** What the user wrote. */
export function spokenText({ content }: UserMessage): string {
  const own = content.findIndex(
    (part) => part.type !== "text" || !TAGS.some((tag) => part.text.startsWith(`<${tag}>\n`)),
  );
  return textOf(own === -1 ? content : content.slice(own));
}
