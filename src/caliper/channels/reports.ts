/**
 * Texts that a channel's queries make at the end: `report`, `mpireport`, `loop-report`.
 *
 * In a job of several nodes each node keeps the rows of its processes beside its part of the job's
 * report, and the last one done runs the query over all.
 * @module
 */
import type { ChannelSpec, SpotProfile } from "../model/config/channel_spec.ts";
import { fillName } from "../model/config/file_name.ts";
import { isTrue, wordsOf } from "../model/config_words.ts";
import type { Channel } from "../model/services/channel.ts";
import { SIMULATED } from "../model/services/signals.ts";
import { NONE } from "../model/tree.ts";
import { query } from "../query/library.ts";
import { QueryError } from "../query/query_error.ts";
import { type Printer, writeText } from "./files.ts";
import { loopReport } from "./loops.ts";
import { spotStream } from "./spot.ts";

/** The records of a run, as `.cali` streams. */
export interface RunRecords {
  /** All of them as one stream. */
  all(): string;
  /** A stream of each process. */
  processes(): string[];
  /** Value of an attribute, for names of files. */
  valueOf(attribute: string): string | undefined;
}

/** The reports of one channel. */
export class ContextReports {
  #spec: ChannelSpec;
  readonly #channel: Channel;
  readonly #printer: Printer;

  constructor(spec: ChannelSpec, channel: Channel, printer: Printer) {
    [this.#spec, this.#channel, this.#printer] = [spec, channel, printer];
  }

  /** Chooses the report once it is known whether ranks of MPI ran. */
  choose(isUnderMpi: boolean): void {
    const { reports } = this.#spec;
    if (reports !== undefined) this.#spec = isUnderMpi ? reports.under : reports.alone;
  }

  /** Has the report a query over the rows of all nodes? */
  get wanted(): boolean {
    return this.#prefix !== undefined;
  }

  /** Files of the queries, with `%attribute%` in them. */
  get names(): readonly string[] {
    const prefix = this.#prefix;
    return prefix === undefined ? [] : [this.#spec.variables[`${prefix}_FILENAME`] ?? "stdout"];
  }

  /** The rows that the query is asked of, as one stream; what a node keeps for its job. */
  rows(records: RunRecords): string {
    if (this.#prefix === "CALI_REPORT") return records.all();
    const local = this.#spec.variables.CALI_MPIREPORT_LOCAL_CONFIG;
    const processes = records.processes();
    // A format in it is for a program without ranks.
    const rows = local === undefined
      ? processes
      : processes.map((one) => this.#made(() => query(local, [one], { asStream: true })));
    return this.#made(() => query("format cali", rows));
  }

  /** Runs the query over the rows, and writes its result. */
  write(rows: readonly string[], valueOf: RunRecords["valueOf"]): void {
    const prefix = this.#prefix;
    if (prefix === undefined) return;
    const { variables } = this.#spec;
    // As Caliper: the one service has a format of its own, the other that of queries.
    const format = prefix === "CALI_REPORT" ? { otherwise: "table" } as const : {};
    const text = this.#made(() => query(variables[`${prefix}_CONFIG`] ?? "", rows, format));
    const append = isTrue(variables[`${prefix}_APPEND`] ?? "false");
    this.#print(fillName(variables[`${prefix}_FILENAME`] ?? "stdout", valueOf), text, append);
  }

  /** The report over loops, if there is one. */
  writeLoops(records: RunRecords, nameOnHost: (name: string) => string): void {
    const { loops } = this.#spec;
    if (loops === undefined) return;
    const text = this.#made(() => loopReport(loops, records.processes()));
    this.#print(fillName(nameOnHost(loops.output), records.valueOf), text, false);
  }

  /** spot's stream. */
  writeSpot(name: string, spot: SpotProfile, records: RunRecords, series: readonly string[]): void {
    const text = this.#made(() => spotStream(spot, records.processes(), series));
    this.#channel.note(`Wrote ${text.split("\n").length - 1} records.`);
    writeText(name, text, false, this.#printer);
  }

  get #prefix(): "CALI_REPORT" | "CALI_MPIREPORT" | undefined {
    const services = wordsOf(this.#spec.variables.CALI_SERVICES_ENABLE);
    if (services.includes("mpireport")) return "CALI_MPIREPORT";
    return services.includes("report") ? "CALI_REPORT" : undefined;
  }

  #print(name: string, text: string, append: boolean): void {
    const simulated = this.#simulated();
    // A document for programs has it among its globals and its columns' metadata.
    const takesNote = simulated !== undefined && text !== "" && !/^[[{_]/.test(text);
    const note = takesNote ? `(simulated node, not measured: ${simulated})\n` : "";
    writeText(name, text + note, append, this.#printer);
  }

  /** The signals that no hardware measured, if there are any. */
  #simulated(): string | undefined {
    const id = this.#channel.tree.attributeByName(SIMULATED);
    if (id === NONE) return undefined;
    this.#channel.turnTo(0);
    return this.#channel.currentText(id);
  }

  /** The results of queries; one that cannot be parsed is logged. */
  #made(make: () => string): string {
    try {
      return make();
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      this.#printer.log(`${this.#spec.name}: ${error.message}`);
      return "";
    }
  }
}
