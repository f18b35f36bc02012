/**
 * `sampler`: a snapshot of every thread CALI_SAMPLER_FREQUENCY times a second (50).
 *
 * Samples of functions are snapshots at their own times, with `cali.sampler.pc`. Without such samples
 * the monitor takes snapshots at its steps: they have the context alone.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import type { Service, ServiceHost } from "../service.ts";
import { Snapshot } from "../snapshot.ts";
import { NONE } from "../tree.ts";
import { TYPE } from "../variant.ts";
import { addressAttribute } from "./symbol_address.ts";

const DEFAULT_HZ = 50, MAX_HZ = 10000;

/** Samples per second by the value of the variable; NaN: it is no frequency. */
export function samplerHz(text = String(DEFAULT_HZ)): number {
  const hz = Number(text);
  return hz > 0 && hz <= MAX_HZ ? Math.max(1, Math.trunc(hz)) : NaN;
}

/** The service `sampler`. */
export function sampler(host: ServiceHost): Service {
  const text = host.config("CALI_SAMPLER_FREQUENCY");
  let hz = samplerHz(text);
  if (Number.isNaN(hz)) {
    host.log(
      `sampler: CALI_SAMPLER_FREQUENCY is "${text}", not in 1 to ${MAX_HZ}; ${DEFAULT_HZ} taken`,
    );
    hz = DEFAULT_HZ;
  }
  const { global, unaligned, skip_events, asvalue } = PROPERTY;
  const frequency = host.createAttribute(
    "sample.frequency",
    TYPE.int,
    global | unaligned | skip_events,
  );
  host.setGlobal(frequency, hz);
  host.note(`Registered sampler service. Using ${hz}Hz sampling frequency.`);
  let counter = NONE;
  const info = new Snapshot();
  /** Time when the next sample is due, ns, by thread. */
  const due: number[] = [];
  /** Samples of functions by thread. */
  const seen: number[] = [];
  let taken = 0, all = 0;
  return {
    name: "sampler",
    tick(): void {
      const thread = host.thread(), nowNs = host.now();
      due[thread] ??= host.threadStart() + 1e9 / hz;
      if (nowNs < due[thread]) return;
      // Moments that passed unseen are not made up.
      const missed = Math.floor((nowNs - due[thread]) * hz * 1e-9);
      due[thread] += (missed + 1) * 1e9 / hz;
      host.push({ event: null, info: null, replaces: NONE });
    },
    sampled(code): void {
      const thread = host.thread(), before = seen[thread] ?? 0, share = Math.min(1, hz / code.hz);
      seen[thread] = before + 1;
      all++;
      // Of more samples than requested every n-th of a thread is taken.
      if (Math.floor((before + 1) * share) === Math.floor(before * share)) return;
      taken++;
      counter = counter === NONE ? addressAttribute(host, "cali.sampler.pc", asvalue) : counter;
      info.clear();
      const pc = code.stack().at(-1);
      if (pc !== undefined) info.pushValue(counter, TYPE.addr, pc);
      host.push({ event: null, info, replaces: NONE, sampled: code });
    },
    flush() {
      if (all === 0) return;
      host.note(`Sampler: processed ${taken} samples (${all} total, ${all - taken} dropped).`);
    },
  };
}
