declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.jsonl" {
  const text: string;
  export default text;
}

/** Set when the executable is built (scripts/build.ts). */
declare const BUDDY_VERSION: string;
declare const BUDDY_COMMIT: string;
declare const BUDDY_DATE: string;
