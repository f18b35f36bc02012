/**
 * Merging report files: one at a time, for any number, into one file that appears whole.
 *
 * Sections of hosts are kept in a nameless file beside the result until all are known, since the statistics
 * are printed before them; then they follow, sorted by host.
 * @module
 */
import { UsageError } from "../../core/errors.ts";
import { reportText } from "../../formats/journal.ts";
import { unwritable, WholeFile } from "../../os/files/whole_file.ts";
import { OutputPlace } from "../../os/output_place.ts";
import { OsError, UserFile } from "../../os/user_file.ts";
import { type JobFacts, ReportMerger } from "../merge/merge.ts";
import { privateBase } from "./private_base.ts";
import { type ReadReport, readReport } from "../merge/read_report.ts";

/** Result of a merge. */
export interface MergeOutcome {
  readonly hosts: number;
  /** A line for each report that was left out. */
  readonly leftOut: readonly string[];
  readonly partial: boolean;
  /** The report up to its first host. */
  readonly head: string;
  /** A line for each report that was joined by force. */
  readonly forced?: readonly string[];
}

interface Place {
  readonly host: string;
  readonly at: number;
  readonly length: number;
}

const BLOCK = 1 << 20;

/**
 * Merges files in the order given.
 *
 * @param options.facts What is known beside the reports, asked when all have been read.
 * @param options.force Join reports that do not belong together. @default false
 * @throws {UsageError} If none of them could be merged; there is no file then.
 * @throws {AccessError} If the result cannot be written.
 */
export function mergeFiles(
  paths: readonly string[],
  out: string,
  { facts = () => ({}), force = false }: {
    facts?: (merger: ReportMerger) => JobFacts;
    force?: boolean;
  } = {},
): MergeOutcome {
  const merger = new ReportMerger(undefined, force);
  using spool = new Spool(out);
  for (const path of paths) {
    const read = readFile(path);
    merger.add(read).forEach((isKept, i) => {
      if (isKept) spool.keep(read.hosts[i].host, read.texts[i]);
    });
  }
  refuseNothing(merger, paths.length);
  const known = facts(merger);
  const head = merger.head(known);
  spool.finish(head);
  const { hosts, leftOut, forced } = merger;
  return { hosts, leftOut, forced, head, partial: merger.isPartial(known) };
}

/** A report from a file; what is wrong with it is part of the answer. */
export function readFile(path: string): ReadReport {
  try {
    using file = UserFile.read(path);
    return readReport(reportText(file.readAll()), path);
  } catch (error) {
    if (!(error instanceof OsError)) throw error;
    return readReport(undefined, path, `cannot be read (${error.message})`);
  }
}

/** @throws {UsageError} If nothing could be merged. */
export function refuseNothing(merger: ReportMerger, files: number): void {
  if (merger.hosts > 0) return;
  throw new UsageError({
    action: "merge",
    expected: "at least one report",
    found: merger.leftOut.length === 0
      ? "no file"
      : `none among ${files} ${files === 1 ? "file" : "files"}; ${merger.leftOut[0]}`,
  });
}

/** Sections as they came, and the result that is made of them. */
export class Spool {
  readonly #out: string;
  readonly #spool: UserFile;
  readonly #places: Place[] = [];
  readonly #block = new Uint8Array(BLOCK);
  #used = 0;
  #length = 0;

  constructor(out: string) {
    this.#out = out;
    this.#spool = this.#try(() => {
      using place = new OutputPlace(out);
      if (!place.direct) return place.beside();
      // Beside a device or a pipe there is no place.
      using other = new OutputPlace(`${privateBase()}/merge`);
      return other.beside();
    });
  }

  keep(host: string, bytes: Uint8Array): void {
    this.#places.push({ host, at: this.#length, length: bytes.length });
    this.#length += bytes.length;
    this.#try(() => this.#put(this.#spool, bytes));
  }

  finish(head: string): void {
    this.#try(() => {
      this.#flush(this.#spool);
      using file = new WholeFile(this.#out, { survives: true });
      file.write(head);
      this.#places.sort((a, b) => a.host < b.host ? -1 : a.host > b.host ? 1 : 0);
      for (const { at, length } of this.#places) {
        const bytes = new Uint8Array(length);
        this.#spool.readAt(bytes, at);
        file.write(bytes);
      }
      file.write("\n");
      file.keep();
    });
  }

  [Symbol.dispose](): void {
    this.#spool[Symbol.dispose]();
  }

  #put(file: UserFile, bytes: Uint8Array): void {
    if (this.#used + bytes.length > BLOCK) this.#flush(file);
    if (bytes.length > BLOCK) return file.writeAll(bytes);
    this.#block.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  #flush(file: UserFile): void {
    file.writeAll(this.#block.subarray(0, this.#used));
    this.#used = 0;
  }

  #try<T>(action: () => T): T {
    try {
      return action();
    } catch (cause) {
      if (!(cause instanceof OsError)) throw cause;
      throw unwritable(this.#out, cause, "the file that was there, if any, is unchanged");
    }
  }
}
