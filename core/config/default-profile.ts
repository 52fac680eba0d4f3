import * as v from "valibot";
import { type Profile, profileSchema } from "./schema.ts";

/** A profile of which nothing is said. Called while the program is compiled, as a macro. */
export const defaultProfile = (): Profile => v.parse(profileSchema, {});
