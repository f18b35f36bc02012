/**
 * Site of a live run's outputs: files that grow, the job's parts, the user. An output that cannot
 * be made or written is named in one line, and the run goes on without it.
 * @module
 */
import type { OptionValue } from "../../core/option.ts";
import { LineFile } from "../../os/files/line_file.ts";
import { unwritable } from "../../os/files/whole_file.ts";
import type { PmcRecord, PmcVersion } from "../../formats/pmc/log.ts";
import { type Claim, claimPath, movedText, suffixedPath } from "../../job/place/claim.ts";
import type { KeepSteps } from "../../job/place/keep_steps.ts";
import type { JobPlace } from "../../job/place/run_names.ts";
import type { JobPart } from "../../job/place/parts.ts";
import { rawNanoseconds, realtimeNanoseconds } from "../../os/clock.ts";
import { statPath } from "../../os/files.ts";
import { makeDirectories, removeEmptyDirectory } from "../../os/output_place.ts";
import type { OutputSite } from "./output.ts";

/** Parts that a site is made from. */
export interface LiveSiteOptions {
  readonly place: JobPlace;
  readonly request: Pick<OutputSite, "tracePeriodS" | "verbose" | "command">;
  /** Printer of lines for the user, and of channels' output. */
  readonly printer: Pick<OutputSite, "log" | "stdout" | "stderr">;
  /** Leaves a PMC log, where one is asked for. */
  readonly keepSteps?: KeepSteps;
  /** The scheduler started the job again: files of the start before stay. @default false */
  readonly isRequeued?: boolean;
  /** CLOCK_MONOTONIC_RAW at the run's zero, ns. */
  readonly zeroRawNs: number;
}

/** The site of one run. */
export class LiveSite implements OutputSite {
  readonly isLive = true;
  readonly part: JobPart | undefined;
  readonly reportPath: string;
  readonly tracePeriodS: number;
  readonly verbose: boolean;
  readonly command: readonly string[];
  readonly log: (line: string) => void;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly zeroRawNs: number;
  readonly #place: JobPlace;
  readonly #keepSteps: KeepSteps | undefined;
  readonly #isRequeued: boolean;
  readonly #files: LineFile[] = [];
  /** Directories that were not there before. */
  readonly #newDirectories: string[] = [];
  readonly #claims = new Map<string, Claim>();
  /** Names of files that are written while the run goes on, or at its end. */
  readonly written: Set<string> = new Set();
  /** A text will go to standard output. */
  prints = false;

  constructor(
    { place, request, printer, keepSteps, isRequeued = false, zeroRawNs }: LiveSiteOptions,
  ) {
    this.part = place.part;
    this.reportPath = place.reportPath;
    this.tracePeriodS = request.tracePeriodS;
    this.verbose = request.verbose;
    this.command = request.command;
    ({ log: this.log, stderr: this.stderr } = printer);
    // A full or closed output costs no other file.
    this.stdout = (text) => {
      try {
        printer.stdout(text);
      } catch (error) {
        this.log((error as Error).message);
      }
    };
    this.#place = place;
    this.#keepSteps = keepSteps;
    this.#isRequeued = isRequeued;
    this.zeroRawNs = zeroRawNs;
  }

  /**
   * Files that GEOPM's variables ask for get the host's name, as GEOPM's do; one that another run writes at this moment
   * gets `-2`, as its report.
   */
  nameOf({ text, origin }: OptionValue): string {
    const { fileSuffix, host } = this.#place;
    const suffix = fileSuffix ?? (origin === "foreign" ? host : undefined);
    const path = this.claim(suffix === undefined ? text : suffixedPath(text, `-${suffix}`));
    this.willWrite(path);
    return path;
  }

  claim(wanted: string): string {
    const claim = this.#claims.get(wanted) ?? claimPath(wanted, this.#isRequeued);
    if (claim.moved && !this.#claims.has(wanted)) {
      this.log(movedText(wanted, claim, this.#isRequeued));
    }
    this.#claims.set(wanted, claim);
    return claim.path;
  }

  willPrint(): void {
    this.prints = true;
  }

  willWrite(path: string): void {
    this.written.add(path);
  }

  lines(path: string): LineFile | undefined {
    this.willWrite(path);
    try {
      const file = new LineFile(path, this.log);
      this.#files.push(file);
      return file;
    } catch (error) {
      this.log(`${(error as Error).message}. The command runs, but this file is not written`);
      return undefined;
    }
  }

  /** Lines that did not get into their files, by file. */
  lost(): Record<string, number> {
    return Object.fromEntries(
      this.#files.filter((file) => file.lost > 0).map((file) => [file.path, file.lost]),
    );
  }

  makeDirectory(path: string): boolean {
    const isNew = statPath(path) === undefined;
    try {
      makeDirectories(path);
      if (isNew) this.#newDirectories.push(path);
      this.willWrite(`${path}/any`);
      return true;
    } catch (error) {
      this.log(`${unwritable(path, error).message}. Nothing is recorded`);
      return false;
    }
  }

  wasWritten(path: string): boolean {
    const facts = statPath(path);
    return facts !== undefined && facts.size > 0 && Number(facts.modifiedNs) / 1e9 >= this.zeroS();
  }

  /** Writes the job's log, or in a job of several nodes this node's part of it. */
  keepSteps(path: string, version: PmcVersion, records: PmcRecord[]): void {
    try {
      for (const line of this.#keepSteps?.(this.#place, path, version, records) ?? []) {
        this.log(line);
      }
    } catch (error) {
      this.log((error as Error).message);
    }
  }

  zeroS(): number {
    const nowNs = rawNanoseconds() - this.zeroRawNs;
    return (Number(realtimeNanoseconds()) - nowNs) / 1e9;
  }

  /** Hands what files gathered to the kernel. */
  flush(): void {
    for (const file of this.#files) file.flush();
  }

  /** The command runs: files lose the content of an earlier run. */
  begin(): void {
    for (const file of this.#files) file.begin();
  }

  /** The run is refused: files and directories are as they were. */
  refuse(): void {
    for (const file of this.#files.splice(0)) file.forget();
    for (const path of this.#newDirectories) removeEmptyDirectory(path);
    this.release();
  }

  /** Gives the names free: all that has them is written. */
  release(): void {
    for (const claim of this.#claims.values()) claim.release();
  }

  /** Closes the files that grow. */
  [Symbol.dispose](): void {
    for (const file of this.#files) file[Symbol.dispose]();
  }
}
