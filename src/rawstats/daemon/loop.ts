/**
 * The raw stats monitor: records at an absolute schedule, marks at once, a new file each day.
 *
 * Everything but waiting: the clock is an argument, so that a day can be run in a minute.
 * @module
 */
import { RawWriter } from "../format/writer.ts";
import type { RawCollection } from "./collection.ts";
import type { RawStore } from "./store.ts";

/** Options of a monitor. */
export interface RawMonitorOptions {
  /** Job of all records, as given. */
  readonly jobId?: string;
  /** Text whose first word is the job's id, or several with commas, as long as the file exists. */
  readonly jobIdFile?: () => string | undefined;
  /** Types that get lines. @default all */
  readonly types?: ReadonlySet<string>;
  /** Things that people should know, one line each. */
  log(line: string): void;
}

/** A job id has at most 79 characters, without blanks and commas. */
export function isJobId(text: string): boolean {
  return /^[^\s,]{1,79}$/.test(text) && text !== "-" && text !== "0";
}

/** The jobs in the text of a job file, and words of its list that are no ids. */
export function jobsIn(text: string): { jobs: string[]; others: string[] } {
  const words = (text.trim().split(/\s+/)[0] ?? "").split(",").filter((word) => word !== "");
  const jobs = words.filter(isJobId);
  const others = words.filter((word) => !isJobId(word) && word !== "-" && word !== "0");
  return { jobs: [...new Set(jobs)], others };
}

/** Decides when a record is written, and to which file. */
export class RawMonitor {
  readonly #collection: RawCollection;
  readonly #store: RawStore;
  readonly #options: RawMonitorOptions;
  readonly #writer = new RawWriter();
  /** Jobs begun by marks, and those of the file. */
  readonly #marked = new Set<string>();
  #fromFile: readonly string[] = [];
  /** Words of the job file that are no ids, as reported last. */
  #refused = "";
  #trouble: string | undefined;
  #today = "";
  /** Time of the last record that was written, here or by the run before; NaN: none. */
  #lastUs = NaN;
  /** Records written, and those that could not be. */
  written = 0;
  lost = 0;

  constructor(collection: RawCollection, store: RawStore, options: RawMonitorOptions) {
    this.#collection = collection;
    this.#store = store;
    this.#options = options;
  }

  /** Goes on with today's file if there is one, and writes the first record. */
  start(timeUs: number): void {
    this.#today = dayOf(timeUs);
    const isSameDay = (us: number) => dayOf(us) === this.#today;
    this.#store.resume(this.#collection.header(), timeUs, isSameDay);
    this.#lastUs = this.#store.lastUs;
    this.tick(timeUs);
  }

  /** A record of the schedule. */
  tick(timeUs: number): void {
    const before = this.#fromFile;
    const now = this.#readJobFile();
    // labelled with the old jobs and the new ones, so that each has its last and first record
    const marks = [
      ...before.filter((id) => !now.includes(id)).map((id) => `end ${id}`),
      ...now.filter((id) => !before.includes(id) && !this.#marked.has(id))
        .map((id) => `begin ${id}`),
    ];
    this.#fromFile = now;
    this.#write(timeUs, marks, new Set([...before, ...now]));
  }

  /**
   * A mark from outside, with a record of its own.
   *
   * @returns What is wrong with it, or with writing it.
   */
  mark(text: string, timeUs: number): string | undefined {
    const [word, id, ...rest] = text.trim().split(/\s+/);
    const isJob = (word === "begin" || word === "end") && id !== undefined && rest.length === 0;
    if (text.trim() === "") return "an empty mark";
    if (isJob && !isJobId(id)) return `no job id: ${id}`;
    if (isJob && word === "begin") this.#marked.add(id);
    const written = this.#write(timeUs, [text.trim()], isJob ? new Set([id]) : new Set());
    if (isJob && word === "end") this.#marked.delete(id);
    return written;
  }

  /** A new file with the next record. */
  rotate(timeUs: number): void {
    this.#store.rotate();
    this.#write(timeUs, ["rotate -"], new Set());
  }

  #readJobFile(): readonly string[] {
    const { jobs, others } = jobsIn(this.#options.jobIdFile?.() ?? "");
    const refused = others.join(" ");
    if (refused !== "" && refused !== this.#refused) {
      this.#options.log(`no job id in the job file: ${refused.slice(0, 100)}`);
    }
    this.#refused = refused;
    return jobs;
  }

  /** Writes a record; why not, or nothing. */
  #write(timeUs: number, marks: string[], labels: Set<string>): string | undefined {
    const day = dayOf(timeUs);
    if (day !== this.#today && !this.#store.isNew) {
      this.#store.rotate();
      marks = ["rotate -", ...marks];
    }
    this.#today = day;
    if (this.#store.isLost) {
      this.#options.log(`${this.#store.directory}/current was removed or cut; a new file begins`);
      this.#store.rotate();
    }
    if (this.#store.hasGap && !Number.isNaN(this.#lastUs)) {
      marks = [`gap ${((timeUs - this.#lastUs) / 1e6).toFixed(0)}`, ...marks];
    }
    if (this.#options.jobId !== undefined) labels.add(this.#options.jobId);
    for (const id of this.#marked) labels.add(id);
    for (const id of this.#fromFile) labels.add(id);
    const jobs = labels.size === 0 ? "-" : [...labels].join(",");
    const isFirst = this.#store.isNew;
    this.#writer.clear();
    const request = { timeUs, jobs, marks, isFirst };
    this.#collection.record(this.#writer, request, this.#options.types);
    const result = isFirst
      ? this.#store.begin(this.#collection.header(), this.#writer.bytes, timeUs)
      : this.#store.append(this.#writer.bytes, timeUs);
    if (result.ok) {
      this.written++;
      this.#lastUs = timeUs;
      if (this.#trouble !== undefined) this.#options.log("writing works again");
      this.#trouble = undefined;
      return undefined;
    }
    this.lost++;
    if (this.#trouble !== result.reason) {
      this.#options.log(
        `cannot write to ${this.#store.directory}: ${result.reason}. The monitor continues`,
      );
    }
    this.#trouble = result.reason;
    return result.reason;
  }
}

/** The local day, by which files rotate. */
function dayOf(timeUs: number): string {
  const date = new Date(timeUs / 1000);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}
