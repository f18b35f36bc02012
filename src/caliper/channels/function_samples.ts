/**
 * Samples of functions on their way into channels, and the addresses of their stacks.
 * @module
 */
import type { CodePlace, SampledCode } from "../model/service.ts";
import type { Value } from "../model/variant.ts";
import { grown } from "../../core/grow.ts";

/** Frames of stacks, by number; each has a caller. */
export interface FrameSource {
  /** The caller's frame; 0: it has none. */
  callerOf(frame: number): number;
  /** Address in a process; `undefined`: the frame is no code, such as a region. */
  addressOf(process: number, frame: number): Value | undefined;
  /** Place of a frame, which is known at the end of the run. */
  placeOf(frame: number): CodePlace;
}

/** Addresses of a process. */
interface ProcessCode {
  /** The stack of a frame: addresses, outermost first. */
  readonly stacks: Map<number, readonly Value[]>;
  readonly frames: Map<Value, number>;
}

/** Samples in order of time, a column a field. */
export class FunctionSamples implements SampledCode {
  readonly hz: number;
  /** Samples up to here are known, s. */
  knownS = -Infinity;
  /** Number of the samples, and of the first that was not passed on yet. */
  count = 0;
  first = 0;
  timeS = new Float64Array(1024);
  cpu = new Int32Array(1024);
  pid = new Int32Array(1024);
  tid = new Int32Array(1024);
  frame = new Int32Array(1024);
  /** The process of the current sample. */
  process = 0;
  #frame = 0;
  readonly #source: FrameSource;
  readonly #processes = new Map<number, ProcessCode>();

  constructor(hz: number, source: FrameSource) {
    [this.hz, this.#source] = [hz, source];
  }

  /** A sample, not before the one before it. */
  add(timeS: number, cpu: number, pid: number, tid: number, frame: number): void {
    const i = this.count++;
    if (i === this.timeS.length) {
      this.timeS = grown(this.timeS);
      this.cpu = grown(this.cpu);
      this.pid = grown(this.pid);
      this.tid = grown(this.tid);
      this.frame = grown(this.frame);
    }
    this.timeS[i] = timeS;
    this.cpu[i] = cpu;
    this.pid[i] = pid;
    this.tid[i] = tid;
    this.frame[i] = frame;
  }

  /** Makes room of samples that were passed on. */
  drop(): void {
    const { first, count } = this;
    if (first < count && first < 1024) return;
    for (const column of [this.timeS, this.cpu, this.pid, this.tid, this.frame]) {
      column.copyWithin(0, first, count);
    }
    this.count = count - first;
    this.first = 0;
  }

  /** Makes a sample the current one. */
  turnTo(i: number): void {
    this.process = this.pid[i];
    this.#frame = this.frame[i];
  }

  stack(): readonly Value[] {
    return this.#stackOf(this.#frame, this.#codeOf(this.process));
  }

  placeOf(process: number, address: Value): CodePlace | undefined {
    const frame = this.#processes.get(process)?.frames.get(address);
    return frame === undefined ? undefined : this.#source.placeOf(frame);
  }

  #codeOf(process: number): ProcessCode {
    return this.#processes.getOrInsertComputed(process, () => {
      return { stacks: new Map(), frames: new Map() };
    });
  }

  #stackOf(frame: number, code: ProcessCode): readonly Value[] {
    if (frame === 0) return [];
    const known = code.stacks.get(frame);
    if (known !== undefined) return known;
    const { process } = this, caller = this.#source.callerOf(frame);
    const outer = this.#stackOf(caller, code), address = this.#source.addressOf(process, frame);
    if (address !== undefined && !code.frames.has(address)) code.frames.set(address, frame);
    const stack = address === undefined ? outer : [...outer, address];
    code.stacks.set(frame, stack);
    return stack;
  }
}
