/**
 * What a process has used of the node's counters, at any moment between two steps.
 *
 * A counter that grows is taken to grow evenly between two readings. What it grew belongs to the
 * processes that run, each by the CPUs it may use, of those of the counter's domain; a CPU that
 * several may use is shared equally. So what all processes have adds up to what the node used while
 * any of them ran. docs/coming-from-caliper.md.
 * @module
 */

/** A process as the shares see it. */
export interface Sharer {
  readonly startS: number;
  /** NaN while it runs. */
  readonly endS: number;
  readonly cpus: readonly number[];
}

/** One counter of the node. See the module. */
export class CounterShare {
  /** The CPUs of its domain; `undefined`: the whole node. */
  readonly #cpus: ReadonlySet<number> | undefined;
  #previousS = NaN;
  #previous = NaN;
  #lastS = NaN;
  #last = NaN;
  /** The value up to which everything is shared out. */
  #shared = NaN;
  /** By process. */
  readonly #used: number[] = [];
  #weights: readonly number[] = [];
  /** Changes after the last reading: when, and the parts from then on. */
  #changes: { readonly timeS: number; readonly weights: readonly number[] }[] = [];

  constructor(cpus?: readonly number[]) {
    this.#cpus = cpus === undefined ? undefined : new Set(cpus);
  }

  /** A new reading; NaN, none, leaves the next one to tell what grew meanwhile. */
  take(timeS: number, value: number): void {
    if (Number.isNaN(value)) return;
    [this.#previousS, this.#previous] = [this.#lastS, this.#last];
    [this.#lastS, this.#last] = [timeS, value];
    if (Number.isNaN(this.#shared)) this.#shared = value;
    const covered = this.#changes.findIndex((change) => change.timeS > timeS);
    const now = this.#changes.splice(0, covered < 0 ? Infinity : covered);
    for (const change of now) this.#change(change.timeS, change.weights);
  }

  /** From this moment on these processes run. Processes are numbered as in the list. */
  processes(timeS: number, all: readonly Sharer[]): void {
    const then = weights(timeS, all, this.#cpus);
    // What the counter was then, only the next reading tells.
    if (timeS > this.#lastS) this.#changes.push({ timeS, weights: then });
    else this.#change(timeS, then);
  }

  #change(timeS: number, weights: readonly number[]): void {
    this.#advance(timeS);
    this.#weights = weights;
  }

  /** Shares out what grew up to this moment. */
  #advance(timeS: number): void {
    const now = this.#at(timeS);
    if (Number.isNaN(now)) return;
    const grown = now - this.#shared;
    this.#shared = now;
    if (!(grown > 0)) return;
    for (let i = 0; i < this.#weights.length; i++) {
      const weight = this.#weights[i];
      if (weight > 0) this.#used[i] = (this.#used[i] ?? 0) + grown * weight;
    }
  }

  /** What the process used since it began; NaN: not known at that moment. */
  used(process: number, timeS: number): number {
    const now = this.#at(timeS);
    if (Number.isNaN(now) || Number.isNaN(this.#shared)) return NaN;
    const grown = Math.max(0, now - this.#shared);
    return (this.#used[process] ?? 0) + grown * (this.#weights[process] ?? 0);
  }

  #at(timeS: number): number {
    if (timeS >= this.#lastS) return timeS === this.#lastS ? this.#last : NaN;
    if (!(timeS >= this.#previousS)) return NaN;
    const part = (timeS - this.#previousS) / (this.#lastS - this.#previousS);
    return this.#previous + part * (this.#last - this.#previous);
  }
}

/** The part of each process at this moment, by its CPUs. */
function weights(
  timeS: number,
  all: readonly Sharer[],
  domain: ReadonlySet<number> | undefined,
): number[] {
  const users = new Map<number, number>();
  const running = all.map((p) => p.startS <= timeS && !(p.endS <= timeS));
  const counted = all.map((p, i) =>
    running[i] ? p.cpus.filter((cpu) => domain === undefined || domain.has(cpu)) : []
  );
  for (const cpus of counted) {
    for (const cpu of cpus) users.set(cpu, (users.get(cpu) ?? 0) + 1);
  }
  return counted.map((cpus) => {
    return cpus.reduce((sum, cpu) => sum + 1 / users.get(cpu)!, 0) / Math.max(1, users.size);
  });
}
