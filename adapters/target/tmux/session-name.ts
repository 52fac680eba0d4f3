const PREFIX = "buddy-";
const LONGEST = 48;

/** A name of ours, whatever is given: `My Work` and `buddy-my-work` are the same session. */
export function sessionName(wanted: string): string {
  const plain = wanted
    .toLowerCase()
    .replace(/^buddy-(?=.)/, "")
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return `${PREFIX}${plain || "buddy"}`.slice(0, LONGEST).replace(/-+$/, "");
}

/** The same for panes, which have no prefix. */
export const paneName = (wanted: string): string =>
  wanted
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, LONGEST);
