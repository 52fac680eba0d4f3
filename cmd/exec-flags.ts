import type { FlagSpec } from "./flags.ts";

/** Flags that only `exec` has. */
export const EXEC_FLAGS: readonly FlagSpec[] = [
  {
    name: "output-format",
    value: "text|json|stream-json",
    doc: "The answer; one object at the end; every event",
  },
  { name: "json", doc: "The same as --output-format stream-json" },
  { name: "output-last-message", short: "o", value: "FILE", doc: "Write the answer to FILE as well" },
  { name: "output-schema", value: "FILE", doc: "The answer must be a JSON document of this JSON Schema" },
  { name: "continue", short: "c", doc: "Go on with the latest session here" },
  { name: "resume", value: "ID", doc: "Go on with this session; the beginning of its id is enough" },
  { name: "fork", doc: "With one of these: go on in a copy, the original stays as it is" },
  { name: "timeout", value: "DURATION", doc: "Stop after this time: 500ms, 30s, 10m, 1h30m" },
  { name: "max-tokens-total", value: "N", doc: "Stop after this many tokens, with one last answer" },
  { name: "max-cost", value: "USD", doc: "Stop after spending this much, with one last answer" },
  { name: "image", value: "FILE", repeat: true, doc: "Attach an image (repeatable)" },
  { name: "file", value: "FILE", repeat: true, doc: "Attach a text file (repeatable)" },
  {
    name: "stdin",
    value: "auto|require|ignore",
    doc: "Attach standard input: when it has data, always, never",
  },
  {
    name: "on-deny",
    value: "continue|fail",
    doc: "When a call cannot be approved: go on without it, or stop",
  },
  { name: "quiet", doc: "Only warnings and errors on stderr" },
  { name: "record", value: "FILE", doc: "Write the exchange with the model to FILE" },
  { name: "replay", value: "FILE", doc: "Answer from a recording instead of the network" },
  { name: "replay-loose", doc: "With --replay: do not check that requests match" },
];
