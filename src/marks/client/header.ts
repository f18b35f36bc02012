/**
 * The C client as one text: the header's template with the ring's constants in it.
 *
 * The template is `joulemark.h.in`.
 * @module
 */
import { ringConstantsAsC } from "../../core/events/ring_layout.ts";
import { TEXTS } from "./texts.ts";

/** Name under which the header is handed out. */
export const HEADER_NAME = "joulemark.h";

/** The whole of `joulemark.h`. */
export function joulemarkHeader(): string {
  return TEXTS["joulemark.h.in"].replace("@CONSTANTS@", () => ringConstantsAsC());
}

const STATIC = /^#define JOULEMARK__(COLD|WARM) static __attribute__\(\(unused, (.*)\)\)$/gm;
const BODY = /^(JOULEMARK__(?:COLD|WARM) [^;{}]*?) (\{\n[\s\S]*?^\})$/gm;

/**
 * The header for libraries of many files: what is not inlined is compiled in one of them, the one that
 * defines `JOULEMARK__BODIES`. That is nine tenths of what a compiler does with it.
 */
export function joulemarkHeaderInParts(): string {
  return joulemarkHeader()
    .replace(STATIC, '#define JOULEMARK__$1 __attribute__((visibility("hidden"), $2))')
    .replace(BODY, "$1\n#ifdef JOULEMARK__BODIES\n$2\n#else\n    ;\n#endif");
}
