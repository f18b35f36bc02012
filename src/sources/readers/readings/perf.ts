/**
 * The hot part of the perf readers: one read per counter, 64 bits, no wrap to care for.
 *
 * @module
 */
import { errorText } from "../../../os/libc.ts";
import type { Host } from "../../../core/machine/host.ts";
import type { Absence, SignalReading } from "../../../core/signal.ts";
import { rawSeconds } from "../../../os/clock.ts";
import {
  openPerfEvent,
  PERF_READ,
  PerfCounter,
  type PerfEventSpec,
} from "../../../os/devices/perf_event.ts";
import { Troubled } from "./troubled.ts";

export const PARANOID = "/proc/sys/kernel/perf_event_paranoid";
const EPERM = 1, ENOENT = 2, EACCES = 13;

/** An event of linux/perf_event.h: PERF_TYPE_HARDWARE (0) or PERF_TYPE_SOFTWARE (1), and its number. */
export type PerfEvent = readonly [
  name: string,
  type: 0 | 1,
  config: number,
  scale: number,
  about: string,
];

/** Facts that rows of events share. */
export function eventFacts([, type, , scale, about]: PerfEvent) {
  return {
    unit: scale === 1 ? "" : "s",
    behavior: "monotone",
    agg: "sum",
    format: scale === 1 ? "integer" : "double",
    about,
    source: type === 0 ? "PERF_TYPE_HARDWARE" : "PERF_TYPE_SOFTWARE",
  } as const;
}

/** May it not be opened, rather than not be there? */
export function isForbidden(errno: number): boolean {
  return errno === EPERM || errno === EACCES;
}

/** Why an event cannot be counted. */
export function refusal(
  host: Host,
  errno: number,
  more?: { lacks: string; remedy: string },
): Absence {
  if (isForbidden(errno)) {
    const paranoid = host.readText(PARANOID)?.trim() ?? "unknown";
    // The level allows it, so that something else is in the way.
    const isOpen = Number(paranoid) <= (more === undefined ? 2 : 0);
    const reason = isOpen
      ? `perf_event_open is refused though perf_event_paranoid is ${paranoid}, as in containers`
      : `perf_event_paranoid is ${paranoid}${more?.lacks ?? ""}`;
    const remedy = isOpen
      ? "allow perf_event_open in the container's seccomp profile"
      : more?.remedy;
    return { kind: "forbidden", reason, remedy };
  }
  const hidden = "not on this processor, or hidden by the hypervisor";
  return { kind: "absent", reason: errno === ENOENT ? hidden : errorText(errno) };
}

/** One instance of a requested row. */
export interface PerfColumn {
  readonly name: string;
  readonly scale: number;
  /** Counters whose counts add up; none: there is nothing to count at this instance. */
  readonly specs: readonly PerfEventSpec[];
}

interface Open {
  readonly name: string;
  readonly scale: number;
  readonly at: number;
  /** Another counter of the same instance went before. */
  readonly adds: boolean;
  readonly counter: PerfCounter | undefined;
}

/**
 * Share of the time that reading may take. The counters of a command are added up over all its
 * threads, by a call to each one's CPU; of a thousand threads that is a millisecond.
 */
const READ_SHARE = 0.01;
/** An event that was counted for less than this share of the time is reported as scaled up. */
const WHOLE_SHARE = 0.999;

/** Reads the requested counters. */
export class PerfReading extends Troubled implements SignalReading {
  readonly #open: Open[];
  /** Reason given for an event that has not counted yet. */
  readonly #never: string;
  /** Time at which reading may go on, s. */
  readonly #next = new Float64Array(1);

  /** @param never Why an event may not have counted at all. */
  constructor(columns: readonly PerfColumn[], never: string) {
    super();
    this.#never = never;
    this.#open = columns.flatMap(({ name, scale, specs }, at): Open[] => {
      if (specs.length === 0) return [{ name, scale, at, adds: false, counter: undefined }];
      return specs.map((spec, k) => {
        const fd = openPerfEvent(spec);
        if (fd < 0) {
          const where = spec.cpu < 0 ? "the command" : `CPU ${spec.cpu}`;
          this.noted.add(name, "error", `${where} cannot be counted: ${errorText(-fd)}`);
        }
        const counter = fd < 0 ? undefined : new PerfCounter(fd, spec);
        return { name, scale, at, adds: k > 0, counter };
      });
    });
  }

  readInto(out: Float64Array, timeS: number, all = false): void {
    const read = all || timeS >= this.#next[0];
    const startS = read ? rawSeconds() : 0;
    for (let i = 0; i < this.#open.length; i++) {
      const { at, adds, counter, scale } = this.#open[i];
      if (counter === undefined) {
        out[at] = NaN;
        continue;
      }
      const result = read ? counter.read() : PERF_READ.OK;
      // An event that never had a hardware counter has counted nothing, which is not 0.
      if (result > 0 || counter.share === 0) out[at] = NaN;
      else if (adds) out[at] += counter.total[0] * scale;
      else out[at] = counter.total[0] * scale;
      if (result !== PERF_READ.OK || counter.share < WHOLE_SHARE) this.#judge(i, result);
    }
    if (read) this.#next[0] = timeS + (rawSeconds() - startS) / READ_SHARE;
  }

  [Symbol.dispose](): void {
    for (const { counter } of this.#open) counter?.[Symbol.dispose]();
  }

  #judge(i: number, result: number): void {
    const { name, counter } = this.#open[i];
    const kind = result === PERF_READ.BACKWARDS
      ? "reset"
      : result === PERF_READ.OK
      ? "scaled"
      : "error";
    if (this.noted.again(name, kind)) return;
    const percent = Math.round(counter!.share * 100);
    const why = result === PERF_READ.BACKWARDS
      ? "went backwards; nothing was added over the gap"
      : result === PERF_READ.OK
      ? `took turns on a hardware counter, counted ${percent} % of the time at first: scaled up`
      : result === PERF_READ.NEVER_COUNTED
      ? this.#never
      : errorText(result);
    this.noted.add(name, kind, why);
  }
}
