declare module "*.md" {
  const text: string;
  export default text;
}

declare module "*.sh" {
  const text: string;
  export default text;
}

declare module "*.jsonl" {
  const text: string;
  export default text;
}

declare module "*/models.toml" {
  /** Parsed when the executable is built; that it keeps the schema is for the tests to say. */
  const catalogue: import("./core/catalogue.ts").Catalogue;
  export default catalogue;
}

declare module "*/prices.toml" {
  const catalogue: import("./core/catalogue.ts").Catalogue;
  export default catalogue;
}

/** Set when the executable is built (scripts/build.ts). */
declare const BUDDY_VERSION: string;
declare const BUDDY_COMMIT: string;
declare const BUDDY_DATE: string;

declare module "*/template.toml" {
  const text: string;
  export default text;
}

declare module "*.css" {
  const text: string;
  export default text;
}
