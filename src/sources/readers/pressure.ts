/**
 * Time lost to waiting for CPU, memory and I/O: pressure stall information.
 *
 * Truth: Documentation/accounting/psi.rst, kernel 4.20 and later. One real line:
 * `some avg10=0.00 avg60=0.00 avg300=0.00 total=154612` (total in microseconds since boot).
 * @module
 */
import type { Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { lookAt } from "./offers.ts";
import { KeyedReading } from "./readings/keyed.ts";

const DIR = "/proc/pressure";

const ROWS = (["cpu", "memory", "io"] as const).flatMap((resource) =>
  (["some", "full"] as const).map((share) => ({ resource, share }))
);

const WORDS = { cpu: "a CPU", memory: "memory", io: "input or output" } as const;

/** The reader of /proc/pressure. */
export const pressure: Reader = {
  name: "PRESSURE",
  about: "Time in which processes waited for CPU, memory or I/O, as the kernel counts it.",
  needs: { files: [`${DIR}/`], libraries: [], capabilities: [] },
  signals: ROWS.map(({ resource, share }): SignalRow => ({
    name: `PRESSURE::${resource.toUpperCase()}_${share.toUpperCase()}`,
    domain: "board",
    unit: "s",
    behavior: "monotone",
    agg: "sum",
    about: share === "some"
      ? `Time in which at least one task waited for ${WORDS[resource]}`
      : `Time in which all tasks with work waited for ${WORDS[resource]}`,
    source: `${DIR}/${resource}, line ${share}`,
  })),
  probe(host): Offer {
    const found = lookAt(pressure.signals, (_row, i) => {
      const source = `${DIR}/${ROWS[i].resource}`;
      return host.readText(source)?.includes(`${ROWS[i].share} `)
        ? { source, resolution: 1e-6 }
        : { kind: "absent", reason: `no ${source}` };
    });
    if (found.signals.length > 0) return found;
    return {
      ok: false,
      kind: "absent",
      reason: `no ${DIR}`,
      remedy: "use kernel 4.20 or later, booted with psi=1",
    };
  },
  open: (host, wanted) =>
    new KeyedReading(host, wanted, (row) => {
      const { resource, share } = ROWS[pressure.signals.findIndex((r) => r.name === row.name)];
      return { path: `${DIR}/${resource}`, line: `${share} `, key: "total=", scale: 1e-6 };
    }),
};
