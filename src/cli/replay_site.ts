/**
 * Site of a replay's outputs: files that appear whole when all recordings are replayed.
 * @module
 */
import type { OptionValue } from "../core/option.ts";
import { WholeFile } from "../os/files/whole_file.ts";
import type { PmcRecord, PmcVersion } from "../formats/pmc/log.ts";
import type { Recording } from "../formats/recording.ts";
import type { NodeSteps } from "../job/merge/steps.ts";
import type { OutputSite } from "../run/outputs/output.ts";
import { epochSeconds } from "../run/outputs/pmc/log.ts";
import { say, writeStderr, writeStdout } from "./io.ts";

/** Outputs that all recordings of a replay share. */
export interface ReplayOutputs {
  /** Each recording has files of its own. */
  readonly several: boolean;
  readonly tracePeriodS: number;
  /** Takes the files that are to be kept at the end. */
  readonly files: WholeFile[];
  /** Takes the steps of each node. */
  readonly steps: NodeSteps[];
}

/** The site of one recording. */
export class ReplaySite implements OutputSite {
  readonly isLive = false;
  readonly hostSuffix: string | undefined;
  readonly recorded: string;
  readonly ranks: Recording["ranks"];
  readonly tracePeriodS: number;
  readonly verbose = false;
  readonly command: readonly string[] = [];
  readonly stdout = writeStdout;
  readonly stderr = writeStderr;
  readonly #recording: Recording;
  readonly #outputs: ReplayOutputs;

  constructor(recording: Recording, recorded: string, outputs: ReplayOutputs) {
    this.recorded = recorded;
    this.ranks = recording.ranks;
    this.hostSuffix = outputs.several ? recording.host : undefined;
    this.tracePeriodS = outputs.tracePeriodS;
    this.#recording = recording;
    this.#outputs = outputs;
  }

  nameOf({ text }: OptionValue): string {
    return this.hostSuffix === undefined ? text : `${text}-${this.hostSuffix}`;
  }

  /** @throws {AccessError} If it cannot be made. */
  lines(path: string): WholeFile {
    const file = new WholeFile(path);
    this.#outputs.files.push(file);
    return file;
  }

  makeDirectory(): boolean {
    return false;
  }

  keepSteps(_path: string, _version: PmcVersion, records: PmcRecord[]): void {
    this.#outputs.steps.push({ host: this.#recording.host, rank: 0, records });
  }

  zeroS(): number {
    return epochSeconds(this.#recording.startTime);
  }

  readonly zeroRawNs = NaN;
  readonly log = say;
}
