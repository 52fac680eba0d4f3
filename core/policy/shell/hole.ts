/** Stands in an expanded word for what cannot be known without running something. */
export const HOLE = "\uE000";

export const hasHole = (text: string): boolean => text.includes(HOLE);
