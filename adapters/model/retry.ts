const LONGEST_WAIT_MS = 120_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;

/** Whether the same request may get another answer later. */
export const isRetriedStatus = (status: number): boolean =>
  status >= 500 || [408, 409, 425, 429].includes(status);

export type Wait =
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "too_long"; readonly ms: number };

/** How long to wait before attempt `attempt + 1`: what the server asks for, else backoff with full jitter. */
export function waitBefore(attempt: number, asked: number | undefined, random: () => number): Wait {
  if (asked === undefined) {
    const most = Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (attempt - 1));
    return { type: "wait", ms: Math.round(random() * most) };
  }
  if (asked > LONGEST_WAIT_MS) return { type: "too_long", ms: asked };
  return { type: "wait", ms: Math.round(asked + random() * 500) };
}

/** What `retry-after-ms` or `Retry-After` (seconds or a date) asks for; undefined when it is nonsense. */
export function retryAfterMs(headers: Headers, unixMs: number): number | undefined {
  const ms = decimal(headers.get("retry-after-ms"));
  if (ms !== undefined) return ms;
  const value = headers.get("retry-after");
  const seconds = decimal(value);
  if (seconds !== undefined) return seconds * 1000;
  const date =
    value === null || !/^[A-Za-z]{3}/.test(value.trim()) ? Number.NaN : Date.parse(withZone(value.trim()));
  return Number.isNaN(date) ? undefined : Math.max(0, date - unixMs);
}

/** The old asctime form names no zone; HTTP dates are all in GMT. */
const withZone = (date: string): string => (/\d{4}$/.test(date) ? `${date} GMT` : date);

function decimal(value: string | null): number | undefined {
  return value !== null && /^\d{1,12}(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
}
