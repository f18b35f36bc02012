/** The texts that `client` writes, the files beside this one. */
import * as files from "./text_files.ts";

/** By their names there. */
export const TEXTS: Readonly<Record<string, string>> = files;
