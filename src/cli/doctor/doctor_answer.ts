/**
 * Answer of `doctor`: whether energy can be measured here, the state of each quantity, and remedies that make a
 * value available.
 * @module
 */
import type { Remedy } from "../../core/remedy.ts";
import type { Diagnosis, LiveCounter, RecordRow, SourceRow } from "./diagnose.ts";

/** State of a quantity: the first cause that applies. */
export type QuantityState =
  | "works"
  | "in part"
  | "no change"
  | "no permission"
  | "hidden"
  | "driver missing"
  | "unsupported model"
  | "not available";

/** One quantity. */
export interface QuantityRow {
  readonly name: string;
  readonly state: QuantityState;
  /** The source, or why there is none. */
  readonly why: string;
  /** Sources that would serve it with a permission. */
  readonly closed: readonly string[];
}

/** A remedy, and the quantities that it makes available. */
export interface Gain {
  readonly reader: string;
  readonly remedy: Remedy;
  readonly quantities: readonly string[];
}

/** Quantities, the names that reports have them from, and what a node without them lacks. */
const QUANTITIES: readonly { name: string; records: readonly string[]; lacks: string }[] = [
  { name: "package energy", records: ["CPU_ENERGY"], lacks: "no RAPL and no other counter" },
  { name: "memory energy", records: ["DRAM_ENERGY"], lacks: "no counter of memory energy" },
  {
    name: "node energy",
    records: ["BOARD_ENERGY"],
    lacks: "no Cray pm_counters, IPMI, hwmon power or RAPL psys",
  },
  { name: "GPU energy", records: ["GPU_ENERGY"], lacks: "no energy counter of a GPU" },
  { name: "core frequency", records: ["CPU_CYCLES_THREAD"], lacks: "no counter of cycles" },
];
const ENERGIES = 4;
/** Sources for people. */
const LABELS: Readonly<Record<string, string>> = {
  CNL: "Cray pm_counters",
  MSR: "RAPL registers",
  POWERCAP: "RAPL, powercap",
  PERF: "RAPL, perf",
  HWMON: "hwmon",
  IPMI: "IPMI",
  NVML: "NVIDIA NVML",
  ROCM: "AMD ROCm",
  AMDGPU: "AMD GPU, sysfs",
  INTEL_GPU: "Intel GPU, hwmon",
  CPUFREQ: "cpufreq",
};
const RISKS = ["none", "low", "medium", "high"];

/** Is the node a virtual machine? */
function isVirtual({ processor }: Diagnosis): boolean {
  return processor.includes("(virtual machine)");
}

/** Each quantity with its state. */
export function quantitiesOf(found: Diagnosis): QuantityRow[] {
  const rows = QUANTITIES.map(({ name, records, lacks }): QuantityRow => {
    const own = records.map((one) => found.records.find((row) => row.name === one));
    const record = own.find((row) => row?.available) ?? own[0];
    if (record === undefined) return { name, state: "not available", why: lacks, closed: [] };
    return record.available ? working(found, name, record) : lacking(found, name, record, lacks);
  });
  const cpu = found.sources.find(({ reader }) => reader === "PROCSTAT");
  if (cpu?.state !== "readable") return rows;
  return [...rows, { name: "CPU time", state: "works", why: "/proc/stat", closed: [] }];
}

function working(found: Diagnosis, name: string, record: RecordRow): QuantityRow {
  const [alias] = record.source?.split(", ") ?? [""];
  const [reader] = alias.split("::");
  const source = found.sources.find((one) => one.reader === reader);
  const live = source?.live.find(({ signal }) => signal === alias);
  // A tree of files stands still.
  const isStill = live !== undefined && !live.live && found.root === "";
  const without = live?.without ?? [];
  return {
    name,
    state: isStill ? "no change" : without.length > 0 ? "in part" : "works",
    why: [LABELS[reader] ?? record.source ?? reader, ...liveWords(live)].join(", ") +
      (record.quality === "derived" ? " (derived)" : ""),
    closed: [],
  };
}

function liveWords(live: LiveCounter | undefined): string[] {
  if (live === undefined) return [];
  const { updatePeriodS, resolution, without, trouble } = live;
  const why = trouble === undefined ? "" : ` (${trouble})`;
  return [
    ...without.length === 0 ? [] : [`no value of ${without.join(", ")}${why}`],
    ...updatePeriodS === undefined
      ? []
      : [`${Number((1 / updatePeriodS).toPrecision(2))} updates a second`],
    ...resolution === undefined ? [] : [`unit ${Number(resolution.toPrecision(3))} J`],
  ];
}

function lacking(found: Diagnosis, name: string, record: RecordRow, lacks: string): QuantityRow {
  const { readers = [], closed = [] } = record;
  const sources = found.sources.filter(({ reader }) => readers.includes(reader));
  if (closed.length > 0) {
    const labels = closed.map((reader) => LABELS[reader] ?? reader).join("; ");
    const [first] = sources.filter(({ reader }) => closed.includes(reader));
    return { name, state: "no permission", why: `${labels} (${reasonOf(first)})`, closed };
  }
  const isEnergy = name === "package energy" || name === "memory energy";
  const hidden = sources.find(isHidden);
  if (isEnergy && hidden !== undefined) {
    return { name, state: "hidden", why: reasonOf(hidden), closed: [] };
  }
  if (isVirtual(found)) return { name, state: "not available", why: virtualWhy(name), closed: [] };
  if (isEnergy && found.unsupported !== undefined) {
    return { name, state: "unsupported model", why: found.unsupported, closed: [] };
  }
  const driver = sources.find((source) => isLoadable(found, source));
  const isRapl = isEnergy || name === "core frequency";
  if (driver !== undefined && isRapl) {
    return { name, state: "driver missing", why: reasonOf(driver), closed: [] };
  }
  if (name === "GPU energy" && /\b0 GPUs/.test(found.domains)) {
    return { name, state: "not available", why: "no GPU", closed: [] };
  }
  const own = sources.find(({ reader, state }) => {
    return (reader === "MSR" || reader === "POWERCAP") && state !== "readable";
  });
  const why = own !== undefined && isRapl ? reasonOf(own) : lacks;
  return { name, state: "not available", why, closed: [] };
}

/** Does a container hide a source that the machine has? */
function isHidden({ state, summary, remedy }: SourceRow): boolean {
  return state === "absent" && remedy !== undefined && /\bcontainer\b/.test(summary);
}

/** Would loading a module bring the source, and is its file there? */
function isLoadable({ modules = [] }: Diagnosis, { remedy = "" }: SourceRow): boolean {
  const [, module] = /^modprobe (\S+)/.exec(remedy) ?? [];
  return module !== undefined && modules.includes(module);
}

/** Why a virtual machine has no such quantity. */
function virtualWhy(name: string): string {
  if (name === "package energy" || name === "memory energy") {
    return "no RAPL in this virtual machine";
  }
  if (name === "core frequency") {
    return "no cycle counters or cpufreq driver (usual in virtual machines)";
  }
  if (name === "GPU energy") return "no GPU";
  return "no Cray pm_counters, IPMI, hwmon power or RAPL psys";
}

function reasonOf(source: SourceRow | undefined): string {
  return source?.summary.split("; ")[0] ?? "closed";
}

/** The answer: a line, and what it means. */
export function answerLines(found: Diagnosis, rows: readonly QuantityRow[]): string[] {
  const energies = rows.slice(0, ENERGIES);
  const of = (state: QuantityState) => energies.filter((row) => row.state === state);
  const short = ({ name }: QuantityRow) => name.replace(/ energy$/, "");
  const works = [...of("works").map(short), ...of("in part").map((row) => `${short(row)} in part`)];
  const closed = of("no permission").length, drivers = of("driver missing").length;
  const where = found.root === "" ? "here" : `in the tree ${found.root}`;
  if (works.length > 0) {
    const more = closed > 0
      ? `; ${closed} of ${ENERGIES} energies need permission`
      : drivers > 0
      ? `; ${drivers} of ${ENERGIES} energies need a driver`
      : "";
    return [`Energy can be measured ${where}: ${works.join(", ")}${more}.`];
  }
  if (closed > 0) {
    const exist = isVirtual(found)
      ? "This virtual machine shows energy counters, which its host may not serve. You"
      : "Energy counters exist, but you";
    return [`${exist} may not read them: ${closed} of ${ENERGIES} energies need permission.`];
  }
  if (of("hidden").length > 0) return ["Energy counters exist, but a container hides them."];
  if (drivers > 0) return ["Energy counters exist, but a kernel driver is missing."];
  const why = isVirtual(found)
    ? "this is a virtual machine without energy counters"
    : of("no change").length > 0
    ? "its counters do not change"
    : of("unsupported model").length > 0
    ? "this model has no energy registers, and there is no other meter"
    : "this node has no energy counter that joulemark can read";
  return [
    `No energy can be measured ${where}: ${why}.`,
    "  Times, CPU use and regions work." +
    (isVirtual(found) ? " To measure energy, run on the host." : ""),
    "  To try joulemark: joulemark demo, or joulemark run --simulate -- ./app",
  ];
}

/** Does a remedy open every file of the node? */
function isNeverOffered({ lines }: Remedy): boolean {
  return lines.some((line) => line.includes("cap_dac_read_search"));
}

/** Remedies that make a value available, in order of their risk. */
export function gainsOf(found: Diagnosis, rows: readonly QuantityRow[]): Gain[] {
  const gains = found.sources.flatMap(({ reader, mends }): Gain[] => {
    const quantities = rows.filter(({ closed }) => closed.includes(reader)).map(({ name }) => name);
    if (quantities.length === 0) return [];
    return mends.filter((remedy) => !isNeverOffered(remedy))
      .map((remedy) => ({ reader, remedy, quantities }));
  });
  return gains.sort((a, b) => RISKS.indexOf(a.remedy.risk) - RISKS.indexOf(b.remedy.risk));
}

/** Lines that load a driver, or show what a container hides, with the quantities that they make available. */
export function driversOf(
  found: Diagnosis,
  rows: readonly QuantityRow[],
): { line: string; how: string; quantities: string[] }[] {
  const fixes = (of: QuantityState, how: string, brings: (source: SourceRow) => boolean) => {
    const quantities = rows.filter(({ state }) => state === of).map(({ name }) => name);
    if (quantities.length === 0) return [];
    const lines = found.sources.flatMap((one) => brings(one) ? [one.remedy!] : []);
    return [...new Set(lines)].map((line) => ({ line, how, quantities }));
  };
  return [
    ...fixes("hidden", "show the counters to the container", isHidden),
    ...fixes("driver missing", "load a driver", (one) => isLoadable(found, one)),
  ];
}
