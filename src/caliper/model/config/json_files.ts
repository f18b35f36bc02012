/**
 * JSON files that configuration strings name, and run metadata out of them:
 * `metadata(file=FILE,keys="a,b")`.
 *
 * Truth: Caliper manual, ConfigManager API, "metadata".
 * @module
 */
import { isMapping } from "../../../core/report.ts";

/** Reads a file; undefined if it cannot be read. */
export type ReadFile = (path: string) => string | undefined;

/** Value of a JSON document. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A file that is not there, or does not hold what it should. */
export class JsonFileError extends Error {}

/** Run metadata of a file: its members by name, those of members with `.` between. */
export function metadataOf(
  path: string,
  keys: readonly string[],
  read: ReadFile | undefined,
): Record<string, string> {
  const content = parsed(path, read, asWritten), found: Record<string, string> = {};
  if (!isMapping<Json>(content)) fail(path, "expected an object");
  const add = (name: string, value: Json): void => {
    if (isMapping<Json>(value) && !RawJson.isRawJSON(value)) {
      for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner);
    } else found[name] = typeof value === "string" ? value : JSON.stringify(value);
  };
  for (const key of keys.length > 0 ? keys : Object.keys(content)) {
    const value = keys.length > 0 ? memberOf(content, key) : content[key];
    if (value !== undefined) add(key, value);
  }
  return found;
}

/** A member of a member of an object: `a.b`. */
function memberOf(content: Json, path: string): Json | undefined {
  let value: Json | undefined = content;
  for (const key of path.split(".")) {
    value = isMapping<Json>(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** Changes a value that was read. */
type Reviver = (key: string, value: Json, context: { source?: string }) => Json;

/** Calls that the types do not know yet. */
const RawJson = JSON as unknown as {
  rawJSON(text: string): Json;
  isRawJSON(value: Json): boolean;
  parse(text: string, reviver?: Reviver): Json;
};

/** Numbers stay as they are written: a version 1.10 is not 1.1. */
const asWritten: Reviver = (_key, value, { source }) =>
  typeof value === "number" ? RawJson.rawJSON(source!) : value;

/** The content of a file. @throws {JsonFileError} If there is none. */
export function parsed(path: string, read: ReadFile | undefined, reviver?: Reviver): Json {
  const text = read?.(path);
  if (text === undefined) fail(path, "it cannot be read");
  try {
    return RawJson.parse(text, reviver);
  } catch {
    return fail(path, "expected JSON");
  }
}

/** @throws {JsonFileError} */
export function fail(path: string, why: string): never {
  throw new JsonFileError(`Cannot read ${path}: ${why}`);
}
