/**
 * Puts the texts that applications get into src/client/texts_table.ts:
 * `deno run -A tests/client/_embed.ts`. A plain string is carried by every way of running,
 * bundling and compiling the program.
 */
const CLIENT = new URL("../../src/client/", import.meta.url);
const FOLDERS = ["texts", "preload"];

/** Texts by their path below src/client/. */
export function textsNow(): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const folder of FOLDERS) {
    const names = [...Deno.readDirSync(new URL(`${folder}/`, CLIENT))].map((e) => e.name).sort();
    for (const name of names) {
      if (name.endsWith(".ts")) continue;
      texts[`${folder}/${name}`] = Deno.readTextFileSync(new URL(`${folder}/${name}`, CLIENT));
    }
  }
  return texts;
}

/** What the file must hold. */
export function tableOf(texts: Record<string, string>): string {
  const lines = Object.entries(texts).map(([path, text]) =>
    `  ${JSON.stringify(path)}:\n    ${JSON.stringify(text)},\n`
  );
  return `/**
 * Generated from the files of texts/ and preload/ by tests/client/_embed.ts; do not edit.
 * @module
 */

/** Texts by their path below this folder. */
// deno-fmt-ignore
export const TEXTS: Readonly<Record<string, string>> = {
${lines.join("")}};
`;
}

if (import.meta.main) {
  Deno.writeTextFileSync(new URL("texts_table.ts", CLIENT), tableOf(textsNow()));
}
