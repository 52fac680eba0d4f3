/** A finished piece of the conversation: printed once, below everything before it. */
export type Item =
  | { readonly type: "user"; readonly text: string }
  /** One block, or several, of an answer. */
  | { readonly type: "answer"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly name: string; readonly arguments: string }
  | {
      readonly type: "result";
      readonly summary: string;
      readonly durationMs: number | undefined;
      readonly failed: boolean;
      readonly body: ResultBody;
    }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "approved"; readonly forSession: boolean }
  | { readonly type: "tokens"; readonly text: string }
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "warning"; readonly text: string; readonly hint?: string | undefined }
  | { readonly type: "error"; readonly text: string; readonly hint?: string | undefined }
  /** What a command of the user answers; lines as they are, colours already in them. */
  | { readonly type: "said"; readonly lines: readonly string[] };

/** What a result has to show beside its one line. */
export type ResultBody =
  | { readonly type: "nothing" }
  | { readonly type: "output"; readonly text: string }
  | { readonly type: "diff"; readonly text: string };
