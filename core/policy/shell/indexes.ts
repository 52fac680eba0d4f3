/** Whether a word has a substitution behind a bracket: as an index it would be evaluated. */
export function evaluatesIndex(word: string): boolean {
  const bracket = word.indexOf("[");
  return bracket !== -1 && /\$|`/.test(word.slice(bracket));
}
