import { expect, test } from "bun:test";
import { outputLimits } from "../../core/output-limit.ts";

test.each([
  ["5 % of the context at four characters a token", 100_000, 20_000, 20_000],
  ["never less than 4,000 for commands and 8,000 for the rest", 8000, 4000, 8000],
  ["the least when the context is not known", 0, 4000, 8000],
  ["between the two floors only the rest is raised", 30_000, 6000, 8000],
  ["never more than 50,000", 1_000_000, 50_000, 50_000],
  ["whole characters", 100_003, 20_000, 20_000],
])("outputLimits() gives %s", (_fact, contextTokens, shellChars, textChars) => {
  expect(outputLimits("auto", contextTokens)).toEqual({ shellChars, textChars });
});

test("outputLimits() takes a number as it is for everything", () => {
  expect(outputLimits(1234, 1_000_000)).toEqual({ shellChars: 1234, textChars: 1234 });
});
