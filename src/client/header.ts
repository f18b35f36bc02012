/**
 * The C client as one text: the header's template with the ring's constants in it.
 *
 * The template is `joulemark.h.in`.
 * @module
 */
import { ringConstantsAsC } from "../core/events/ring_layout.ts";
import { TEXTS } from "./texts.ts";

/** Name under which the header is handed out. */
export const HEADER_NAME = "joulemark.h";

/** The whole of `joulemark.h`. */
export function joulemarkHeader(): string {
  return TEXTS["joulemark.h.in"].replace("@CONSTANTS@", () => ringConstantsAsC());
}
