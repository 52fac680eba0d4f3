/** The next line of standard input; undefined at its end, or when the signal fires. */
export async function askLine(signal: AbortSignal): Promise<string | undefined> {
  const reader = Bun.stdin.stream().getReader();
  const decoder = new TextDecoder();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  try {
    let text = "";
    while (text.length < MAX_CHARS) {
      const next = await Promise.race([reader.read(), aborted]);
      if (next === undefined || next.done) return text.trim() || undefined;
      text += decoder.decode(next.value, { stream: true });
      if (text.includes("\n")) return text.slice(0, text.indexOf("\n")).trim();
    }
    return text;
  } finally {
    reader.releaseLock();
  }
}

const MAX_CHARS = 16 * 1024;
