/** The text of a body, cut off behind `maxBytes`. `touch` is called for every piece. */
export async function readBounded(
  response: Response,
  maxBytes: number,
  touch = () => {},
): Promise<{ readonly text: string; readonly cut: boolean }> {
  const decoder = new TextDecoder();
  let text = "";
  let received = 0;
  for await (const bytes of response.body ?? []) {
    touch();
    received += bytes.length;
    text += decoder.decode(bytes, { stream: true });
    if (received > maxBytes) return { text, cut: true };
  }
  return { text: text + decoder.decode(), cut: false };
}
