/**
 * Bundles the script and the style sheet of the page (src/show/page/client/) with the libraries that they
 * use, minified, into src/show/page/made/, with the sums of both: `deno task page`. Texts, so that neither `deno compile` nor the
 * packer nor a run from source needs the libraries again; a test makes them anew and compares.
 *
 *     deno run -A airgap/page.ts [FOLDER]
 */

const ROOT = new URL("..", import.meta.url).pathname;

/** Licences of the libraries, above the script. */
const NOTICE = `/*! joulemark, BSD-3-Clause.
d3-array, d3-axis, d3-color, d3-format, d3-hierarchy, d3-interpolate, d3-path, d3-scale,
d3-scale-chromatic, d3-selection, d3-shape, d3-time, d3-time-format, internmap:
ISC, Copyright Mike Bostock. d3-scale-chromatic has colours of ColorBrewer, Apache-2.0, Copyright 2002 Cynthia
Brewer, Mark Harrower, and The Pennsylvania State University. */
`;

/** Names of the files. */
export const MADE = ["page.js.txt", "page.css.txt", "page.sum.txt"];

/** Writes them. @throws {Error} If the bundler cannot, or its text could end the page's script. */
export async function makePage(folder: string): Promise<void> {
  const out = await Deno.makeTempDir({ prefix: "joulemark-page-" });
  try {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--quiet", "--platform", "browser", "--format", "iife", "--minify"],
        ...[
          "--config",
          `${ROOT}airgap/deno.json`,
          "--outdir",
          out,
          `${ROOT}src/show/page/client/main.ts`,
        ],
      ],
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      env: { NO_COLOR: "1" },
    }).output();
    if (code !== 0) throw new Error(`Cannot bundle the page: ${new TextDecoder().decode(stderr)}`);
    const script = Deno.readTextFileSync(`${out}/main.js`).trim();
    const style = Deno.readTextFileSync(`${out}/main.css`).trim();
    if (/<\/script|<!--/i.test(script)) throw new Error("Cannot bundle the page: it ends a script");
    if (/<\/style/i.test(style)) throw new Error("Cannot bundle the page: it ends a style");
    Deno.mkdirSync(folder, { recursive: true });
    const text = `${NOTICE}${script}\n`;
    const sums = await Promise.all([text, `${style}\n`].map(sumOf));
    Deno.writeTextFileSync(`${folder}/${MADE[0]}`, text);
    Deno.writeTextFileSync(`${folder}/${MADE[1]}`, `${style}\n`);
    // The page's policy allows the script and the style sheet by their sums.
    Deno.writeTextFileSync(`${folder}/${MADE[2]}`, `${sums.join("\n")}\n`);
  } finally {
    Deno.removeSync(out, { recursive: true });
  }
}

/** SHA-256 as base64. */
async function sumOf(text: string): Promise<string> {
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(sum)));
}

if (import.meta.main) await makePage(Deno.args[0] ?? `${ROOT}src/show/page/made`);
