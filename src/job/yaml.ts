/**
 * Reads reports that the reader of the fixed layout refuses, by a general YAML parser.
 * @module
 */
import { FormatError } from "../core/errors.ts";
import type { OtherReader } from "../merge/read_report.ts";
import { reportFromYaml } from "../merge/yaml_report.ts";

/** The parser is loaded here: whether it is needed is known only in the midst of the files. */
export async function yamlReader(): Promise<OtherReader> {
  const { parse } = await import("@std/yaml/parse");
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
