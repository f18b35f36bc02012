/**
 * The PMC log of a live run: its recorder, and what becomes of the readings.
 * @module
 */
import type { PlatformTopology } from "../../core/topology.ts";
import { type PmcLog, stringifyPmc } from "../../formats/pmc/pmc.ts";
import { realtimeNanoseconds } from "../../os/clock.ts";
import type { RegionTracker } from "../../regions/tracker.ts";
import type { Batch, NameTable } from "../../signals/batch.ts";
import type { StepListener } from "../../signals/step_listener.ts";
import { writeDocument } from "../../files/whole_file.ts";
import { writePmc } from "../../merge/pmc.ts";
import type { JobPlace, RunFiles } from "../../job/run_names.ts";
import { PmcRecorder } from "./recorder.ts";

const STEPS = {
  pm_mpi_lib: "the calls of pm_mpi_lib",
  epochs: "epochs",
  region: "entries into the region that was entered most often",
};

/** What the log is asked for. */
export type PmcOptions = RunFiles & { readonly verbose: boolean };

/** The PMC log of a live run. Does nothing where no log was asked for. */
export class LivePmc {
  readonly #place: JobPlace<PmcOptions>;
  readonly #recorder: PmcRecorder | undefined;
  readonly #tell: (line: string) => void;

  constructor(place: JobPlace<PmcOptions>, tracker: RegionTracker, tell: (line: string) => void) {
    const { pmcPath, pmcVersion } = place.request;
    this.#place = place;
    this.#tell = tell;
    if (pmcPath !== undefined) this.#recorder = new PmcRecorder(tracker, pmcVersion);
  }

  /** Hears of events and steps, where a log was asked for. */
  get listener(): StepListener | undefined {
    return this.#recorder;
  }

  /** Asks for the counters; before the first step. */
  attach(batch: Batch, table: NameTable, topology: PlatformTopology): void {
    const reason = this.#recorder?.attach(batch, table, topology.count("package"));
    if (reason !== undefined) this.#tell(`the PMC log will have no energy: ${reason}`);
  }

  /**
   * Writes the job's log, or in a job of several nodes this node's part of it.
   *
   * @param nowS Seconds since the run's zero.
   */
  finish(nowS: number): void {
    const recorder = this.#recorder;
    if (recorder === undefined) return;
    const { request, host, part } = this.#place;
    const records = recorder.records(Number(realtimeNanoseconds()) / 1e9 - nowS);
    const { source } = recorder;
    if (source === "none") {
      this.#tell("no steps for the PMC log: no call of pm_mpi_lib, no epoch, no repeated region");
    } else if (request.verbose) this.#tell(`steps of the PMC log are ${STEPS[source]}`);
    try {
      if (part === undefined) {
        const nodes = [{ host, rank: 0, records }];
        for (const line of writePmc(request.pmcPath!, request.pmcVersion, nodes)) this.#tell(line);
      } else {
        const log: PmcLog = { version: "6.0", form: "binary", records };
        writeDocument(part.pmcPath, stringifyPmc(log));
      }
    } catch (error) {
      this.#tell((error as Error).message);
    }
  }
}
