import { describe, expect, test } from "bun:test";
import { type AssistantMessage, type ToolMessage, text, userMessage } from "../../core/message.ts";
import { estimateTokens, usedTokens } from "../../core/tokens.ts";

const assistant = (fields: Partial<AssistantMessage>): AssistantMessage => ({
  role: "assistant",
  content: "",
  tool_calls: [],
  ...fields,
});

const result = (content: ToolMessage["content"]): ToolMessage => ({
  role: "tool",
  tool_call_id: "call-1",
  name: "read_file",
  content,
  is_error: false,
});

describe("estimateTokens()", () => {
  test("counts a token for four characters, rounded up, and four for the message", () => {
    expect(["", "a", "abcd", "abcde"].map((prompt) => estimateTokens(userMessage(prompt)))).toEqual([
      4, 5, 5, 6,
    ]);
  });

  test("counts answer, reasoning, and the names and arguments of calls", () => {
    const message = assistant({
      content: "12345678",
      reasoning: "1234",
      tool_calls: [
        { id: "call-1", name: "time", arguments: "{}" },
        { id: "call-2", name: "time", arguments: "{}" },
      ],
    });
    expect(estimateTokens(message)).toBe(2 + 1 + 3 + 4);
  });

  test("counts an image as 1600 whatever its bytes, and the parts of a result together", () => {
    const image = { type: "image", media_type: "image/png", data: "x".repeat(100_000) } as const;
    expect(estimateTokens(result([text("ab"), image, text("cd"), image]))).toBe(1 + 3200 + 4);
  });
});

describe("usedTokens()", () => {
  test("is what was reported plus an estimate of what came after", () => {
    const messagesAfter = [result([text("abcdefgh")]), userMessage("abcd")];
    expect(usedTokens({ reportedTotal: 1000, messagesAfter })).toBe(1000 + 6 + 5);
    expect(usedTokens({ reportedTotal: 1000, messagesAfter: [] })).toBe(1000);
    expect(usedTokens({ reportedTotal: 0, messagesAfter })).toBe(11);
  });
});
