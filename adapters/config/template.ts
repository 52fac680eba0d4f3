import text from "../../core/config/template.toml" with { type: "text" };

/** The commented file that new users get. What it says is also what holds without any file. */
export const TEMPLATE: string = text;
