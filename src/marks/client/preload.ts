/**
 * The interposition library's sources: one C core, one file per dialect.
 * @module
 */
import { DIALECTS } from "./dialects.ts";
import { HEADER_NAME, joulemarkHeaderInParts } from "./header.ts";
import { TEXTS } from "./texts.ts";

const ALWAYS = ["core.h", "core.c"];

/** Files of these dialects, all by default, with the header that they include. */
export function preloadFiles(
  dialects: readonly string[] = Object.keys(DIALECTS),
): { name: string; text: string }[] {
  const names = new Set([...ALWAYS, ...dialects.flatMap((d) => DIALECTS[d])]);
  return [
    { name: HEADER_NAME, text: joulemarkHeaderInParts() },
    ...[...names].map((name) => ({ name, text: TEXTS[`preload/${name}`] })),
  ];
}
