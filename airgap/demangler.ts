/**
 * Writes the demangler of C++ and Rust names, gecko-profiler-demangle's WebAssembly as base64, into
 * src/profile/: `deno task demangler`. A text, so that neither `deno compile` nor the packer nor a run from
 * source needs the package again; a test makes it anew and compares.
 *
 *     deno run -A airgap/demangler.ts [FILE]
 */

const ROOT = new URL("..", import.meta.url).pathname;
/** Its licence, above the bytes: Apache-2.0 OR MIT. */
const NOTICE = `gecko-profiler-demangle 0.4.0, by Markus Stange

Copyright (c) 2018 Contributors

Permission is hereby granted, free of charge, to any
person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the
Software without restriction, including without
limitation the rights to use, copy, modify, merge,
publish, distribute, sublicense, and/or sell copies of
the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following
conditions:

The above copyright notice and this permission notice
shall be included in all copies or substantial portions
of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF
ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED
TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A
PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT
SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY
CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION
OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
DEALINGS IN THE SOFTWARE.
`;
const SOURCE = `import wasm from "gecko-profiler-demangle/index_bg.wasm" with { type: "bytes" };
console.log(wasm);
`;

/** Writes the file. @throws {Error} If the bundler cannot read the package. */
export async function makeDemangler(file: string): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "joulemark-demangler-" });
  try {
    await Deno.writeTextFile(`${folder}/entry.ts`, SOURCE);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        ...["bundle", "--quiet", "--platform", "browser"],
        ...["--config", `${ROOT}airgap/deno.json`, `${folder}/entry.ts`],
      ],
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      env: { NO_COLOR: "1" },
    }).output();
    const [, base64] = /"([\w+/=]{1000,})"/.exec(new TextDecoder().decode(stdout)) ?? [];
    if (code !== 0 || base64 === undefined) {
      throw new Error(`Cannot bundle the demangler: ${new TextDecoder().decode(stderr)}`);
    }
    await Deno.writeTextFile(file, `${NOTICE}\n${base64}\n`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  await makeDemangler(Deno.args[0] ?? `${ROOT}src/profile/demangler.txt`);
}
