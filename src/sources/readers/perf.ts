/**
 * Energy and events by the kernel's perf subsystem: the `power` PMU, hardware and software events.
 *
 * Truth: perf_event_open(2), arch/x86/events/rapl.c. Under
 * /sys/bus/event_source/devices/power: `type` and `cpumask` (one CPU for each package) are numbers
 * and a list, `events/energy-pkg` holds `event=0x02`, `.scale` joules a count (2^−32), `.unit` Joules.
 * The kernel has put every domain on that scale, quirks included, and extends it to 64 bits.
 * Everything of a CPU is counted, so perf_event_paranoid must be 0 or less, or CAP_PERFMON held.
 * @module
 */
import type { Remedy } from "../../core/remedy.ts";
import { cpusOf } from "../../core/machine/cpu_list.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Absence, Offer, SignalRow } from "../../core/signal.ts";
import { absent, lookAt, offerOrLack } from "./offers.ts";
import { monotonicNanoseconds, sleepUntil } from "../../os/clock.ts";
import {
  openPerfEvent,
  PERF_READ,
  PerfCounter,
  type PerfEventSpec,
} from "../../os/devices/perf_event.ts";
import { counterOfCpu } from "./package_counters.ts";
import { eventFacts, PARANOID, type PerfEvent, refusal } from "./readings/perf.ts";
import { type PerfColumn, PerfReading } from "./readings/perf.ts";
import { identify } from "./processor.ts";

const DEVICES = "/sys/bus/event_source/devices";
const POWER = "power";
const PMU = `${DEVICES}/${POWER}`;
/** PMUs of the CPUs themselves, by the beginnings of their names. */
const CPU_PMU = /^(cpu|armv|apple_)/;
const NO_CPU_PMU = `no PMU of the CPUs in ${DEVICES}: as in most virtual machines`;
const ENERGIES = [
  ["pkg", "package", "Energy of the package"],
  ["ram", "package", "Energy of the memory of the package"],
  ["cores", "package", "Energy of the cores, a part of the package"],
  ["gpu", "package", "Energy of the integrated graphics, a part of the package"],
  ["psys", "board", "Energy of the platform (the whole node), as the power supply reports it"],
] as const;

const EVENTS: readonly PerfEvent[] = [
  ["CYCLES", 0, 0, 1, "Clock cycles of the CPU while it was not idle"],
  ["INSTRUCTIONS", 0, 1, 1, "Number of instructions that the CPU executed (retired)"],
  ["REF_CYCLES", 0, 9, 1, "Cycles at the base frequency while the CPU was not idle"],
  ["TASK_CLOCK", 1, 1, 1e-9, "Time in which tasks ran on the CPU"],
  ["PAGE_FAULTS", 1, 2, 1, "Number of page faults on the CPU"],
  ["CONTEXT_SWITCHES", 1, 3, 1, "Number of context switches of the CPU"],
  ["MIGRATIONS", 1, 4, 1, "Number of tasks that moved to this CPU from another one"],
];

const COUNTS_WITHIN_MS = 8;
const NO_COUNT = "counts nothing: a virtual machine's counter that its host does not serve";
const TIMES_SHARE =
  "if several events shared a hardware counter, each event was counted only for a part of the " +
  "time. The value is then scaled up to the whole time";

const FORBIDDEN = {
  lacks: " and CAP_PERFMON is not held",
  remedy: 'run "joulemark doctor" for possible fixes',
};
const REMEDIES: readonly Remedy[] = [
  {
    risk: "medium",
    opens:
      "everyone who may run this executable can read counters of the whole node. Needs Linux 5.8",
    lines: ["setcap cap_perfmon=ep ./joulemark"],
  },
  {
    risk: "high",
    opens:
      "every local user can read counters of the whole node, which can reveal data of other users " +
      "(CVE-2020-8694)",
    lines: ["sysctl kernel.perf_event_paranoid=0"],
  },
];

/** The reader of perf events of the whole node. */
export const perf: Reader = {
  name: "PERF",
  about:
    "Counters of the whole node from the kernel call perf_event_open(2): energy (RAPL), cycles, instructions.",
  remedies: REMEDIES,
  needs: {
    files: [`${DEVICES}/`, PARANOID, "/proc/cpuinfo", "/dev/cpu/"],
    libraries: [],
    capabilities: ["CAP_PERFMON"],
  },
  signals: [
    ...ENERGIES.map(([event, domain, about]): SignalRow => ({
      name: `PERF::ENERGY_${event.toUpperCase()}`,
      domain,
      unit: "J",
      behavior: "monotone",
      agg: "sum",
      about,
      source: `${PMU}/events/energy-${event}`,
      quirks: "the value is 0 at the first reading of joulemark",
    })),
    ...EVENTS.map((event): SignalRow => ({
      name: `PERF::${event[0]}`,
      domain: "cpu",
      ...eventFacts(event),
      quirks: event[1] === 0 ? TIMES_SHARE : undefined,
    })),
  ],
  probe,
  open: (host, wanted) =>
    new PerfReading(
      wanted.flatMap((signal) => columnsOf(host, signal.row) as PerfColumn[]),
      "has had no turn on a hardware counter",
    ),
};

function probe(host: Host): Offer {
  if (host.root !== "") return absent("a tree has no perf events");
  const hasCpuPmu = host.list(DEVICES).some((name) => CPU_PMU.test(name));
  const found = lookAt(perf.signals, (row) => {
    const columns = columnsOf(host, row);
    if (!Array.isArray(columns)) return columns;
    // A permission is no help if there is nothing to count.
    if (!hasCpuPmu && row.source === "PERF_TYPE_HARDWARE") {
      return { kind: "absent", reason: NO_CPU_PMU };
    }
    const { specs: [spec], scale } = columns.find(({ specs }) => specs.length > 0)!;
    const fd = openPerfEvent(spec);
    if (fd < 0) return refusal(host, -fd, FORBIDDEN);
    using counter = new PerfCounter(fd, spec);
    if (isEnergy(row.name) && identify(host).hypervisor && !counts(counter)) {
      return { kind: "unusable", reason: `${row.source}: ${NO_COUNT}` };
    }
    return { source: row.source!, resolution: scale };
  });
  const { missing } = found, energy = missing.get("PERF::ENERGY_PKG");
  if (energy?.kind !== "absent") return offerOrLack(found, "forbidden");
  const isClosed = [...missing].some(([name, { kind }]) => kind === "forbidden" && isEnergy(name));
  // Events of software alone are no reason for a permission.
  if (!hasCpuPmu && !isClosed && found.signals.length === 0) {
    return { ok: false, missing, ...energy };
  }
  return offerOrLack({ ...found, notes: [energy.reason] }, "forbidden");
}

function isEnergy(signal: string): boolean {
  return signal.startsWith("PERF::ENERGY_");
}

/** A virtual machine may show a counter that its host never lets count: real ones change each ms. */
function counts(counter: PerfCounter): boolean {
  for (let waitedMs = 0; waitedMs < COUNTS_WITHIN_MS; waitedMs++) {
    if (counter.read() === PERF_READ.OK && counter.total[0] > 0) return true;
    sleepUntil(monotonicNanoseconds() + 1e6);
  }
  return false;
}

/** Events to open for each instance of a row; their counts add up. */
export function columnsOf(host: Host, row: SignalRow): PerfColumn[] | Absence {
  const event = EVENTS.find(([name]) => row.name === `PERF::${name}`);
  const t = host.topology;
  if (event !== undefined) {
    const [, type, config, scale] = event;
    const online = new Set(t.cpus("board", 0));
    return Array.from({ length: t.count("cpu") }, (_, cpu) => ({
      name: row.name,
      scale,
      specs: online.has(cpu) ? [{ type, config, cpu }] : [],
    }));
  }
  const name = row.name.slice("PERF::ENERGY_".length).toLowerCase();
  const file = (path: string) => host.readText(`${PMU}/${path}`)?.trim() ?? "";
  const config = /^event=(0x[0-9a-f]+|\d+)$/i.exec(file(`events/energy-${name}`))?.[1];
  if (config === undefined) {
    const reason = !host.list(DEVICES).includes(POWER)
      ? `no power PMU (${PMU}): this machine or its kernel shows no energy to perf`
      : `no ${PMU}/events/energy-${name}`;
    return { kind: "absent", reason };
  }
  const scale = Number(file(`events/energy-${name}.scale`));
  const type = Number(file("type"));
  if (!(scale > 0) || !(type > 0) || file(`events/energy-${name}.unit`) !== "Joules") {
    return { kind: "unusable", reason: `${PMU} does not report scale, unit or type` };
  }
  const mask = cpusOf(file("cpumask"));
  if (mask === undefined) {
    return { kind: "unusable", reason: `${PMU}/cpumask is not a CPU list` };
  }
  const specs: PerfEventSpec[][] = Array.from({ length: t.count(row.domain) }, () => []);
  const seen = new Set<string>();
  for (const cpu of mask) {
    const i = t.indexOfCpu(row.domain, cpu);
    // The platform shows up on each package: once is enough.
    const counter = row.domain === "board" ? "" : counterOfCpu(host, cpu);
    if (i < 0 || counter === undefined || seen.has(counter)) continue;
    seen.add(counter);
    specs[i].push({ type, config: Number(config), cpu });
  }
  if (specs.flat().length === 0) {
    return { kind: "unusable", reason: `${PMU}/cpumask names no CPU of this node` };
  }
  return specs.map((specs) => ({ name: row.name, scale, specs }));
}
