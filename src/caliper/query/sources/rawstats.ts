/**
 * Raw stats as a source of records: one per statistics line, streaming. `host`, `jobid`, `time` in
 * seconds, `type` and `device`, then the keys of the type. Jobs and copies are those of `stats`.
 *
 * Values are the counts of the file, exact to 64 bits; `attribute.unit` is the unit as declared
 * (`512B`, `cs`). Columns that a fast sample omits are not in its records. A key that another type
 * has with another unit, or that is one of the five names above, is called `TYPE:KEY`.
 * @module
 */

import { TYPE } from "../../model/variant.ts";
import type { RawColumns, RawValues } from "../../../rawstats/format/columns.ts";
import { nextGeneration } from "../../../rawstats/format/generation.ts";
import { RecordJobs } from "../../../rawstats/format/record_jobs.ts";
import { type RawHead, RawScanner } from "../../../rawstats/format/scanner.ts";
import { SeenTimes } from "../../../rawstats/format/seen_times.ts";
import { INPUT, pieces, RecordMaker } from "../record_maker.ts";
import type { ReadBytes, RecordSource } from "./source.ts";

const OWN = ["host", "jobid", "time", "type", "device"] as const;

/**
 * @param read Gives the bytes of the file.
 * @param seen Times of the records of other files by host: a record counts once.
 */
export function rawStatsSource(read: ReadBytes, seen = new Map<string, SeenTimes>()): RecordSource {
  return (tree, sink) => {
    const maker = new RecordMaker(tree, sink);
    const lines = new Lines(maker);
    const scanner = new RawScanner(INPUT, {
      property(name, value) {
        const refusal = nextGeneration(INPUT, name, value);
        if (refusal !== undefined) throw refusal;
        // Files before 2.x name their host here alone.
        if (name === "hostname") lines.host = value;
        maker.global(name, value);
      },
      schema: (columns) => lines.schema(columns),
      record: (head) => lines.record(head),
      mark: (text) => lines.marks.push(text),
      row: ({ name, columns }, values) => lines.row(columns, name, values),
      error: (error) => maker.problem(error),
    }, (host) => seen.getOrInsertComputed(host, () => new SeenTimes()));
    for (const piece of pieces(read)) scanner.push(piece);
    scanner.end();
  };
}

class Lines {
  host = "";
  marks: string[] = [];
  #head: RawHead | undefined;
  /** Jobs of the record at hand; `undefined`: its marks have not all come. */
  #jobs: string | undefined;
  readonly #hosts = new Map<string, RecordJobs>();
  readonly #maker: RecordMaker;
  readonly #own: number[];
  readonly #ownWanted: boolean[];
  /** Per schema its keys' attributes, -1 if the value is not needed. */
  readonly #keys: Int32Array[] = [];

  constructor(maker: RecordMaker) {
    this.#maker = maker;
    this.#own = OWN.map((name) => {
      const isTime = name === "time";
      return maker.attribute(name, isTime ? TYPE.double : TYPE.string, isTime ? { unit: "s" } : {});
    });
    this.#ownWanted = this.#own.map((id) => maker.wants(id));
  }

  schema({ schema, index }: RawColumns): void {
    const maker = this.#maker;
    this.#keys[index] = Int32Array.from(schema.keys, ({ name, unit }) => {
      const other = `${schema.type}:${name}`;
      const isTaken = (OWN as readonly string[]).includes(name);
      const id = maker.attribute(isTaken ? other : name, TYPE.uint, { unit, other });
      return maker.wants(id) ? id : -1;
    });
  }

  record(head: RawHead): void {
    // The jobs of a record without lines count too.
    if (this.#head !== undefined && this.#jobs === undefined) this.#jobsOf(this.#head);
    this.#head = head;
    this.#jobs = undefined;
    this.marks = [];
  }

  #hostOf({ host }: RawHead): string {
    return host === "" ? this.host : host;
  }

  #jobsOf(head: RawHead): string {
    const jobs = this.#hosts.getOrInsertComputed(this.#hostOf(head), () => new RecordJobs());
    return jobs.take(head.jobs, this.marks).join(",") || head.jobs;
  }

  row({ schema, index }: RawColumns, device: string, values: RawValues): void {
    const maker = this.#maker, head = this.#head!, keys = this.#keys[index];
    this.#jobs ??= this.#jobsOf(head);
    this.#text(0, this.#hostOf(head));
    this.#text(1, this.#jobs);
    if (this.#ownWanted[2]) maker.push(this.#own[2], TYPE.double, head.timeUs / 1e6);
    this.#text(3, schema.type);
    this.#text(4, device);
    for (let i = 0; i < keys.length; i++) {
      const number = values.numbers[i];
      if (keys[i] < 0 || number !== number) continue;
      const value = number > Number.MAX_SAFE_INTEGER ? values.exact(i) : number;
      maker.push(keys[i], TYPE.uint, value);
    }
    maker.emit();
  }

  #text(own: number, text: string): void {
    if (this.#ownWanted[own]) this.#maker.text(this.#own[own], text);
  }
}
