/** A list of words, written as a text. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/);
