import type { Message, Part } from "./message.ts";

const CHARS_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;
/**
 * Anthropic documents (width × height) / 750 tokens after scaling to at most 1,568 pixels a side, which is about
 * 1,600 at most; other providers charge less for most images.
 */
const TOKENS_PER_IMAGE = 1600;

/** A rough count, for what no response has counted yet. */
export function estimateTokens(message: Message): number {
  const { chars, images } = sizeOf(message);
  return Math.ceil(chars / CHARS_PER_TOKEN) + images * TOKENS_PER_IMAGE + TOKENS_PER_MESSAGE;
}

/** The tokens in the context: what the last response reported (0: none yet), and an estimate of what came after it. */
export function usedTokens(used: {
  readonly reportedTotal: number;
  readonly messagesAfter: readonly Message[];
}): number {
  return used.messagesAfter.reduce((sum, message) => sum + estimateTokens(message), used.reportedTotal);
}

type Size = { readonly chars: number; readonly images: number };

function sizeOf(message: Message): Size {
  if (message.role !== "assistant") return sizeOfParts(message.content);
  const calls = message.tool_calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  return { chars: message.content.length + (message.reasoning?.length ?? 0) + calls, images: 0 };
}

function sizeOfParts(parts: readonly Part[]): Size {
  const chars = parts.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
  return { chars, images: parts.filter((part) => part.type === "image").length };
}
