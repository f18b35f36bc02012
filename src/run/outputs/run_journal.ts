/**
 * Journal entries of a run: the regions that changed since they were written last, and all other
 * parts; fit and tree if they do not take too long.
 *
 * The file begins with the first entry: a short run has none.
 * @module
 */
import type { RegionTotal, Report } from "../../core/report.ts";
import { reportParts } from "../../formats/report.ts";
import { Journal } from "../../job/place/journal.ts";
import { cpuSeconds } from "../../os/clock.ts";
import type { ReportExtras, RunView } from "./run_view.ts";

/** Regions of an entry; the others come with the next ones. */
const MAX_REGIONS = 1500;
/** Share of a core that fits and trees may take, beyond the minimum time between two. */
const FULL_SHARE = 0.01;
const FULL_S = 0.8;

/**
 * Maximum number of paths with a fit and a tree before the end: more take tenths of a second, in
 * which no sample is taken.
 */
const MAX_FITTED_PATHS = 8192;

interface Written {
  runtimeS: number;
  count: number;
  /** True if its sampled values may come an entry later than its times. */
  isFresh: boolean;
  /** True if it was written without its fit. */
  isQuick: boolean;
}

/** Occasion of an entry. */
export type EntryKind = "due" | "urgent" | "quick";

/** Journals a run. */
export class RunJournal implements Disposable {
  readonly #open: () => Journal;
  #journal: Journal | undefined;
  readonly #run: RunView;
  readonly #written = new Map<string, Written>();
  #generation: number;
  #cursor = 0;
  #fullByS = 0;
  /** Regions that no entry has had room for yet. */
  #unwritten = 0;

  /** @param open Makes the file. */
  constructor(run: RunView, open: () => Journal) {
    [this.#run, this.#open] = [run, open];
    this.#generation = run.tracker.generation;
  }

  /** The file has an entry. */
  get isThere(): boolean {
    return this.#journal?.isThere === true;
  }

  /**
   * Writes an entry.
   *
   * @param nowS Of the run.
   * @param make Makes a report of the time so far, with these extras.
   * @param kind `urgent`: it may be the last one, with fit and tree; `quick`: without. @default due
   * @returns The report.
   * @throws {AccessError | OsError} If it cannot be written, or only a part of it.
   */
  entry(nowS: number, make: (extras: ReportExtras) => Report, kind: EntryKind = "due"): Report {
    this.#journal ??= this.#open();
    const { tracker } = this.#run, { generation } = tracker;
    if (generation !== this.#generation) {
      // Another process replaced the command, and totals restarted.
      this.#generation = generation;
      this.#written.clear();
      this.#journal.clear();
    }
    const isQuick = kind === "quick" || tracker.paths.length > MAX_FITTED_PATHS ||
      (kind === "due" && nowS < this.#fullByS);
    const beforeS = cpuSeconds();
    const report = make({ isQuick, pick: (all) => this.#pick(all, isQuick) });
    const [{ joulemark = {} }] = report.hosts;
    if (this.#unwritten > 0) joulemark["regions left out here"] = this.#unwritten;
    else delete joulemark["regions left out here"];
    const names = (report.hosts[0].regions ?? []).map(({ region }) => region);
    this.#journal.write(reportParts(report), names);
    if (isQuick) return report;
    // The first one is no measure.
    const tookS = this.#fullByS === 0 ? 0 : cpuSeconds() - beforeS;
    this.#fullByS = nowS + Math.max(FULL_S, tookS / FULL_SHARE);
    return report;
  }

  /** Changed regions, from where the last entry stopped. */
  #pick(all: readonly RegionTotal[], isQuick: boolean): RegionTotal[] {
    const picked: RegionTotal[] = [];
    const from = this.#cursor < all.length ? this.#cursor : 0;
    for (let i = 0; i < all.length; i++) {
      const at = from + i < all.length ? from + i : from + i - all.length;
      const region = all[at];
      const { runtimeS, count } = region;
      const written = this.#written.get(region.name);
      if (written === undefined) {
        this.#written.set(region.name, { runtimeS, count, isFresh: true, isQuick });
      } else {
        const isChanged = written.runtimeS !== runtimeS || written.count !== count;
        if (!isChanged && !written.isFresh && (isQuick || !written.isQuick)) continue;
        Object.assign(written, { runtimeS, count, isFresh: isChanged, isQuick });
      }
      picked.push(region);
      if (picked.length === MAX_REGIONS) {
        this.#cursor = at + 1;
        break;
      }
    }
    this.#unwritten = all.length - this.#written.size;
    return picked;
  }

  [Symbol.dispose](): void {
    this.#journal?.[Symbol.dispose]();
  }
}
