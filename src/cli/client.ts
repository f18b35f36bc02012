/**
 * `joulemark client`: hands out what applications are marked with, a file per language.
 * @module
 */
import { unwritable } from "../os/files/whole_file.ts";
import { makeDirectories } from "../os/output_place.ts";
import { LANGUAGES } from "../marks/client/files.ts";
import { UnknownNameError } from "../core/errors.ts";
import { WholeFile } from "../os/files/whole_file.ts";
import { EXIT } from "./exit_codes.ts";
import { quietOption } from "./command_line/common_options.ts";
import { misused } from "./command_line/options.ts";
import { say } from "./io.ts";
import type { Verb } from "./command_line/verb.ts";

/** Writes the client of a language. */
export const client: Verb = {
  name: "client",
  usage: ["LANG [options]"],
  about: `Writes the annotation header or module for a language.

LANG is one of
  c        joulemark.h, for C and C++: one header, no library
  fortran  joulemark.f90 (a module), joulemark.h, and the C file of the module
  go       joulemark.go, which uses cgo. Write it to a separate folder of your
           module (--dir), and import this folder. A goroutine in a region
           stays on its thread. A span may end in any goroutine
  rust     joulemark.rs and the C file that it calls. Regions and spans end
           with their scopes
  python   joulemark.py: one file that needs only the standard library
  shell    joulemark.sh, for bash, zsh and POSIX shells
  preload  sources of the library that intercepts calls of other tools. Write
           them to a separate directory (--dir), because only this library can
           use their joulemark.h. "run --preload" builds this library
           automatically`,
  options: [
    {
      name: "dir",
      value: "DIR",
      help: "directory to write to; the default is the current directory",
    },
    quietOption("print nothing about the written files"),
  ],
  notes: "Existing files with these names are replaced. An annotated program also works without " +
    "joulemark. A begin or end call then costs a nanosecond or less.",
  examples: [
    "joulemark client c",
    "joulemark client go --dir joulemark",
    "joulemark client c && cc -O2 -o app app.c && joulemark run -- ./app",
  ],
  words: ["c", "fortran", "go", "rust", "python", "shell", "preload"],
  run(options) {
    const names = Object.keys(LANGUAGES);
    if (options.words.length !== 1) {
      const found = options.words.join(" ") || "none";
      throw misused("client", `one language: ${names.join(", ")}`, found);
    }
    const [name] = options.words;
    if (!Object.hasOwn(LANGUAGES, name)) throw new UnknownNameError("language", name, names);
    const language = LANGUAGES[name];
    const dir = options.text.dir ?? ".";
    try {
      makeDirectories(dir);
    } catch (error) {
      throw unwritable(dir, error);
    }
    const paths = language.files().map(({ name, text }) => {
      const path = `${dir.replace(/\/+$/, "") || "/"}/${name}`.replace(/^\/\//, "/");
      using file = new WholeFile(path);
      file.write(text);
      file.keep();
      return path;
    });
    if (!options.flags.has("quiet")) {
      const wrote = paths.length > 4 ? `${paths.length} files to ${dir}` : paths.join(", ");
      say(`wrote ${wrote}; ${language.use.replaceAll("DIR", dir)}`);
    }
    return EXIT.done;
  },
};
