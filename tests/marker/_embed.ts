/**
 * Puts the C client's template into src/client/joulemark_h.ts: `deno run -A tests/marker/_embed.ts`.
 *
 * A text import would do where the program is run, checked and bundled; a plain string does
 * everywhere.
 */
const CLIENT = new URL("../../src/client/", import.meta.url);

/** What the file must hold. */
export function embedded(template: string): string {
  return `/**
 * Generated from joulemark.h.in by tests/marker/_embed.ts; do not edit.
 * @module
 */

/** The template of the C client. */
// deno-fmt-ignore
export const JOULEMARK_H_IN: string =
  ${JSON.stringify(template)};
`;
}

/** Template and generated file as they are. */
export function embeddedNow(): { template: string; file: string } {
  return {
    template: Deno.readTextFileSync(new URL("joulemark.h.in", CLIENT)),
    file: Deno.readTextFileSync(new URL("joulemark_h.ts", CLIENT)),
  };
}

if (import.meta.main) {
  const template = Deno.readTextFileSync(new URL("joulemark.h.in", CLIENT));
  Deno.writeTextFileSync(new URL("joulemark_h.ts", CLIENT), embedded(template));
}
