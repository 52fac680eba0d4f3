import type { Profile } from "./config/schema.ts";

/** Who runs an endpoint, and what that implies. */
export type Vendor = {
  readonly name: string;
  readonly host: string;
  readonly baseUrl: string;
  readonly api: Profile["api"];
  /** The variable that the vendor's own tools read. */
  readonly keyVariable: string;
  /** Model names that can only be this vendor's. */
  readonly models?: RegExp;
};

export const VENDORS: readonly Vendor[] = [
  {
    name: "openai",
    host: "api.openai.com",
    baseUrl: "https://api.openai.com/v1",
    api: "responses",
    keyVariable: "OPENAI_API_KEY",
    models: /^(gpt|o\d)/i,
  },
  {
    name: "anthropic",
    host: "api.anthropic.com",
    baseUrl: "https://api.anthropic.com",
    api: "anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    models: /^claude/i,
  },
  {
    name: "google",
    host: "generativelanguage.googleapis.com",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    api: "completions",
    keyVariable: "GEMINI_API_KEY",
    models: /^gemini/i,
  },
  {
    name: "openrouter",
    host: "openrouter.ai",
    baseUrl: "https://openrouter.ai/api/v1",
    api: "completions",
    keyVariable: "OPENROUTER_API_KEY",
  },
];

export const vendorAt = (host: string): Vendor | undefined => VENDORS.find((vendor) => vendor.host === host);

/** The host of an address, as keys are bound to it; empty when it is no address. */
export function hostOf(baseUrl: string): string {
  return /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^:/?#]*)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? "";
}

/** This machine: such an endpoint needs no key. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
