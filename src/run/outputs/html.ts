/**
 * `--html`: one page of the run, with power over time in a bounded series. docs/how-to/show-results.md.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import { HASH_UNMARKED } from "../../core/hash.ts";
import type { Report } from "../../core/report.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { PART_TIMELINE } from "../../job/place/part_files.ts";
import { mergedReport } from "../../job/place/read_runs.ts";
import { readReport } from "../../job/merge/read_report.ts";
import type { PageContent, Timeline } from "../../show/page/content.ts";
import { pageHtml } from "../../show/page/html.ts";
import { bucketsFor, reportPage } from "../../show/page/page.ts";
import { jobTimelines, PARTS, PowerSeries } from "../../show/page/series.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";
import type { RunView } from "./run_view.ts";

/** A series on its way; it is an output's hooks. */
export interface OpenSeries extends OpenOutput {
  /** What was gathered. @param report Names its regions. */
  timeline(report: Report, pages?: number): Timeline;
}

/** The page of `--html`. */
export function makeHtml(values: OptionValues, site: OutputSite): Opener {
  const value = values.get("html")!;
  // A browser recognizes a page by its suffix: the host comes before it.
  const host = site.nameOf(value).slice(value.text.length);
  const path = value.text.replace(/(\.html?)?$/i, (end) => host + end);
  const { part } = site;
  if (part !== undefined) site.willWrite?.(value.text);
  const write = (make: () => PageContent) => {
    try {
      writeDocument(part === undefined ? path : value.text, pageHtml(make()));
    } catch (error) {
      site.log((error as Error).message);
    }
  };
  return (run) => {
    const series = openSeries(run);
    part?.onMerge.push((read, complete) => write(() => jobPage(read, complete)));
    return {
      ...series,
      document(report) {
        const timeline = series.timeline(report);
        if (part === undefined) return write(() => reportPage(report, [timeline]));
        try {
          part.keep(PART_TIMELINE, JSON.stringify(timeline));
        } catch (error) {
          site.log((error as Error).message);
        }
      },
    };
  };
}

/** The page of a job, made by each node that finds others done before it. */
function jobPage(read: (name: string) => string[], complete: boolean): PageContent {
  const reads = read("report").map((text, i) => readReport(text, `part ${i + 1}`));
  const report = mergedReport(
    "the parts",
    reads,
    complete ? {} : { incomplete: "without nodes that are not done" },
  );
  return reportPage(report, jobTimelines(read(PART_TIMELINE)));
}

/** Power over time of a run, and the region of most CPUs. */
export function openSeries(run: RunView): OpenSeries {
  const { batch, topology, table } = run;
  // A power that is read is better than one out of a counter, and that better than a fixed window's.
  const parts = PARTS.flatMap(({ name, power, energy }) => {
    const found = [power, energy].find((signal) => table.resolve(signal).kind === "offered");
    if (found === undefined) return [];
    return [{ name, isEnergy: found === energy, handle: batch.pushSignal(found, "board", 0) }];
  });
  const cpus = Array.from({ length: topology.count("cpu") }, (_, cpu) => {
    return batch.pushSignal("REGION_HASH", "cpu", cpu);
  });
  const series = new PowerSeries(parts.map(({ name }) => ({ name, unit: "W" })));
  const regions = new RegionVote();
  let lastS = NaN;
  return {
    sample(timeS) {
      for (let i = 0; i < parts.length; i++) {
        const value = batch.sample(parts[i].handle);
        if (parts[i].isEnergy) series.energy(i, timeS, value);
        else series.power(i, lastS, timeS, value);
      }
      regions.begin();
      for (let i = 0; i < cpus.length; i++) regions.add(batch.sample(cpus[i]));
      series.region(lastS, timeS, regions.most);
      lastS = timeS;
    },
    restart() {
      series.clear();
      lastS = NaN;
    },
    timeline(report, pages = 1) {
      const own = report.hosts.find(({ host }) => host === run.host) ?? report.hosts[0];
      const names = new Map(own.regions?.map(({ region, hash }) => [hash, region]));
      return series.timeline(
        run.host,
        regions.hashes.map((hash) => names.get(hash) ?? `0x${hash.toString(16)}`),
        bucketsFor(pages, parts.length),
      );
    },
  };
}

/** Which region most CPUs are in. Allocates for a region that was never seen before, else nothing. */
class RegionVote {
  /** By number. */
  readonly hashes: number[] = [];
  readonly #numbers = new Map<number, number>();
  readonly #votes: number[] = [];
  /** Number of the region with most votes; −1: all CPUs are outside. */
  most = -1;

  begin(): void {
    this.most = -1;
    for (let i = 0; i < this.#votes.length; i++) this.#votes[i] = 0;
  }

  add(hash: number): void {
    if (hash !== hash || hash === HASH_UNMARKED) return;
    const number = this.#numbers.getOrInsert(hash, this.hashes.length);
    if (number === this.hashes.length) {
      this.hashes.push(hash);
      this.#votes.push(0);
    }
    const votes = ++this.#votes[number];
    if (this.most < 0 || votes > this.#votes[this.most]) this.most = number;
  }
}
