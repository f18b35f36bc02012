/**
 * `run --python`: a folder with our sitecustomize.py and the client, put before Python's path. Kept in
 * the cache of this user alone, once for each version of the two.
 * @module
 */
import { LANGUAGES } from "../client/files.ts";
import { TEXTS } from "../client/texts.ts";
import { isHumanError } from "../../core/errors.ts";
import { statPath, writeNew } from "../../os/files.ts";
import { cString, libc } from "../../os/libc.ts";
import type { Environment } from "../../core/environment.ts";
import { hash, privateCache } from "./build.ts";

const encoder = new TextEncoder();

/**
 * Environment changes that the command needs; without a private folder for them one line is logged.
 */
export function pythonChanges(
  env: Environment,
  log: (line: string) => void,
): Readonly<Record<string, string>> {
  try {
    return { PYTHONPATH: folderIn(privateCache(env)) };
  } catch (error) {
    log(`${isHumanError(error) ? error.message : error}. Python runs without annotations`);
    return {};
  }
}

function folderIn(cache: string): string {
  const files = [
    ...LANGUAGES.python.files(),
    { name: "sitecustomize.py", text: TEXTS["texts/sitecustomize.py"] },
  ];
  const folder = `${cache}/python-${hash(files.map(({ text }) => text).join("\n"))}`;
  libc().mkdir(cString(folder), 0o700);
  for (const { name, text } of files) {
    const path = `${folder}/${name}`;
    if (statPath(path, false) !== undefined) continue;
    const made = `${path}.${libc().getpid()}`;
    writeNew(made, encoder.encode(text));
    libc().rename(cString(made), cString(path));
  }
  return folder;
}
