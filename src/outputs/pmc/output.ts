/**
 * `--pmc`: power and energy per step of the application, the log of pm_mpi_lib.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import type { Opener, OutputSite } from "../output.ts";
import { PmcRecorder } from "./recorder.ts";
import { parsePmcVersion } from "./version.ts";

const STEPS = {
  pm_mpi_lib: "the calls of pm_mpi_lib",
  epochs: "epochs",
  region: "entries into the region that was entered most often",
};

/** The log of `--pmc` and `--pmc-version`. */
export function makePmc(values: OptionValues, site: OutputSite): Opener {
  const path = values.get("pmc")!.text;
  const version = parsePmcVersion(values.get("pmc-version")?.text);
  return ({ tracker, batch, table, topology }) => {
    const recorder = new PmcRecorder(tracker, version);
    const reason = recorder.attach(batch, table, topology.count("package"));
    if (reason !== undefined && site.isLive) {
      site.tell(`the PMC log will have no energy: ${reason}`);
    }
    return {
      events: recorder,
      sample: (timeS) => recorder.samples(timeS, batch),
      finish() {
        const records = recorder.records(site.zeroS());
        const { source } = recorder;
        if (source === "none" && site.isLive) {
          site.tell(
            "no steps for the PMC log: no call of pm_mpi_lib, no epoch, no repeated region",
          );
        } else if (source !== "none" && site.verbose) {
          site.tell(`steps of the PMC log are ${STEPS[source]}`);
        }
        site.keepSteps(path, version, records);
      },
    };
  };
}
