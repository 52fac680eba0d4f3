import type { Session } from "./sessions.ts";

/** What a script on the far side answers: fields that end with a NUL each, then bytes. */
export type Answer = {
  /** The next field, or nothing when the script ended before it. */
  readonly field: () => Promise<string | undefined>;
  /** The next bytes behind the fields, or nothing at the end. */
  readonly bytes: () => Promise<Uint8Array | undefined>;
};

const MAX_FIELD = 1024 * 1024;

/** Everything before the sign is what the start of a shell says, and is left out. */
export async function answerOf(session: Session, sign: string): Promise<Answer | undefined> {
  let held: Buffer = Buffer.alloc(0);
  const bytes = async (): Promise<Uint8Array | undefined> => {
    if (held.length > 0) {
      const first = held;
      held = Buffer.alloc(0);
      return first;
    }
    return (await session.output.next()).value;
  };
  const field = async (): Promise<string | undefined> => {
    while (true) {
      const end = held.indexOf(0);
      if (end >= 0) {
        const text = held.toString("utf8", 0, end);
        held = held.subarray(end + 1);
        return text;
      }
      const { value } = await session.output.next();
      if (value === undefined || held.length > MAX_FIELD) return undefined;
      held = held.length === 0 ? Buffer.from(value) : Buffer.concat([held, value]);
    }
  };
  return behindSign({ field, bytes }, sign);
}

/** The same answer from the sign on. */
export async function behindSign(answer: Answer, sign: string): Promise<Answer | undefined> {
  for (let said = await answer.field(); said !== sign; said = await answer.field()) {
    if (said === undefined) return undefined;
  }
  return answer;
}
