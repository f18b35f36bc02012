/**
 * The application of `joulemark demo`: two processes of one small solver, marked like any program.
 *
 * Its regions do different work, so that the report shows different power: arithmetic in cache,
 * streaming through memory, waiting for each other, writing to disk. Each lasts a fixed time,
 * on any machine, about 3.5 s in all.
 * @module
 */
import { Marker } from "../marks/marker/marker.ts";
import { monotonicNanoseconds, sleepUntil } from "../os/clock.ts";
import { readLinkTarget, readText } from "../os/files.ts";
import { affinityOf } from "../os/host.ts";
import { inheritedState, signalBit } from "../os/inherited.ts";
import { libc } from "../os/libc.ts";
import { reap, setSignalMask, spawn } from "../os/process.ts";

/** Argument of the second process, with the moment at which both begin. */
const SECOND = "--second=";
const EPOCHS = 5;
const MS = 1e6;
/** Time for the second process to start. */
const HEAD_START_MS = 150;
/** Ends of an epoch's parts, ms since its beginning; both processes keep to them, like a barrier. */
const EXCHANGED_MS = 500;
const SAVED_MS = 590;
const EPOCH_MS = 640;
/** Length of the two parts that each process does at its own pace. */
const ASSEMBLE_MS = 230;
const STREAM_MS = 200;
/** Part of the assembly that is arithmetic; the rest adds it up in memory. */
const ELEMENTS_SHARE = 0.6;
/** Three arrays of 24 MiB: more than most last-level caches, little enough for any node. */
const STREAM_ELEMENTS = 3 << 20;
const SIGUSR1 = 10;

/**
 * Runs the workload.
 *
 * @param args None, or {@linkcode SECOND} with a moment of CLOCK_MONOTONIC in ns.
 * @returns 0, or what the second process returned.
 */
export async function demoWorkload(args: string[]): Promise<number> {
  // The executable blocks signals for its monitor; a workload is to end at ^C. One stays blocked:
  // the runtime would answer it by opening its inspector.
  setSignalMask(inheritedState().blocked | signalBit(SIGUSR1));
  const given = args.find((arg) => arg.startsWith(SECOND));
  const startNs = given === undefined
    ? monotonicNanoseconds() + HEAD_START_MS * MS
    : Number(given.slice(SECOND.length));
  if (!(Math.abs(startNs - monotonicNanoseconds()) < 10e9)) return 2;
  // The second one is started before the first is bound: both halve the same CPUs.
  const child = given === undefined ? spawnSecond(startNs) : -1;
  bindToHalf(given === undefined ? 0 : 1);
  const marker = Marker.attach();
  const work = new Work(marker, given === undefined ? 1 : 0.7);
  restUntil(startNs);
  for (let k = 0; k < EPOCHS; k++) work.epoch(startNs + k * EPOCH_MS * MS, k % 2 === 1);
  marker.shutdown();
  return child < 0 ? 0 : await statusOf(child);
}

/** The work of one process; `load` is its share of the arithmetic, the rest it waits. */
class Work {
  readonly #marker: Marker;
  readonly #load: number;
  readonly #a = new Float64Array(STREAM_ELEMENTS);
  readonly #b = new Float64Array(STREAM_ELEMENTS).fill(1);
  readonly #c = new Float64Array(STREAM_ELEMENTS).fill(2);
  #sum = 0;

  constructor(marker: Marker, load: number) {
    this.#marker = marker;
    this.#load = load;
  }

  epoch(startNs: number, saves: boolean): void {
    const assembledNs = startNs + ASSEMBLE_MS * this.#load * MS;
    this.#marker.epoch();
    {
      using _region = this.#marker.region("assemble", "COMPUTE");
      {
        using _inner = this.#marker.region("elements", "COMPUTE");
        this.#compute(startNs + ELEMENTS_SHARE * (assembledNs - startNs));
      }
      {
        using _inner = this.#marker.region("scatter", "MEMORY");
        this.#stream(assembledNs);
      }
    }
    {
      using _region = this.#marker.region("stream", "MEMORY");
      this.#stream(assembledNs + STREAM_MS * MS);
    }
    {
      // The process with less to do waits for the other one here.
      using _region = this.#marker.region("exchange", "NETWORK");
      restUntil(startNs + EXCHANGED_MS * MS);
    }
    if (saves) {
      using _region = this.#marker.region("checkpoint", "IO");
      restUntil(startNs + SAVED_MS * MS);
    }
    // Some work without marks.
    this.#compute(startNs + EPOCH_MS * MS);
  }

  #compute(untilNs: number): void {
    let x = 1 + this.#sum * 1e-30;
    do {
      for (let i = 0; i < 20_000; i++) x = Math.sqrt(x * 1.0000001 + 1) - 0.4 * x;
    } while (monotonicNanoseconds() < untilNs);
    this.#sum += x;
  }

  /** The triad of the STREAM benchmark, in pieces between looks at the clock. */
  #stream(untilNs: number): void {
    const piece = 1 << 16;
    const [a, b, c] = [this.#a, this.#b, this.#c];
    for (let at = 0; monotonicNanoseconds() < untilNs; at = (at + piece) % STREAM_ELEMENTS) {
      for (let i = at; i < at + piece; i++) a[i] = b[i] + 3 * c[i];
    }
    this.#sum += a[0];
  }
}

function restUntil(ns: number): void {
  // A signal ends a sleep early.
  while (monotonicNanoseconds() < ns) sleepUntil(ns);
}

/** Each process keeps to its half of the CPUs, as a launcher of MPI ranks would have it. */
function bindToHalf(half: 0 | 1): void {
  const cpus = affinityOf(0);
  if (cpus.length < 2) return;
  const middle = cpus.length >> 1;
  const mask = new Uint8Array(1024);
  for (const cpu of half === 0 ? cpus.slice(0, middle) : cpus.slice(middle)) {
    mask[cpu >> 3] |= 1 << (cpu & 7);
  }
  libc().schedSetaffinity(0, BigInt(mask.length), mask);
}

/** Starts this program once more, by the command line that it was started with. */
function spawnSecond(startNs: number): number {
  const path = readLinkTarget("/proc/self/exe");
  const words = (readText("/proc/self/cmdline") ?? "").split("\0").slice(0, -1);
  if (path === undefined || words.length === 0) return -1;
  try {
    return spawn({ path, args: [...words, `${SECOND}${startNs}`] });
  } catch {
    return -1;
  }
}

async function statusOf(child: number): Promise<number> {
  for (;;) {
    const ended = reap(child);
    if (ended !== undefined) return ended.code;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
