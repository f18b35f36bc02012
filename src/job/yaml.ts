/**
 * General YAML, which others may have written: reports that the reader of the fixed layout refuses, and the
 * description of a recording.
 * @module
 */
import { FormatError } from "../core/errors.ts";
import type { OtherReader } from "../merge/read_report.ts";
import { reportFromYaml } from "../merge/yaml_report.ts";

/** Parsers call themselves for every level, and of a few thousand they end by an error of the runtime. */
const MAX_LEVELS = 200;
const LINE = 10, BLANK = 32, DASH = 45, QUESTION = 63;
const OPEN = new Set(["[", "{"].map((c) => c.charCodeAt(0)));
const CLOSE = new Set(["]", "}"].map((c) => c.charCodeAt(0)));

/**
 * Loads the parser.
 *
 * @returns Data of a text. @throws {Error} Also where it nests deeper than a parser can follow.
 */
export async function yamlParser(): Promise<(text: string) => unknown> {
  const { parse } = await import("@std/yaml/parse");
  return (text) => {
    const line = findDeepLine(text);
    if (line > 0) throw new Error(`more than ${MAX_LEVELS} levels in line ${line}`);
    return parse(text);
  };
}

/** The first line with too many levels, 0: none. Brackets in texts count too, where they stay open. */
function findDeepLine(text: string): number {
  const indents: number[] = [];
  let open = 0;
  for (let at = 0, line = 1; at < text.length; line++) {
    let first = at, inside = 0;
    for (; first < text.length; first++) {
      const code = text.charCodeAt(first), next = text.charCodeAt(first + 1);
      const isItem = (code === DASH || code === QUESTION) && next === BLANK;
      if (isItem) inside++;
      else if (code !== BLANK) break;
    }
    while (indents.length > 0 && indents[indents.length - 1] >= first - at) indents.pop();
    indents.push(first - at);
    let most = open;
    for (at = first; at < text.length && text.charCodeAt(at) !== LINE; at++) {
      const code = text.charCodeAt(at);
      if (OPEN.has(code)) most = Math.max(most, ++open);
      else if (CLOSE.has(code) && open > 0) open--;
    }
    if (indents.length + inside + most > MAX_LEVELS) return line;
    at++;
  }
  return 0;
}

/** The parser is loaded here: whether it is needed is known only in the midst of the files. */
export async function yamlReader(): Promise<OtherReader> {
  const parse = await yamlParser();
  return (text, path) => {
    let data: unknown;
    try {
      data = parse(text);
    } catch (cause) {
      throw new FormatError(path, 0, {
        action: "merge",
        expected: "a report",
        found: (cause as Error).message.split("\n")[0],
        remedy: "it is left out",
        cause,
      });
    }
    return reportFromYaml(data, path);
  };
}
