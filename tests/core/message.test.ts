import { expect, test } from "bun:test";
import { addUsage, NO_USAGE, text, textOf, userMessage } from "../../core/message.ts";
import { USAGE } from "../fakes/model.ts";

test("userMessage() is one part of text", () => {
  expect(userMessage("hi")).toEqual({ role: "user", content: [{ type: "text", text: "hi" }] });
});

test("textOf() joins the text and leaves images out", () => {
  const image = { type: "image", media_type: "image/png", data: "AAAA" } as const;
  expect(textOf([text("a"), image, text("b")])).toBe("ab");
  expect(textOf([])).toBe("");
});

test("addUsage() adds every count", () => {
  expect(addUsage(USAGE, USAGE)).toEqual({
    input_tokens: 200,
    output_tokens: 40,
    cached_tokens: 20,
    reasoning_tokens: 10,
    total_tokens: 240,
  });
  expect(addUsage(NO_USAGE, USAGE)).toEqual(USAGE);
});
