/**
 * The C client as one text: the header's template with the ring's constants in it.
 *
 * The template is `joulemark.h.in`; `joulemark_h.ts` holds it as a string, so that every way of
 * running, bundling and compiling the program carries it. A test compares the two.
 * @module
 */
import { ringConstantsAsC } from "../core/ring_layout.ts";
import { JOULEMARK_H_IN } from "./joulemark_h.ts";

/** Name under which the header is handed out. */
export const HEADER_NAME = "joulemark.h";

/** The whole of `joulemark.h`. */
export function joulemarkHeader(): string {
  return JOULEMARK_H_IN.replace("@CONSTANTS@", () => ringConstantsAsC());
}
