import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";

/** What an endpoint offers. Both vendors list at the same path: who sends a version asks Anthropic. */
export function modelList(names: readonly string[], headers: Readonly<Record<string, string>>): object {
  if (headers["anthropic-version"] === undefined) return { object: "list", data: names.map(openaiModel) };
  return {
    data: names.map(anthropicModel),
    has_more: false,
    first_id: names.at(0) ?? null,
    last_id: names.at(-1) ?? null,
  };
}

const openaiModel = (id: string): OpenAI.Models.Model => ({
  id,
  object: "model",
  created: 1_700_000_000,
  owned_by: "mock",
});

const anthropicModel = (id: string): Anthropic.ModelInfo => ({
  id,
  type: "model",
  display_name: id,
  created_at: "2026-01-01T00:00:00Z",
  capabilities: null,
  deprecated_at: null,
  retires_at: null,
  lifecycle: "active",
  line: null,
  max_input_tokens: null,
  max_tokens: null,
});
