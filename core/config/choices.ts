// Names that the schema and others share; the schema itself is loaded only when there is something to check.

export const KEY_SOURCES = ["api_key", "api_key_env", "api_key_file", "api_key_keyring"] as const;
export const PROTOCOLS = ["completions", "responses", "anthropic"] as const;
export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high"] as const;
