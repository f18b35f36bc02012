/**
 * Raw stats of many nodes as the original programs take them: whole, by node.
 *
 * @module
 */
import type { FormatError } from "../../core/errors.ts";
import type { RawRecord, RawStats } from "../../formats/rawstats/rawstats.ts";
import type { RawSchema } from "../../formats/rawstats/schema.ts";
import type { RawFile } from "../files.ts";
import { type RawCopies, recordsOnce } from "../once.ts";
import { filesByHost } from "../stats.ts";

/** How files are read for an original's numbers. */
export interface OriginalNodesOptions {
  /** Are lines kept that have more or fewer values than their schema? */
  readonly keepsOddLines: boolean;
  /** Counts what was found more than once. */
  readonly copies: RawCopies;
  error(error: FormatError): void;
}

/** The records of each node, each once, by host. */
export async function readOriginalNodes(
  files: readonly RawFile[],
  { keepsOddLines, copies, error }: OriginalNodesOptions,
): Promise<Map<string, RawStats>> {
  const nodes = new Map<string, RawStats>();
  for (const own of filesByHost(files)) {
    const properties = new Map<string, string>();
    const schemas = new Map<string, RawSchema>();
    const records: RawRecord[] = [];
    const errors: FormatError[] = [];
    const handler = {
      property: (name: string, value: string) => void properties.set(name, value),
      schema: ({ schema }: { schema: RawSchema }) => void schemas.set(schema.type, schema),
      error: (one: FormatError) => {
        errors.push(one);
        error(one);
      },
      oddRow: () => keepsOddLines,
    };
    for await (const { head, marks, lines } of recordsOnce(own, handler, copies)) {
      const { timeUs, jobs, host } = head;
      const kept = lines.map(({ device, values }) => {
        const { schema } = device.columns;
        const exact = BigUint64Array.from(values.numbers, (_, k) => values.exact(k));
        return { type: schema.type, device: device.name, values: exact, schema };
      });
      records.push({ timeUs, jobs, host, marks, lines: kept });
    }
    nodes.set(own[0].host, { properties, schemas, records, errors });
  }
  return nodes;
}
