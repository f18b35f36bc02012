/**
 * All raw stats types of a node, open: their header, and record groups.
 *
 * @module
 */
import { parseRawKey, type RawSchema } from "../format/schema.ts";
import { stringifyRawHeader } from "../format/rawstats.ts";
import { RawWriter } from "../format/writer.ts";
import { hostName } from "../../os/host.ts";
import type { RawMachine } from "../../os/raw_machine.ts";
import { RAW_TYPES } from "../../sources/readers/raw/all.ts";
import { identifyProcessor } from "../../sources/readers/raw/processor.ts";
import { accessOf, type RawCollector, RawRow } from "../../sources/readers/raw/raw_type.ts";

/** The version of hpcperfstats whose schemas these are: its readers refuse newer ones. */
const GENERATION = "2.3.5";

interface OpenType {
  readonly name: string;
  readonly schema: RawSchema;
  readonly collector: RawCollector;
  readonly row: RawRow;
  /** Number of lines in the current record, for the list of absent keys. */
  lines: number;
}

/** One record group, as it is asked for. */
export interface RawRecordRequest {
  readonly timeUs: number;
  /** `-`: no job. */
  readonly jobs: string;
  readonly marks: readonly string[];
  /** The first record below a header also has units and absent keys. @default false */
  readonly isFirst?: boolean;
}

/** The open types of one node. */
export class RawCollection {
  readonly hostname: string;
  readonly #types: OpenType[] = [];
  #writer: RawWriter | undefined;
  readonly #scratch = new RawWriter();

  /** @param named Types that were asked for by name: some do only then what others would notice. */
  constructor(readonly machine: RawMachine, named?: ReadonlySet<string>) {
    this.hostname = hostName(machine.host);
    const processor = identifyProcessor(machine.host);
    for (const type of RAW_TYPES) {
      const collector = type.open(accessOf(type, machine, processor, named));
      if (collector === undefined) continue;
      const keys = (collector.keys ?? type.keys).split(" ").map(parseRawKey);
      const schema = { type: type.name, keys };
      const open: OpenType = {
        name: type.name,
        schema,
        collector,
        row: new RawRow(schema.keys.length, (device) => {
          open.lines++;
          this.#writer!.line(open.name, device, open.row.halves);
        }),
        lines: 0,
      };
      this.#types.push(open);
    }
  }

  /** Names of the types that the header lists. */
  get types(): string[] {
    return this.#types.map((type) => type.name);
  }

  /** Programs all counters that have control registers; what failed, one line each. */
  program(): string[] {
    const failures: string[] = [];
    for (const { name, collector } of this.#types) {
      const failed = collector.program?.();
      if (failed !== undefined) failures.push(`${name}: ${failed}`);
    }
    return failures;
  }

  /** The header, without the empty line that ends it. */
  header(): string {
    const { host } = this.machine;
    const kernel = (name: string) => host.readText(`/proc/sys/kernel/${name}`)?.trim();
    const uptime = host.readText("/proc/uptime")?.split(/[. ]/, 1)[0] ?? "0";
    const uname = [
      kernel("ostype") ?? "Linux",
      kernel("arch") ?? Deno.build.arch,
      kernel("osrelease") ?? "-",
      kernel("version") ?? "-",
    ];
    return stringifyRawHeader({
      properties: new Map([
        ["hpcperfstats", GENERATION],
        ["hostname", this.hostname],
        ["uname", uname.join(" ")],
        ["uptime", uptime],
      ]),
      schemas: new Map(this.#types.map((type) => [type.name, type.schema])),
    });
  }

  /**
   * Collects one record group into a writer.
   *
   * @param wants Which types get lines. @default all
   */
  record(
    writer: RawWriter,
    request: RawRecordRequest,
    wants: ReadonlySet<string> | undefined,
  ): void {
    writer.head(request.timeUs, request.jobs, this.hostname);
    for (const mark of request.marks) writer.mark(mark);
    if (request.isFirst === true) this.#firstMarks(writer, wants);
    this.#lines(writer, wants);
  }

  /** Units and absent keys precede the lines, so these are collected once before. */
  #firstMarks(writer: RawWriter, wants: ReadonlySet<string> | undefined): void {
    for (const { name, collector } of this.#types) {
      if (wants !== undefined && !wants.has(name)) continue;
      for (const mark of collector.marks?.() ?? []) writer.mark(mark);
    }
    this.#lines(this.#scratch, wants);
    this.#scratch.clear();
    for (const { name, schema, row, lines } of this.#types) {
      if (lines === 0) continue;
      const absent = schema.keys.filter((_, k) => row.seen[k] === 0).map((key) => key.name);
      if (absent.length > 0) writer.mark(`absent ${name} ${absent.join(" ")}`);
    }
  }

  #lines(writer: RawWriter, wants: ReadonlySet<string> | undefined): void {
    this.#writer = writer;
    for (const type of this.#types) {
      type.lines = 0;
      if (wants !== undefined && !wants.has(type.name)) continue;
      type.row.begin();
      type.collector.collect(type.row);
    }
  }

  [Symbol.dispose](): void {
    for (const { collector } of this.#types) collector[Symbol.dispose]?.();
    this.machine[Symbol.dispose]();
  }
}
