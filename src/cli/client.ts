/**
 * `joulemark client`: hands out what applications are marked with, a file per language.
 * @module
 */
import { HEADER_NAME, joulemarkHeader } from "../client/header.ts";
import { UnknownNameError, UsageError } from "../core/errors.ts";
import { writeBeside } from "../session/write_beside.ts";
import { EXIT } from "./exit_codes.ts";
import { writeStderr, writeStdout } from "./io.ts";
import { parseOptions } from "./options.ts";
import type { Verb } from "./verb.ts";

const HELP = `Writes the markup client for a language.

Usage: joulemark client LANG [options]

LANG is one of
  c       joulemark.h, for C and C++: one header, no library

Options:
  --dir DIR     where to write it; the default is the current directory
  -q, --quiet   do not tell what was written
  -h, --help    this text

A file of that name is replaced. A marked program runs as ever without
joulemark, and each mark then costs a nanosecond or less.

Examples:
  joulemark client c
  joulemark client c --dir include
  joulemark client c && cc -O2 -o app app.c && joulemark run -- ./app
`;

/** A language: what is written, and the line that uses it. */
interface Language {
  readonly file: string;
  text(): string;
  readonly use: string;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  c: { file: HEADER_NAME, text: joulemarkHeader, use: "cc -O2 -I DIR -o app app.c" },
};

/** See the module. */
export const client: Verb = {
  name: "client",
  summary: "write the markup client for a language",
  help: HELP,
  run(args) {
    const options = parseOptions("client", args, { text: ["dir"] });
    if (options.flags.has("help")) {
      writeStdout(HELP);
      return EXIT.done;
    }
    const names = Object.keys(LANGUAGES);
    if (options.words.length !== 1) {
      throw new UsageError({
        action: 'run "joulemark client"',
        expected: `one language: ${names.join(", ")}`,
        found: options.words.length === 0 ? "none" : options.words.join(" "),
        remedy: "see joulemark client --help",
      });
    }
    const [name] = options.words;
    if (!Object.hasOwn(LANGUAGES, name)) throw new UnknownNameError("language", name, names);
    const language = LANGUAGES[name];
    const dir = options.text.dir ?? ".";
    const path = `${dir.replace(/\/+$/, "") || "/"}/${language.file}`.replace(/^\/\//, "/");
    using file = writeBeside(path);
    file.write(language.text());
    file.keep();
    if (!options.flags.has("quiet")) {
      writeStderr(`joulemark: wrote ${path}; compile with: ${language.use.replace("DIR", dir)}\n`);
    }
    return EXIT.done;
  },
};
