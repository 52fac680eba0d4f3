import type { Result } from "../../core/result.ts";
import { replaceFile } from "../host/atomic-file.ts";
import { TEMPLATE } from "./template.ts";

/** Writes the commented template as the user's file. */
export const createUserFile = (path: string): Result<void, string> => replaceFile(path, TEMPLATE);
