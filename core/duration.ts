const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `500ms`, `30s`, `10m`, `1h30m`, or a plain integer of seconds; undefined when it is none of these. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,12}$/.test(trimmed)) return Number(trimmed) * 1000;
  if (!/^(\d{1,12}(ms|s|m|h|d))+$/.test(trimmed)) return undefined;
  let total = 0;
  for (const [, count, unit] of trimmed.matchAll(/(\d+)(ms|s|m|h|d)/g)) {
    total += Number(count) * (UNIT_MS[unit ?? ""] ?? 0);
  }
  return total;
}

/** For people: `850ms`, `1.4s`, `2m05s`, `1h30m`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toString()}s`;
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return withRest(minutes, "m", seconds % 60, "s");
  return withRest(Math.floor(minutes / 60), "h", minutes % 60, "m");
}

function withRest(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole}${unit}` : `${whole}${unit}${String(rest).padStart(2, "0")}${restUnit}`;
}
