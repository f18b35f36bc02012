/**
 * Node energy and power from /sys/cray/pm_counters: one small text file per counter, published by
 * the node's controller about ten times a second.
 *
 * Truth: HPE Cray "pm_counters" (S-0043), the CNL group of geopm_pio_cnl(7). A line is `NUMBER UNIT`
 * (`286 W`), on later systems with the time of the sample behind it (`71 W 1700061089722572 us`).
 * Which files there are differs from blade to blade: they are found by listing.
 * Node power holds CPU, memory and accelerators already: they are never added to it.
 * @module
 */
import type { Host, Reader } from "../../core/machine/host.ts";
import { NumberScanner, SCAN } from "../../core/parse_number.ts";
import type { Absence, Offer, SignalRow } from "../../core/signal.ts";
import { absent, lookAt } from "./offers.ts";
import { CrayReading, type CrayRow } from "./readings/cray.ts";

const DIR = "/sys/cray/pm_counters";
/** Rate of systems that do not report theirs. */
const DEFAULT_HZ = 10;
/** Most accelerator modules on a blade that the rows provide for. */
const ACCELERATORS = 8;

/** Row of this reader, and its file names. */
interface CrayFile {
  readonly row: SignalRow;
  /** Names of its file at an instance, the best first. */
  readonly file: (instance: number) => readonly string[];
  readonly unit: "W" | "J" | "C" | undefined;
  readonly what: "value" | "stamp" | "elapsed";
  /** The file of a node that has one package, or one GPU; of more, each has a file of its own. */
  readonly single?: string;
}

const STAMP = { unit: "s", behavior: "monotone", agg: "max" } as const;

const FILES: readonly CrayFile[] = [
  energy("BOARD_ENERGY", "energy", "Energy of the node: CPU, memory, accelerators, board"),
  power("BOARD_POWER", "power", "Power of the node: CPU, memory, accelerators, board"),
  energy("MEMORY_ENERGY", "memory_energy", "Energy of the memory, a part of the node"),
  power("MEMORY_POWER", "memory_power", "Power of the memory, a part of the node"),
  energy("BOARD_ENERGY_CPU", "cpu_energy", "Energy of the processors, a part of the node"),
  power("BOARD_POWER_CPU", "cpu_power", "Power of the processors, a part of the node"),
  on("package", energy("PACKAGE_ENERGY", "cpu_energy", "Energy of the package"), "cpuN_energy"),
  on("package", power("PACKAGE_POWER", "cpu_power", "Power of the package"), "cpuN_power"),
  on("package", energy("DRAM_ENERGY", "memory_energy", "Energy of the package's memory")),
  on("package", power("DRAM_POWER", "memory_power", "Power of the package's memory")),
  on("gpu", energy("GPU_ENERGY", "accel_energy", "Energy of the GPU's module"), "accelN_energy"),
  on("gpu", power("GPU_POWER", "accel_power", "Power of the GPU's module"), "accelN_power"),
  power("POWER_CAP", "power_cap", "Power cap of the node; 0: none"),
  ...["ACCEL", ...Array.from({ length: ACCELERATORS }, (_, n) => `ACCEL${n}`)].flatMap((accel) => {
    const file = accel.toLowerCase();
    const which = accel === "ACCEL" ? "the accelerator" : `accelerator module ${accel.slice(5)}`;
    return [
      energy(`${accel}_ENERGY`, `${file}_energy`, `Energy of ${which}, a part of the node`),
      power(`${accel}_POWER`, `${file}_power`, `Power of ${which}, a part of the node`),
      power(`${accel}_POWER_CAP`, `${file}_power_cap`, `Power cap of ${which}; 0: none`),
    ];
  }),
  entry("CPU_TEMPERATURE", "cpuN_temp", {
    domain: "package",
    unit: "°C",
    agg: "average",
    about: "Temperature of the package",
  }, { file: (i) => i === 0 ? ["cpu0_temp", "cpu_temp"] : [`cpu${i}_temp`], unit: "C" }),
  bare(
    "FRESHNESS",
    "freshness",
    "Number of updates of the files since the controller started",
    "monotone",
  ),
  bare("GENERATION", "generation", "Number of changes of a power cap", "label"),
  entry("STARTUP", "startup", {
    behavior: "label",
    agg: "expect_same",
    format: "integer",
    unit: "cycles",
    about: "Start time of the controller, in cycles of its clock. If this value changes, the " +
      "controller has restarted",
  }),
  bare("VERSION", "version", "Version of the files' layout", "label"),
  entry("SAMPLE_RATE", "raw_scan_hz", {
    behavior: "constant",
    agg: "expect_same",
    about: "Rate of the controller's sensors, in hertz; 10 if it does not report a rate",
  }),
  entry("SAMPLE_ELAPSED_TIME", "freshness", {
    ...STAMP,
    about: "Time since the first reading, counted in updates",
    source: "freshness, raw_scan_hz",
  }, { what: "elapsed" }),
  entry("SAMPLE_STAMP", "energy", {
    ...STAMP,
    about: "Time when the controller measured the energy of the node, since 1970",
  }, { unit: "J", what: "stamp" }),
];

/** The reader of pm_counters. */
export const cray: Reader = {
  name: "CNL",
  about:
    "The pm_counters of HPE Cray nodes: power and energy of node, processors, memory and GPUs.",
  needs: { files: [`${DIR}/`], libraries: [], capabilities: [] },
  signals: FILES.map((entry) => entry.row),
  probe,
  open(host, wanted) {
    const present = new Set(host.list(DIR));
    const rows = wanted.map((signal): CrayRow => {
      const entry = FILES.find((f) => f.row.name === signal.row.name)!;
      const files = Array.from({ length: host.topology.count(entry.row.domain) }, (_, i) => {
        const name = namesOf(host, entry, i).find((n) => present.has(n));
        return name === undefined ? undefined : `${DIR}/${name}`;
      });
      return {
        name: entry.row.name,
        files,
        unit: entry.unit,
        what: entry.what,
        counter: entry.unit === "J" && entry.what === "value",
        rateHz: rate(host),
      };
    });
    return new CrayReading(host, DIR, rows);
  },
};

/** @param file Its name; the row's source, unless the row has one. */
function entry(
  name: string,
  file: string,
  row: Partial<SignalRow> & { about: string },
  more: Partial<CrayFile> = {},
): CrayFile {
  const base = { domain: "board", unit: "", behavior: "variable", agg: "sum" } as const;
  return {
    row: { ...base, ...row, name: `CNL::${name}`, source: `${DIR}/${row.source ?? file}` },
    file: () => [file],
    unit: undefined,
    what: "value",
    ...more,
  };
}

function energy(name: string, file: string, about: string): CrayFile {
  return entry(name, file, { unit: "J", behavior: "monotone", about }, { unit: "J" });
}

function power(name: string, file: string, about: string): CrayFile {
  return entry(name, file, { unit: "W", about }, { unit: "W" });
}

function bare(
  name: string,
  file: string,
  about: string,
  behavior: SignalRow["behavior"] = "label",
): CrayFile {
  return entry(name, file, { behavior, agg: "expect_same", format: "integer", about });
}

/**
 * A row of packages or GPUs.
 *
 * @param numbered Name of the file of each, N its number. @default there is none
 */
function on(domain: "package" | "gpu", entry: CrayFile, numbered?: string): CrayFile {
  const [single] = entry.file(0);
  const names = numbered === undefined ? single : `${single}, ${DIR}/${numbered}`;
  return {
    ...entry,
    row: { ...entry.row, domain, source: `${DIR}/${names}` },
    file: (i) => numbered === undefined ? [] : [numbered.replace("N", `${i}`)],
    single,
  };
}

/** Names of the file of a row at an instance, the best first. */
function namesOf(host: Host, { row, file, single }: CrayFile, instance: number): readonly string[] {
  const isOne = single !== undefined && host.topology.count(row.domain) === 1;
  return isOne ? [single, ...file(instance)] : file(instance);
}

function rate(host: Host): number {
  const hz = Number((host.readText(`${DIR}/raw_scan_hz`) ?? "").trim().split(/\s+/)[0]);
  return hz > 0 && Number.isFinite(hz) ? hz : DEFAULT_HZ;
}

function probe(host: Host): Offer {
  const present = new Set(host.list(DIR));
  if (present.size === 0) return absent(`no ${DIR}: not a Cray node with liquid cooling`);
  const periodS = 1 / rate(host);
  const found = lookAt(cray.signals, (_row, i) => {
    const { unit, what } = FILES[i];
    const source = look(host, FILES[i], present);
    if (typeof source !== "string") return source;
    const counted = unit !== undefined;
    return {
      source,
      updatePeriodS: counted ? periodS : undefined,
      resolution: counted && what === "value" ? 1 : undefined,
    };
  });
  if (found.signals.length === 0) {
    return { ok: false, kind: "unusable", reason: `no file of ${DIR} has valid content` };
  }
  return found;
}

/** Why the files of packages or GPUs do not belong to those of this node; `undefined`: they do. */
function unplaced(host: Host, entry: CrayFile, present: ReadonlySet<string>): string | undefined {
  const { row: { domain }, single } = entry;
  const count = host.topology.count(domain);
  if (count === 0) return `this node has no ${domain}`;
  const files = Array.from({ length: count }, (_, i) => {
    return namesOf(host, entry, i).some((name) => present.has(name));
  }).filter((has) => has).length;
  if (files === count) return undefined;
  if (files > 0) return `${DIR} has files of ${files} of ${count} ${domain}s`;
  return present.has(single!)
    ? `${DIR}/${single} is the sum of ${count} ${domain}s, and none has a file of its own`
    : `no ${DIR}/${single}`;
}

/** Path of the file, or why it is not used. */
function look(host: Host, entry: CrayFile, present: ReadonlySet<string>): string | Absence {
  const lack = entry.single === undefined ? undefined : unplaced(host, entry, present);
  if (lack !== undefined) return { kind: "absent", reason: lack };
  const names = namesOf(host, entry, 0);
  const name = names.find((n) => present.has(n));
  if (name === undefined) {
    const assumed = entry.row.name === "CNL::SAMPLE_RATE" ? "; 10 Hz is assumed" : "";
    return { kind: "absent", reason: `no ${DIR}/${names[0]}${assumed}` };
  }
  const path = `${DIR}/${name}`;
  const text = host.readText(path);
  if (text === undefined) {
    const access = host.probe(path);
    return access.ok ? { kind: "unusable", reason: `${path} cannot be read` } : access;
  }
  const bytes = new TextEncoder().encode(text);
  const scanner = new NumberScanner();
  // An empty file may be one that is being written: it is offered, and NaN until it holds a value.
  const scan = scanner.quantity(bytes, bytes.length, entry.unit);
  if (scan !== SCAN.OK && scan !== SCAN.EMPTY) {
    const wanted = entry.unit === undefined ? "a number" : `a number in ${entry.unit}`;
    return { kind: "unusable", reason: `${path} does not contain ${wanted}` };
  }
  if (entry.what === "stamp" && scanner.stamp(bytes, bytes.length) !== SCAN.OK) {
    return { kind: "absent", reason: "the files of this system have no time stamps" };
  }
  return path;
}
