/** Reports of hosts of one job, generated: the same seed gives the same bytes. */
import type { Report, ReportFields } from "../../../src/core/report.ts";
import { REPORTED_HINTS } from "../../../src/core/hints.ts";
import { stringifyReport } from "../../../src/formats/report.ts";
import { Random } from "../../run/session/_random.ts";

/** What a job is generated from. */
export interface GeneratedJob {
  regions: number;
  seed?: number;
  version?: string;
  profile?: string;
}

function fields(random: Random, count: number): ReportFields {
  const runtime = 10 + random.next();
  const hints = REPORTED_HINTS.map((hint, i) => [
    `time-hint-${hint.toLowerCase()} (s)`,
    i === 7 ? runtime : 0,
  ]);
  return {
    "runtime (s)": runtime,
    count,
    "sync-runtime (s)": runtime * 0.999,
    "package-energy (J)": runtime * (200 + random.next()),
    "dram-energy (J)": runtime * 30,
    "power (W)": 200 + random.next(),
    "frequency (%)": 95 + random.next(),
    "frequency (Hz)": 2e9 + 1e7 * random.next(),
    ...Object.fromEntries(hints),
  };
}

/** One host's report. */
export function hostReport(host: string, number: number, job: GeneratedJob): Report {
  const random = new Random((job.seed ?? 1) * 100003 + number);
  return {
    version: job.version ?? "3.1.0+joulemark.0.1.0",
    startTime: `2024-10-24T08:00:00.${String(number % 1e9).padStart(9, "0")}+0000`,
    profile: job.profile ?? "generated",
    agent: "monitor",
    policy: "{}",
    header: {},
    hosts: [{
      host,
      agent: {},
      regions: Array.from({ length: job.regions }, (_, i) => ({
        region: `region_${String(i).padStart(2, "0")}`,
        hash: 0x1000 + i,
        fields: fields(random, 100 + i),
      })),
      unmarked: fields(random, 0),
      application: {
        ...fields(random, 0),
        "geopmctl memory HWM (B)": 70000,
        "geopmctl network BW (B/s)": 0,
      },
      joulemark: { sources: { CPU_ENERGY: { quality: "measured", source: "POWERCAP" } } },
    }],
  };
}

/** `nid000012`. */
export function hostName(number: number): string {
  return `nid${String(number).padStart(6, "0")}`;
}

/** Writes as many reports as there are hosts. @returns Bytes of one. */
export function writeJob(directory: string, hosts: number, job: GeneratedJob): number {
  let bytes = 0;
  for (let n = 0; n < hosts; n++) {
    const text = stringifyReport(hostReport(hostName(n), n, job));
    bytes = text.length;
    Deno.writeTextFileSync(`${directory}/${hostName(n)}.report`, text);
  }
  return bytes;
}
