/**
 * Journal entries of a run: the regions that changed since they were written last, and all other
 * parts; the tree unless there are too many paths.
 *
 * The file begins with the first entry: a short run has none.
 * @module
 */
import { counted } from "../../core/counted.ts";
import type { RegionTotal, Report } from "../../core/report.ts";
import { reportParts } from "../../formats/report.ts";
import { Journal } from "../../job/place/journal.ts";
import type { ReportExtras, RunView } from "./run_view.ts";

/** Regions of an entry; the others come with the next ones. */
const MAX_REGIONS = 1500;

/**
 * Maximum number of paths with a tree before the end: more take tenths of a second, in
 * which no sample is taken.
 */
const MAX_TREE_PATHS = 8192;

interface Written {
  runtimeS: number;
  count: number;
  /** True if its sampled values may come an entry later than its times. */
  isFresh: boolean;
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
  /** Regions that no entry has had room for yet. */
  #unwritten = 0;
  /** Regions whose values an earlier entry has, because this one had no room. */
  #older = 0;

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
   * @param make Makes a report of the time so far, with these extras.
   * @param kind `quick`: without the tree. @default due
   * @returns The report.
   * @throws {AccessError | OsError} If it cannot be written, or only a part of it.
   */
  entry(make: (extras: ReportExtras) => Report, kind: EntryKind = "due"): Report {
    this.#journal ??= this.#open();
    const { tracker } = this.#run, { generation } = tracker;
    if (generation !== this.#generation) {
      // Another process replaced the command, and totals restarted.
      this.#generation = generation;
      this.#written.clear();
      this.#journal.clear();
    }
    const isQuick = kind === "quick" || tracker.paths.length > MAX_TREE_PATHS;
    const report = make({ isQuick, pick: (all) => this.#pick(all) });
    const [{ joulemark = {}, regions = [] }] = report.hosts;
    if (this.#unwritten > 0) joulemark["regions left out here"] = this.#unwritten;
    else delete joulemark["regions left out here"];
    if (this.#unwritten + this.#older > 0) {
      const { notes } = joulemark;
      joulemark.notes = [this.#lackLine(), ...Array.isArray(notes) ? notes : []];
    }
    this.#journal.write(reportParts(report), regions.map(({ region }) => region));
    return report;
  }

  #lackLine(): string {
    return `this checkpoint lacks ${counted(this.#unwritten, "region")}, and has older values of ` +
      `${counted(this.#older, "region")}: it stores at most ${MAX_REGIONS} changed regions.`;
  }

  /** Changed regions, from where the last entry stopped. */
  #pick(all: readonly RegionTotal[]): RegionTotal[] {
    const picked: RegionTotal[] = [];
    const from = this.#cursor < all.length ? this.#cursor : 0;
    this.#older = 0;
    for (let i = 0; i < all.length; i++) {
      const at = from + i < all.length ? from + i : from + i - all.length;
      const region = all[at];
      const { runtimeS, count } = region;
      const written = this.#written.get(region.name);
      const isChanged = written === undefined || written.runtimeS !== runtimeS ||
        written.count !== count;
      if (!isChanged && !written.isFresh) continue;
      if (picked.length === MAX_REGIONS) {
        if (written !== undefined) this.#older++;
        continue;
      }
      this.#written.set(region.name, { runtimeS, count, isFresh: isChanged });
      picked.push(region);
      this.#cursor = at + 1;
    }
    this.#unwritten = all.length - this.#written.size;
    return picked;
  }

  [Symbol.dispose](): void {
    this.#journal?.[Symbol.dispose]();
  }
}
