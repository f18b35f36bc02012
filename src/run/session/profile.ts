/**
 * Regions of a Deno program itself: marks, samples and report in one process, without a monitor.
 *
 * The counters are read at every mark, so that a region's energy is what they counted between its
 * edges; nothing runs in the background. For programs that are run under `joulemark run`, `Marker`
 * is the way: it costs less, and the monitor samples beside it.
 * @module
 */
import type { Agent } from "../../core/agent.ts";
import type { Report } from "../../core/report.ts";
import { HINT_UNKNOWN } from "../../core/hints.ts";
import { REPORT_VERSION } from "../../core/version.ts";
import { stringifyReport } from "../../formats/report.ts";
import { maxResidentKib, rawSeconds, realtimeNanoseconds } from "../../os/clock.ts";
import { affinityOf, hostName } from "../../os/host.ts";
import { libc } from "../../os/libc.ts";
import { RegionTracker } from "../../marks/tracker/tracker.ts";
import { Engine, profileName } from "./engine.ts";
import { sourceFacts } from "../outputs/facts.ts";
import { catalogueFor, openHost } from "./node.ts";
import { READERS } from "../../sources/readers/with_raw.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { startTimeText } from "../../os/start_time.ts";

/** Options of {@linkcode Profile.open}. */
export interface ProfileOptions {
  /** Path to which `finish` writes the report. @default none: `finish` returns it only */
  report?: string;
  /** Name of the run. @default "default" */
  profile?: string;
  /** `SIGNAL[@domain],…` beside the report's own fields. @default none */
  reportSignals?: string;
  /** A tree laid out like `/`, read instead of the machine. @default the machine */
  root?: string;
  /** Adds keys and columns of its own, see docs/how-to/coming-from-geopm.md. @default the monitor agent */
  agent?: Agent;
  /** The report's `GEOPM Version`. @default this library's */
  version?: string;
}

/** A region that ends when it is disposed of. */
export interface OpenRegion {
  /** Ends the region. */
  [Symbol.dispose](): void;
}

/**
 * A profile of this program.
 *
 * @example
 * ```ts no-assert
 * import { Profile } from "joulemark";
 *
 * using profile = Profile.open({ report: "app.report", profile: "app" });
 * {
 *   using _region = profile.region("sum");
 *   for (let i = 0, sum = 0; i < 1e7; i++) sum += i;
 * }
 * const report = profile.finish();
 * console.log(report.hosts[0].regions?.[0].fields["runtime (s)"]);
 * ```
 */
export class Profile {
  readonly #options: ProfileOptions;
  readonly #engine: Engine;
  readonly #catalogue;
  readonly #originS = rawSeconds();
  readonly #process: number;
  #done = false;

  private constructor(options: ProfileOptions) {
    this.#options = options;
    const host = openHost(options.root ?? "");
    const profile = profileName(options.profile ?? "");
    const tracker = new RegionTracker({ topology: host.topology, profile });
    this.#catalogue = catalogueFor(host, { readers: READERS, tracker });
    this.#engine = new Engine({
      topology: host.topology,
      tracker,
      table: this.#catalogue,
      host: hostName(host),
      profile,
      startTime: startTimeText(realtimeNanoseconds()),
      version: options.version ?? REPORT_VERSION,
      reportSignals: options.reportSignals,
      agent: options.agent,
    });
    const count = host.topology.count("cpu");
    const cpus = [...new Set(affinityOf(0).map((cpu) => cpu % count))];
    this.#process = this.#mark((timeS) => {
      return this.#engine.events.start(timeS, libc().getpid(), cpus);
    });
  }

  /**
   * Starts a profile: needs permission for FFI with libc, and to write the report.
   *
   * @throws {UsageError | UnknownNameError} On a wrong list of signals or a root that is none.
   */
  static open(options: ProfileOptions = {}): Profile {
    return new Profile(options);
  }

  /**
   * Enters a region; it ends when the result is disposed of. Inside another region it only sets
   * the hint, as for geopm_prof(3).
   *
   * @param hint Number of a hint, see geopm_prof(3). @default UNKNOWN
   */
  region(name: string, hint: number = HINT_UNKNOWN): OpenRegion {
    const { events } = this.#engine;
    const region = this.#mark((timeS) => {
      const handle = events.region(timeS, this.#process, name, hint);
      events.enter(timeS, this.#process, handle, hint, 0);
      return handle;
    });
    let open = true;
    return {
      [Symbol.dispose]: () => {
        if (!open || this.#done) return;
        open = false;
        this.#mark((timeS) => events.exit(timeS, this.#process, region, 0));
      },
    };
  }

  /** Marks the beginning of a step of the program's outer loop. */
  epoch(): void {
    this.#mark((timeS) => this.#engine.events.epoch(timeS, this.#process, 0));
  }

  /**
   * Ends the profile and writes the report.
   *
   * @throws {AccessError} If the report cannot be written.
   */
  finish(): Report {
    if (!this.#done) {
      this.#done = true;
      this.#mark((timeS) => this.#engine.events.shutdown(timeS, this.#process));
    }
    const names = this.#options.reportSignals ?? "";
    const joulemark = { sources: sourceFacts(this.#engine, this.#catalogue, names) };
    const host = this.#engine.report({ memoryKib: maxResidentKib(), joulemark });
    const report = this.#engine.document([host]);
    if (this.#options.report !== undefined) {
      writeDocument(this.#options.report, stringifyReport(report));
    }
    return report;
  }

  /** Closes the sources; without `finish` no report is written. */
  [Symbol.dispose](): void {
    this.#done = true;
    this.#engine[Symbol.dispose]();
  }

  /** Reads the counters, emits an event of the same moment, and closes the sample. */
  #mark<T>(emit: (timeS: number) => T): T {
    const timeS = rawSeconds() - this.#originS;
    this.#engine.read(timeS);
    const result = emit(timeS);
    if (this.#done) this.#engine.settleEnd();
    else this.#engine.settle();
    return result;
  }
}
