/**
 * `sampler`: a snapshot of every thread CALI_SAMPLER_FREQUENCY times a second (50).
 *
 * The monitor takes them from outside, so no signal interrupts the program; for the same reason
 * there is no program counter (`cali.sampler.pc`), and none closer than the steps of its loop.
 * @module
 */

import { PROPERTY } from "../attribute.ts";
import type { Service, ServiceHost } from "../service.ts";
import { NONE } from "../tree.ts";
import { TYPE } from "../variant.ts";

const DEFAULT_HZ = 50;

/** The service `sampler`. */
export function sampler(host: ServiceHost): Service {
  const text = host.config("CALI_SAMPLER_FREQUENCY") ?? String(DEFAULT_HZ);
  let hz = Number(text);
  if (!(hz > 0 && hz <= 10000)) {
    host.log(
      `sampler: CALI_SAMPLER_FREQUENCY is "${text}", not in 1 to 10000; ${DEFAULT_HZ} taken`,
    );
    hz = DEFAULT_HZ;
  }
  const { global, unaligned, skip_events } = PROPERTY;
  const frequency = host.createAttribute(
    "sample.frequency",
    TYPE.int,
    global | unaligned | skip_events,
  );
  host.setGlobal(frequency, Math.round(hz));
  /** Time when the next sample is due, ns, by thread. */
  const due: number[] = [];
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
  };
}
