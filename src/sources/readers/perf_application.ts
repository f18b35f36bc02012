/**
 * Events of the launched command and all its children, counted by the kernel's perf subsystem.
 *
 * Truth: perf_event_open(2). The counters are opened before the command starts, on the thread that
 * starts it, so that all of the command is counted, and neither the monitor nor other processes of
 * the node. Processes that joined the run without being children of the command are not counted.
 * Without CAP_PERFMON and with perf_event_paranoid of 2 or more the kernel's part is left out.
 * @module
 */
import type { Remedy } from "../../core/remedy.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { absent, lookAt, offerOrLack } from "./offers.ts";
import { openPerfEvent, PerfCounter, type PerfEventSpec } from "../../os/devices/perf_event.ts";
import { eventFacts, isForbidden, PARANOID, type PerfEvent } from "./readings/perf.ts";
import { PerfReading, refusal } from "./readings/perf.ts";

const EVENTS: readonly PerfEvent[] = [
  ["INSTRUCTIONS", 0, 1, 1, "Number of executed (retired) instructions"],
  ["CYCLES", 0, 0, 1, "Number of clock cycles of the CPUs"],
  ["REF_CYCLES", 0, 9, 1, "Number of cycles at the base frequency"],
  ["CACHE_REFERENCES", 0, 2, 1, "Number of accesses to the last-level cache"],
  ["CACHE_MISSES", 0, 3, 1, "Number of misses of the last-level cache"],
  ["TASK_CLOCK", 1, 1, 1e-9, "Processor time, summed over threads"],
  ["PAGE_FAULTS", 1, 2, 1, "Number of page faults"],
  ["MAJOR_FAULTS", 1, 6, 1, "Number of page faults that had to read from a disk or another device"],
  ["CONTEXT_SWITCHES", 1, 3, 1, "Number of context switches"],
  ["MIGRATIONS", 1, 4, 1, "Number of moves of a thread to another CPU"],
];

const NEVER = "no command was started, or the event has had no turn on a hardware counter";

/**
 * Fix for levels above 2 (Debian, Android), at which a user may not count even their own processes.
 */
const REMEDIES: readonly Remedy[] = [
  {
    risk: "low",
    opens: "each user can count events of the user's own processes, outside the kernel",
    lines: ["sysctl kernel.perf_event_paranoid=2"],
  },
];

/** The reader of perf events of the application alone. */
export const perfApplication: Reader = {
  name: "PERF_APP",
  about:
    "Counters of the launched command and its child processes, from the kernel call perf_event_open(2).",
  remedies: REMEDIES,
  needs: { files: [PARANOID], libraries: [], capabilities: [] },
  signals: EVENTS.map((event): SignalRow => {
    const [name, type, , , about] = event;
    const { source, ...facts } = eventFacts(event);
    return {
      name: `PERF_APP::${name}`,
      domain: "board",
      ...facts,
      about: `${about} (launched command and its children)`,
      source: `${source}, inherit`,
      quirks: type === 0
        ? "if several events shared a hardware counter, each event was counted only for a part " +
          "of the time. The value is then scaled up to the whole time"
        : undefined,
    };
  }),
  probe,
  open: (_host, wanted) =>
    new PerfReading(
      wanted.map(({ row }) => {
        const found = open(row);
        const specs = typeof found === "number" ? [] : [found];
        return { name: row.name, scale: eventOf(row)[3], specs };
      }),
      NEVER,
    ),
};

function eventOf(row: SignalRow): PerfEvent {
  return EVENTS.find(([name]) => row.name === `PERF_APP::${name}`)!;
}

/**
 * Parameters with which the event can be opened here, including the kernel's part if that is
 * allowed; or errno.
 */
function open(row: SignalRow): PerfEventSpec | number {
  const [, type, config] = eventOf(row);
  let refused = 0;
  for (const userOnly of [false, true]) {
    const spec = { type, config, cpu: -1, commands: true, userOnly };
    const fd = openPerfEvent(spec);
    if (fd >= 0) {
      new PerfCounter(fd, spec)[Symbol.dispose]();
      return spec;
    }
    refused = -fd;
    if (!isForbidden(-fd)) break;
  }
  return refused;
}

function probe(host: Host): Offer {
  if (host.root !== "") return absent("a tree has no perf events");
  const found = lookAt(perfApplication.signals, (row) => {
    const spec = open(row);
    if (typeof spec === "number") return refusal(host, spec);
    const note = spec.userOnly === true
      ? "without what the kernel did for it: perf_event_paranoid is above 1"
      : undefined;
    return { source: row.source!, note };
  });
  return offerOrLack(found);
}
