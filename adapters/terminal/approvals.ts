import type { ApprovalRequest, Decision } from "../../core/event.ts";
import { answerOf, approvalLines, denied, GUARD_MS, scrolledTo } from "./approval.ts";
import type { Controller } from "./controller.ts";
import { cancel } from "./input.ts";
import { noPaint, type Painter } from "./theme.ts";

/** The question that waits for the user, in place of the editor. */
export type Approvals = {
  readonly waiting: () => ApprovalRequest | undefined;
  /** A question has just appeared. */
  readonly appeared: () => void;
  /** A key was no answer. Someone is typing only while the editor holds something. */
  readonly typed: () => void;
  /** False: the key is no answer but goes where it would have gone. */
  readonly key: (data: string) => boolean;
  readonly lines: (width: number, rows: number, paint: Painter) => readonly string[];
};

export type ApprovalDeps = {
  readonly controller: Controller;
  readonly place: string;
  readonly monotonicMs: () => number;
};

export function approvals({ controller: c, place, monotonicMs }: ApprovalDeps): Approvals {
  let typedMs = Number.NEGATIVE_INFINITY;
  /** The user was in the middle of typing when the question appeared, and has not paused since. */
  let typing = false;
  let scrolled = 0;
  let size = { width: 80, rows: 24 };
  let asking = false;

  const waiting = (): ApprovalRequest | undefined => (asking ? undefined : c.view().approvals[0]);
  const isTyping = () => typing && monotonicMs() - typedMs < GUARD_MS;

  const settle = (request: ApprovalRequest, decision: Decision): void => {
    scrolled = 0;
    c.send({ type: "approve", approval_id: request.approval_id, decision });
  };

  const askFor = async (label: string, text: string): Promise<string | undefined> => {
    asking = true;
    const said = await c.ask(label, text);
    asking = false;
    return said;
  };

  const giveReason = async (request: ApprovalRequest): Promise<void> => {
    const reason = await askFor("why not? ", "");
    if (reason !== undefined) settle(request, denied(reason));
  };

  const edit = async (request: ApprovalRequest): Promise<void> => {
    const subject = await askFor("edit: ", request.need.subject);
    if (subject === undefined || subject === "") return;
    settle(request, {
      type: "allowed",
      by: "user",
      scope: "once",
      ...(subject === request.need.subject ? {} : { subject }),
    });
  };

  const look = (paint: Painter) => ({
    ...size,
    paint,
    place: placeOf(c.view().approvals[0]?.target ?? "", place),
    scrolled,
    typing: isTyping(),
  });

  return {
    waiting,
    appeared: () => {
      typing = monotonicMs() - typedMs < GUARD_MS;
    },
    typed: () => {
      typedMs = c.editor.isEmpty() ? Number.NEGATIVE_INFINITY : monotonicMs();
    },
    key: (data) => {
      const request = waiting();
      if (request === undefined || isTyping()) return false;
      typing = false;
      const answer = answerOf(data, request);
      switch (answer.type) {
        case "decided":
          settle(request, answer.decision);
          break;
        case "reason":
          void giveReason(request);
          break;
        case "edit":
          void edit(request);
          break;
        case "cancel":
          cancel(c);
          break;
        case "scroll":
          scrolled = scrolledTo(request, look(noPaint), answer);
          break;
        case "none":
          break;
      }
      return true;
    },
    lines: (width, rows, paint) => {
      size = { width, rows };
      const request = waiting();
      return request ? approvalLines(request, look(paint)) : [];
    },
  };
}

/** Where the command would run: `user@host`, or the name of a container. */
const placeOf = (target: string, local: string): string =>
  /^(?:ssh|container)\s+(\S+)/.exec(target)?.[1] ?? local;
