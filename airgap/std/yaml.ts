/**
 * Stands for `@std/yaml` where JSR does not answer: its `parse`, `parseAll` and `stringify` over
 * npm's `yaml`, with @std's default schema (YAML 1.2 core, timestamps, merge keys, binary).
 * They differ where nothing of ours goes: `0o17` is text for @std, and it lets a tab indent.
 */
import { type Document, parseAllDocuments, stringify as write } from "yaml";

/** What stands at a place in the text that is no YAML. */
export class YamlSyntaxError extends SyntaxError {
  override name = "YamlSyntaxError";
}

/** @std's options that are acted on here. */
export interface ParseOptions {
  /** `failsafe` and `json` leave every scalar text, or JSON's types. @default {"default"} */
  schema?: "core" | "default" | "failsafe" | "json" | "extended";
  /** A repeated key replaces the first instead of being an error. @default {false} */
  allowDuplicateKeys?: boolean;
}

/** @std's options that are acted on here. */
export interface StringifyOptions {
  /** Blanks per level. @default {2} */
  indent?: number;
  /** Leave out what YAML cannot hold, instead of throwing. @default {false} */
  skipInvalid?: boolean;
  /** Keys in order of code points, or as the function says. @default {false} */
  sortKeys?: boolean | ((a: string, b: string) => number);
  /** Fold plain text beyond this column; -1: never. @default {80} */
  lineWidth?: number;
  /** Write a repeated object once, then as an alias. @default {true} */
  useAnchors?: boolean;
}

const EXTRA_TAGS = [
  "timestamp",
  "binary",
  "merge",
  "omap",
  "pairs",
  "set",
] as const;

/**
 * Reads one YAML document.
 *
 * @returns Plain objects, arrays and scalars; `null` for an empty text.
 * @throws {YamlSyntaxError} If the text is no YAML, or holds more than one document.
 */
export function parse(content: string, options: ParseOptions = {}): unknown {
  const documents = parseAll(content, options);
  if (documents.length > 1) {
    throw new YamlSyntaxError(
      "Expected a single document in the stream, but found more",
    );
  }
  return documents.length === 0 ? null : documents[0];
}

/** Reads every document of a YAML stream; see {@linkcode parse}. */
export function parseAll(
  content: string,
  options: ParseOptions = {},
): unknown[] {
  const schema = options.schema ?? "default";
  const documents = parseAllDocuments(content, {
    uniqueKeys: !options.allowDuplicateKeys,
    schema: schema === "failsafe" || schema === "json" ? schema : "core",
    customTags: schema === "default" || schema === "extended" ? [...EXTRA_TAGS] : [],
    logLevel: "silent",
  });
  if ("empty" in documents) return [];
  return documents.map(valueOf);
}

function valueOf(document: Document.Parsed): unknown {
  if (document.errors.length > 0) {
    throw new YamlSyntaxError(document.errors[0].message);
  }
  try {
    return document.toJS();
  } catch (cause) { // an alias without its anchor
    throw new YamlSyntaxError((cause as Error).message, { cause });
  }
}

/**
 * Writes a value as one YAML document.
 *
 * @throws {TypeError} If the value holds something that YAML cannot, such as a function.
 */
export function stringify(
  data: unknown,
  options: StringifyOptions = {},
): string {
  const clean = options.skipInvalid ? data : checked(data, new Set());
  const sort = options.sortKeys;
  const order = typeof sort === "function" ? sort : byCodePoint;
  return write(clean, {
    indent: options.indent ?? 2,
    lineWidth: options.lineWidth === undefined ? 80 : Math.max(0, options.lineWidth),
    customTags: [...EXTRA_TAGS],
    aliasDuplicateObjects: options.useAnchors ?? true,
    sortMapEntries: sort
      ? (a, b) =>
        order(
          String((a.key as { value: unknown }).value),
          String((b.key as { value: unknown }).value),
        )
      : false,
  });
}

function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** npm's `yaml` drops functions and symbols silently; @std refuses them. */
function checked(value: unknown, seen: Set<unknown>): unknown {
  if (typeof value === "function" || typeof value === "symbol") {
    throw new TypeError(`Cannot stringify ${typeof value}`);
  }
  if (typeof value === "object" && value !== null && !seen.has(value)) {
    seen.add(value);
    for (const inner of Object.values(value)) checked(inner, seen);
  }
  return value;
}
