/**
 * Stands for `@std/yaml` where JSR does not answer: its `parse` over npm's `yaml`, with @std's default schema (YAML 1.2 core, timestamps, merge keys, binary).
 * They differ where nothing of ours goes: `0o17` is text for @std, and it lets a tab indent.
 */
import { type Document, parseAllDocuments } from "yaml";

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
function parseAll(
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
