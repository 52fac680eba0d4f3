/**
 * A message keeps its words once. Where a provider wants back what it sent, part for part, the private fields hold
 * only how long each of its texts was: what is masked in a message must not stand beside it in the clear.
 * Returns the texts again, or nothing when they no longer add up.
 */
export function textParts(content: string, lengths: readonly number[]): readonly string[] | undefined {
  if (lengths.length === 1) return [content];
  let end = 0;
  const parts = lengths.map((length) => {
    end += length;
    return content.slice(end - length, end);
  });
  return end === content.length ? parts : undefined;
}
