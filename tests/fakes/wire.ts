import type { Turn } from "./script.ts";
import {
  anthropicPrivate,
  completionsPrivate,
  type PrivateForm,
  responsesPrivate,
} from "./strict-private.ts";
import { problems as anthropicProblems } from "./validate-anthropic.ts";
import { problems as completionsProblems } from "./validate-completions.ts";
import { problems as responsesProblems } from "./validate-responses.ts";
import { anthropicError, messageEvents, wholeMessage } from "./wire-anthropic.ts";
import { completionEvents, completionsError, wholeCompletion } from "./wire-completions.ts";
import { responseEvents, responsesError, wholeResponse } from "./wire-responses.ts";

/** One protocol as an endpoint speaks it. */
export type Wire = {
  /** How the path of its requests ends. */
  readonly path: string;
  readonly problems: (body: unknown) => readonly string[];
  readonly private: PrivateForm;
  readonly whole: (turn: Turn) => object;
  readonly events: (turn: Turn) => readonly string[];
  readonly error: (message: string, type?: string) => object;
  readonly requestIdHeader: string;
};

export const WIRES = {
  completions: {
    path: "/chat/completions",
    problems: completionsProblems,
    private: completionsPrivate,
    whole: wholeCompletion,
    events: completionEvents,
    error: completionsError,
    requestIdHeader: "x-request-id",
  },
  responses: {
    path: "/responses",
    problems: responsesProblems,
    private: responsesPrivate,
    whole: wholeResponse,
    events: responseEvents,
    error: responsesError,
    requestIdHeader: "x-request-id",
  },
  anthropic: {
    path: "/v1/messages",
    problems: anthropicProblems,
    private: anthropicPrivate,
    whole: wholeMessage,
    events: messageEvents,
    error: anthropicError,
    requestIdHeader: "request-id",
  },
} as const satisfies Readonly<Record<string, Wire>>;

/** The protocol of a path; nothing when it is none of them. */
export const wireAt = (path: string): Wire | undefined =>
  Object.values(WIRES).find((wire) => path.endsWith(wire.path));
