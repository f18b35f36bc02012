/**
 * `--pmc`: power and energy per step of the application, the log of pm_mpi_lib.
 * @module
 */
import type { OptionValue, OptionValues } from "../../../core/option.ts";
import type { Opener, OutputSite } from "../output.ts";
import { PmcRecorder } from "./recorder.ts";
import { parsePmcVersion } from "./version.ts";

const STEPS = {
  pm_mpi_lib: "calls of pm_mpi_lib",
  epochs: "epochs",
  region: "entries into the most frequent region",
};

/**
 * The default of `--pmc`: the calls of pm_mpi_lib name the log, `pm_mpi_open("X")` X and
 * `pm_mpi_open(NULL)` PMC.
 */
export const PMC_BY_CALLS: OptionValue = { text: "PMC", origin: "flag", name: "--preload pm_mpi" };

/** The log of `--pmc` and `--pmc-version`. */
export function makePmc(values: OptionValues, site: OutputSite): Opener {
  const given = values.get("pmc")!;
  const byCalls = given === PMC_BY_CALLS;
  // Names that calls give are relative to the working directory, as a rule.
  const hasOwn = site.isLive && site.part === undefined && !byCalls;
  const file = hasOwn ? site.nameOf(given) : given.text;
  site.willWrite?.(file);
  const asked = values.get("pmc-version")?.text;
  const wanted = parsePmcVersion(asked);
  return ({ tracker, batch, table, topology }) => {
    const recorder = new PmcRecorder(tracker, wanted);
    const reason = recorder.attach(batch, table, topology.count("package"));
    if (reason !== undefined && site.isLive && !byCalls) {
      site.log(`the PMC log will have no energy: ${reason}`);
    }
    return {
      events: recorder,
      sample: (timeS) => recorder.samples(timeS, batch),
      addTo(host) {
        const { source, count } = recorder;
        const path = byCalls ? recorder.path : file;
        if (source === "none" || path === undefined || byCalls && source !== "pm_mpi_lib") return;
        host.joulemark = { ...host.joulemark, steps: { count, of: STEPS[source], file: path } };
      },
      finish() {
        const records = recorder.records(site.zeroS());
        const { source } = recorder;
        const version = asked === undefined && recorder.callsVersion2 ? "2.0" : wanted;
        if (byCalls && (source !== "pm_mpi_lib" || recorder.path === undefined)) return;
        if (byCalls) {
          for (const log of recorder.earlier(site.zeroS())) {
            if (log.linked && site.wasWritten?.(log.path)) continue;
            if (site.part === undefined) site.keepSteps(log.path, version, log.records);
            else {site.log(
                `${log.path} is not written: a job of several nodes has only its last PMC log`,
              );}
          }
        }
        if (byCalls && recorder.linked && site.wasWritten?.(recorder.path!)) return;
        if (byCalls) site.part?.logsStepsTo(recorder.path!, version);
        if (reason !== undefined && byCalls) {
          site.log(`the PMC log has no energy: ${reason}`);
        }
        const path = byCalls ? recorder.path! : file;
        if (source === "none" && site.isLive) {
          site.log(
            "no steps for the PMC log: no call of pm_mpi_lib, no epoch, no repeated region",
          );
        } else if (source !== "none" && site.verbose) {
          site.log(`steps of the PMC log are ${STEPS[source]}`);
        }
        site.keepSteps(path, version, records);
      },
    };
  };
}
