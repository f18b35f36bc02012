/**
 * CPU time, throttling and memory of the control group that we run in: on most clusters, the job.
 *
 * Truth: Documentation/admin-guide/cgroup-v2.rst. /proc/self/cgroup names the group (`0::/PATH`),
 * `cpu.stat` holds lines such as `usage_usec 123456`, `memory.current` one number. Version 1 has other
 * files and is not read.
 * @module
 */
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { absent, lookAt } from "./offers.ts";
import { KeyedReading } from "./readings/keyed.ts";

const OWN = "/proc/self/cgroup";
const MOUNT = "/sys/fs/cgroup";
const MICRO = 1e-6;

type Entry = readonly [
  name: string,
  file: string,
  line: string,
  unit: "s" | "B" | "",
  about: string,
];

const ENTRIES: readonly Entry[] = [
  ["CPU_TIME", "cpu.stat", "usage_usec ", "s", "CPU time of the control group"],
  ["CPU_USER_TIME", "cpu.stat", "user_usec ", "s", "CPU time of the control group in user mode"],
  [
    "CPU_SYSTEM_TIME",
    "cpu.stat",
    "system_usec ",
    "s",
    "CPU time of the control group in the kernel",
  ],
  [
    "CPU_THROTTLED_TIME",
    "cpu.stat",
    "throttled_usec ",
    "s",
    "Time in which the CPU quota throttled the control group",
  ],
  [
    "CPU_THROTTLED",
    "cpu.stat",
    "nr_throttled ",
    "",
    "Number of periods in which the CPU quota of the control group ran out",
  ],
  ["MEMORY", "memory.current", "", "B", "Memory of the control group, page cache included"],
  ["MEMORY_PEAK", "memory.peak", "", "B", "Maximum memory that the control group had at one time"],
];

/** The reader of the control group's files. */
export const cgroup: Reader = {
  name: "CGROUP",
  about: "CPU time, memory and limits of the job's control group.",
  needs: { files: [OWN, `${MOUNT}/`], libraries: [], capabilities: [] },
  signals: ENTRIES.map(([name, file, line, unit, about]): SignalRow => ({
    name: `CGROUP::${name}`,
    domain: "board",
    unit,
    behavior: unit === "B" ? "variable" : "monotone",
    agg: "sum",
    about,
    source: `${MOUNT}/GROUP/${file}${line === "" ? "" : `, line ${line.trim()}`}`,
  })),
  probe(host): Offer {
    const dir = ownGroup(host);
    if (dir === undefined) return absent(`no control group of version 2 in ${OWN}`);
    const found = lookAt(cgroup.signals, (_row, i) => {
      const [, file, line] = ENTRIES[i];
      const path = `${dir}/${file}`;
      const text = host.readText(path);
      return text !== undefined && `\n${text}`.includes(`\n${line}`)
        ? { source: path }
        : { kind: "absent", reason: line === "" ? `no ${path}` : `no ${line}in ${path}` };
    });
    if (found.signals.length > 0) return found;
    return absent(`no CPU time and no memory in the control group ${dir}`);
  },
  open(host, wanted) {
    const dir = ownGroup(host);
    return new KeyedReading(host, wanted, (row) => {
      const [, file, line, unit] = ENTRIES[cgroup.signals.findIndex((r) => r.name === row.name)];
      return { path: `${dir}/${file}`, line, scale: unit === "s" ? MICRO : 1 };
    });
  },
};

function ownGroup(host: Host): string | undefined {
  const path = /^0::(\/.*)$/m.exec(host.readText(OWN) ?? "")?.[1];
  if (path === undefined || `${path}/`.includes("/../")) return undefined;
  const dir = path === "/" ? MOUNT : `${MOUNT}${path}`;
  return host.list(dir).length > 0 ? dir : undefined;
}
