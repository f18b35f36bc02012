/**
 * Stands for `@std/yaml` if JSR does not answer: its `parse` over npm's `yaml`, with @std's default schema:
 * YAML 1.2 core, timestamps, merge keys, binary. `0o17` is text for @std, and it lets a tab indent.
 */
import { parseAllDocuments } from "yaml";

const EXTRA_TAGS = ["timestamp", "binary", "merge", "omap", "pairs", "set"] as const;

/**
 * Reads one YAML document.
 *
 * @returns Plain objects, arrays and scalars; `null` for an empty text.
 * @throws {SyntaxError} If the text is not YAML, repeats a key, or has more than one document.
 */
export function parse(content: string): unknown {
  const documents = parseAllDocuments(content, {
    schema: "core",
    customTags: [...EXTRA_TAGS],
    logLevel: "silent",
  });
  if ("empty" in documents) return null;
  if (documents.length > 1) throw new SyntaxError("expected one document, found more");
  const [document] = documents;
  if (document.errors.length > 0) throw new SyntaxError(document.errors[0].message);
  try {
    return document.toJS();
  } catch (cause) { // an alias without its anchor
    throw new SyntaxError((cause as Error).message, { cause });
  }
}
