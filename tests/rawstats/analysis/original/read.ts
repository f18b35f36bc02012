/**
 * Raw stats as the original programs take them: every line as it is written, whatever its schema says.
 *
 * Small and strict: the inputs are files of these tests. It shares no code with the product's reader.
 * @module
 */
import type { RawLine, RawRecord, RawStats } from "../../../../src/rawstats/format/rawstats.ts";
import { parseRawSchema, type RawSchema } from "../../../../src/rawstats/format/schema.ts";

/**
 * Reads one node's text.
 *
 * `schemas` has the first schema of each type, as the job assembler keeps it; each line has the schema
 * that was in force there, as the ingest takes it.
 */
export function readOriginal(text: string): RawStats {
  const properties = new Map<string, string>();
  const schemas = new Map<string, RawSchema>();
  const current = new Map<string, RawSchema>();
  const records: RawRecord[] = [];
  let marks: string[] = [];
  let lines: RawLine[] = [];
  for (const line of text.split("\n")) {
    const words = line.split(" ").filter((word) => word !== "");
    if (line.startsWith("$")) properties.set(words[0].slice(1), words.slice(1).join(" "));
    else if (line.startsWith("%")) marks.push(line.slice(1));
    else if (line.startsWith("!")) {
      const schema = parseRawSchema(line)!;
      current.set(schema.type, schema);
      if (!schemas.has(schema.type)) schemas.set(schema.type, schema);
    } else if (/^\d/.test(line)) {
      const [time, jobs, host = ""] = words;
      const timeUs = Math.round(Number(time) * 1e6);
      records.push({ timeUs, jobs, host, marks: marks = [], lines: lines = [] });
    } else if (current.has(words[0])) {
      const schema = current.get(words[0])!;
      const values = words.slice(2).map(BigInt);
      lines.push({
        type: words[0],
        device: words[1],
        values: BigUint64Array.from(values),
        schema,
      });
    }
  }
  return { properties, schemas, records, errors: [] };
}
