/**
 * Bundles the script and the style sheet of the page (src/show/page/client/) with the libraries that they
 * use, minified, into src/show/page/made/, with the script's sum: `deno task page`. Texts, so that neither `deno compile` nor the
 * packer nor a run from source needs the libraries again; a test makes them anew and compares.
 *
 *     deno run -A airgap/page.ts [FOLDER]
 */

const ROOT = new URL("..", import.meta.url).pathname;

/** What stands above the script, as the licences of the libraries ask. */
const NOTICE = `/*! joulemark, BSD-3-Clause.
uPlot 1.6.32, MIT, Copyright (c) 2022 Leon Sorokin.
d3-flame-graph 5.0.0, Apache-2.0, Copyright 2018 Martin Spier.
d3-array, d3-color, d3-dispatch, d3-ease, d3-format, d3-hierarchy, d3-interpolate, d3-scale,
d3-selection, d3-time, d3-time-format, d3-timer, d3-transition, internmap: ISC, Copyright Mike Bostock. */
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
    const sum = new Uint8Array(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)),
    );
    Deno.writeTextFileSync(`${folder}/${MADE[0]}`, text);
    Deno.writeTextFileSync(`${folder}/${MADE[1]}`, `${style}\n`);
    // The page's policy allows the script by its sum.
    Deno.writeTextFileSync(`${folder}/${MADE[2]}`, `${btoa(String.fromCharCode(...sum))}\n`);
  } finally {
    Deno.removeSync(out, { recursive: true });
  }
}

if (import.meta.main) await makePage(Deno.args[0] ?? `${ROOT}src/show/page/made`);
