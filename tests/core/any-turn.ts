import fc from "fast-check";
import { call, fails, hangs, replies, type ScriptedTurn } from "../fakes/model.ts";

/** What a model may do in one turn: answer, say nothing, fail, hang, or call tools, all with the same id. */
export const anyTurn: fc.Arbitrary<ScriptedTurn> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(replies({ content: "ok" })) },
  { weight: 1, arbitrary: fc.constant(replies({})) },
  { weight: 1, arbitrary: fc.constant(fails({ class: "model", message: "503" })) },
  { weight: 1, arbitrary: fc.constant(hangs(() => {})) },
  {
    weight: 5,
    arbitrary: fc
      .array(fc.constantFrom("act", "echo", "nobody"), { minLength: 1, maxLength: 3 })
      .map((names) => replies({ calls: names.map((name) => call("same", name, { what: "x", text: "x" })) })),
  },
);
