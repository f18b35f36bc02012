/**
 * RAPL as Linux shows it in /sys/class/powercap: zones with energy, range and power limits.
 *
 * Truth: Documentation/power/powercap/powercap.rst, drivers/powercap/intel_rapl_common.c. Zones are
 * distinguished by `name`, never by number. Sub-zones are nested below their package and once more
 * as links beside it: only the nested ones are walked. `intel-rapl-mmio` is the same counter by
 * another way and never counted.
 * @module
 */
import { openForJob, type Remedy } from "../../core/remedy.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Absence, Offer, SignalRow } from "../../core/signal.ts";
import { type Found, lookAt, offerOrLack } from "./offers.ts";
import { counterOfDie, cpusOfCounters } from "./package_counters.ts";
import { boundW, FALLBACK_W } from "./readings/power_bound.ts";
import { identify, unsupportedModel } from "./processor.ts";
import { energyCounter, TextReading, type TextSource } from "./readings/text.ts";

const DIR = "/sys/class/powercap";
const MICRO = 1e-6;
/** Truncated unit of the driver, in nJ, by the range that it publishes. */
const TRUNCATED: Record<string, string> = {
  "262143328850": "the driver's unit is cut to 61035 nJ: 2.6 ppm below the register's",
  "65532610987": "the driver's unit is cut to 15258 nJ: 52 ppm below the register's",
  "65712999613": "the driver's unit is 15300 nJ: 0.27 % above 2^−16 J",
};
const WRAP = "the counter starts at 0 again at max_energy_range_uj: after some minutes to an " +
  "hour at full power. joulemark corrects this";

const PARTS = [
  ["CPU", "package", "the package: cores, caches, memory controllers"],
  ["DRAM", "package", "the memory of the package"],
  ["CORE", "package", "the cores, a part of the package"],
  ["UNCORE", "package", "the integrated graphics, a part of the package"],
  ["PSYS", "board", "the platform (the whole node), as the power supply reports it"],
] as const;
type Part = typeof PARTS[number][0];

type Limit = Pick<SignalRow, "agg" | "unit" | "behavior" | "about"> & { readonly file: string };

const WATTS = { agg: "sum", unit: "W", behavior: "variable" } as const;
const WINDOW = { agg: "expect_same", unit: "s", behavior: "variable" } as const;

/** Signals of a zone other than its energy. */
const LIMITS: Readonly<Record<string, Limit>> = {
  POWER_LIMIT: { ...WATTS, file: "constraint_0_power_limit_uw", about: "Long-term power limit" },
  TIME_WINDOW: {
    ...WINDOW,
    file: "constraint_0_time_window_us",
    about: "Averaging time of the long-term power limit",
  },
  CONSTRAINT_0_MAX_POWER: {
    ...WATTS,
    behavior: "constant",
    file: "constraint_0_max_power_uw",
    about: "Thermal design power: the highest long-term power limit",
  },
  CONSTRAINT_1_POWER_LIMIT: {
    ...WATTS,
    file: "constraint_1_power_limit_uw",
    about: "Short-term power limit",
  },
  CONSTRAINT_1_TIME_WINDOW: {
    ...WINDOW,
    file: "constraint_1_time_window_us",
    about: "Averaging time of the short-term power limit",
  },
  CONSTRAINT_1_MAX_POWER: {
    ...WATTS,
    behavior: "constant",
    file: "constraint_1_max_power_uw",
    about: "Highest short-term power limit",
  },
  MAX_ENERGY_RANGE: {
    agg: "expect_same",
    unit: "J",
    behavior: "constant",
    file: "max_energy_range_uj",
    about: "Wrap value of the energy counter",
  },
};

const LIMIT_FILE = /^constraint_\d_(max_power|power_limit)_uw$/;

/** Parts with limits, and their names. */
const LIMITED: Readonly<Partial<Record<Part, string>>> = {
  CPU: "package",
  DRAM: "memory",
  PSYS: "platform",
};

/** The class lists zones and sub-zones side by side, so that one pattern finds all of them. */
const ENERGY_FILES = "/sys/class/powercap/*-rapl:*/energy_uj";

const REMEDIES: readonly Remedy[] = [
  openForJob(ENERGY_FILES),
  {
    risk: "high",
    opens: "everyone who may run this executable can read every file of the node",
    lines: ["setcap cap_dac_read_search=ep ./joulemark"],
  },
  {
    risk: "high",
    opens:
      "every local user can read the files, which can reveal data of other users (CVE-2020-8694)",
    lines: [`chmod a+r ${ENERGY_FILES}`],
  },
];

/** The reader of powercap zones. */
export const powercap: Reader = {
  name: "POWERCAP",
  about:
    "Energy counters (RAPL) and power limits of the processors. The values come from the kernel interface powercap.",
  remedies: REMEDIES,
  needs: {
    files: [`${DIR}/`, "/sys/devices/system/cpu/", "/proc/cpuinfo", "/dev/cpu/", "/sys/module/"],
    libraries: [],
    capabilities: ["CAP_DAC_READ_SEARCH"],
  },
  signals: PARTS.flatMap(([part, domain, what]) => rows(part, domain, what)),
  probe,
  open(host, wanted) {
    const zones = walk(host);
    return new TextReading(host, wanted, (row) => sourcesOf(host, zones, row));
  },
};

function rows(part: Part, domain: "package" | "board", what: string): SignalRow[] {
  const energy: SignalRow = {
    name: `POWERCAP::${part}_ENERGY_CONSUMED`,
    domain,
    unit: "J",
    behavior: "monotone",
    agg: "sum",
    about: `Energy of ${what}`,
    source: `${DIR}/*/energy_uj`,
    quirks: WRAP,
  };
  const limited = LIMITED[part];
  if (limited === undefined) return [energy];
  const limits = Object.entries(LIMITS).map(([name, { file, ...limit }]) => ({
    name: `POWERCAP::${part}_${name}`,
    domain,
    ...limit,
    about: `${limit.about} of the ${limited}`,
    source: `${DIR}/*/${file}`,
  }));
  return [energy, ...limits];
}

/** A zone that counts. */
interface Zone {
  readonly path: string;
  readonly part: Part;
  /** Index of the package, 0 for the platform. */
  readonly instance: number;
  /** Name of its counter: zones of one counter show the same energy. */
  readonly counter: string;
}

function walk(host: Host): Zone[] {
  const zones: Zone[] = [];
  const names = host.list(DIR);
  for (const name of names) {
    if (!/^(intel|amd)-rapl:\d+$/.test(name)) continue;
    const path = `${DIR}/${name}`;
    const zone = zoneOf(host, path);
    if (zone === undefined) continue;
    zones.push(zone);
    // The class lists every zone; a zone lists its own. A copy may have one of both.
    for (const child of new Set([...host.list(path), ...names])) {
      if (!child.startsWith(`${name}:`)) continue;
      const nested = `${path}/${child}`;
      const isNested = host.readText(`${nested}/name`) !== undefined;
      const sub = zoneOf(host, isNested ? nested : `${DIR}/${child}`, zone);
      if (sub !== undefined) zones.push(sub);
    }
  }
  return zones;
}

function zoneOf(host: Host, path: string, parent?: Zone): Zone | undefined {
  const name = host.readText(`${path}/name`)?.trim() ?? "";
  const pkg = /^package-(\d+)(?:-die-(\d+))?$/.exec(name);
  if (pkg !== null) {
    const instance = host.topology.packageOfId(Number(pkg[1]));
    const counter = pkg[2] === undefined
      ? wholeCounter(instance)
      : counterOfDie(host, instance, Number(pkg[2]));
    return instance < 0 ? undefined : { path, part: "CPU", instance, counter };
  }
  // One platform, however many packages show it.
  if (name === "psys" || name === "psys-0") {
    return { path, part: "PSYS", instance: 0, counter: wholeCounter(0) };
  }
  const parts: Record<string, Part> = { dram: "DRAM", core: "CORE", uncore: "UNCORE" };
  const part = parts[name];
  return part === undefined || parent === undefined ? undefined : { ...parent, path, part };
}

/** Name of a counter of all dies of a package. */
function wholeCounter(instance: number): string {
  return `${instance}`;
}

/** Has a die of a package no zone? Then the zones of the others are a part of the package. */
function isPart(host: Host, zones: readonly Zone[], instance: number): boolean {
  const counters = new Set(
    zones.filter((zone) => zone.instance === instance).map(({ counter }) => counter),
  );
  return !counters.has(wholeCounter(instance)) &&
    counters.size < cpusOfCounters(host, instance).length;
}

/** Drivers that make the zones. */
const DRIVERS = ["intel_rapl_msr", "intel_rapl_tpmi"].map((name) => `/sys/module/${name}`);

/** Why there is no zone: hidden in a container, no hardware, no driver. */
function whyNone(host: Host): Omit<Absence, "kind"> & { kind?: "unusable" } {
  const none = `no RAPL zone in ${DIR}`;
  const names = host.list(DIR).filter((name) => /-rapl:\d+$/.test(name));
  if (names.length > 0 && names.every((name) => host.list(`${DIR}/${name}`).length === 0)) {
    return {
      reason:
        `the zones in ${DIR} are broken links: a container hides /sys/devices/virtual/powercap`,
      remedy: "start the container without masked paths " +
        "(docker run --security-opt systempaths=unconfined)",
    };
  }
  const { vendor, hypervisor } = identify(host);
  if (hypervisor) return { reason: `${none}: a virtual machine` };
  if (vendor === "other") return { reason: `${none}: not an Intel or AMD processor` };
  const unsupported = unsupportedModel(identify(host));
  if (unsupported !== undefined) {
    return { kind: "unusable", reason: `unsupported model: ${unsupported}` };
  }
  if (DRIVERS.some((path) => host.list(path).length > 0)) {
    return { reason: `${none}, though the driver is loaded: this processor shows no energy` };
  }
  return { reason: none, remedy: "modprobe intel_rapl_msr (as root)" };
}

function probe(host: Host): Offer {
  const zones = walk(host);
  if (zones.length === 0) return { ok: false, kind: "absent", ...whyNone(host) };
  const isAmd = identify(host).vendor === "amd";
  const found = lookAt(powercap.signals, (row) => {
    if (isAmd && row.name === "POWERCAP::CORE_ENERGY_CONSUMED") {
      // The driver reads the register of the package's first core and no other.
      return { kind: "unusable", reason: "follows one core only on AMD processors" };
    }
    const path = sourcesOf(host, zones, row)[0]?.path;
    if (path === undefined) return { kind: "absent", reason: whyNoZone(zones, row) };
    const access = host.probe(path);
    if (access.ok) return offer(host, row, path);
    const remedy = access.kind === "forbidden" && row.unit === "J"
      ? 'energy is for root since CVE-2020-8694; see "joulemark doctor" for the remedies by risk'
      : access.remedy;
    return { ...access, remedy };
  });
  return offerOrLack(found, "forbidden");
}

function whyNoZone(zones: readonly Zone[], row: SignalRow): string {
  const { part } = namesOf(row);
  return row.agg === "sum" && zones.some((zone) => zone.part === part)
    ? "a die of each package has no zone of that kind"
    : "no zone of that kind";
}

function namesOf({ name }: SignalRow): { part: string; attribute: string } {
  const [, part, attribute] = /^POWERCAP::(CPU|DRAM|CORE|UNCORE|PSYS)_(.*)$/.exec(name)!;
  return { part, attribute };
}

function offer(host: Host, row: SignalRow, source: string): Found {
  if (row.behavior !== "monotone") return { source };
  const range = host.readText(source.replace(/energy_uj$/, "max_energy_range_uj"))?.trim() ?? "";
  return {
    source,
    note: TRUNCATED[range],
    updatePeriodS: 0.001,
    wrapRange: range === "" ? undefined : (Number(range) + 1) * MICRO,
  };
}

function sourcesOf(host: Host, zones: readonly Zone[], row: SignalRow): TextSource[] {
  const { part, attribute } = namesOf(row);
  const file = LIMITS[attribute]?.file ?? "energy_uj";
  const found = zones.filter((zone) => zone.part === part);
  const seen = new Set<string>();
  return found.flatMap(({ path, instance, counter }): TextSource[] => {
    // Counters of a package add up; the other figures are the same for all of them.
    const key = row.agg === "sum" ? counter : `${instance}`;
    if (seen.has(key)) return [];
    seen.add(key);
    if (row.agg === "sum" && isPart(host, found, instance)) return [];
    const full = `${path}/${file}`;
    if (host.readText(`${path}/name`) === undefined) return [];
    if (attribute !== "ENERGY_CONSUMED") {
      return host.readText(full) === undefined && host.probe(full).ok === false &&
          !host.list(path).includes(file)
        ? []
        : [{ path: full, scale: MICRO, instance }];
    }
    const range = Number(host.readText(`${path}/max_energy_range_uj`) ?? NaN) + 1;
    const kind = energyCounter(host, {
      range: range > 1 ? range : Infinity,
      // Cores and graphics may sleep for long; a package does not.
      stallAfterS: part === "CORE" || part === "UNCORE" ? undefined : 2,
    }, mostW(host, path, part));
    return [{ path: full, scale: MICRO, instance, counter: kind }];
  });
}

/** The limits of a memory's zone are often wrong. */
function mostW(host: Host, zone: string, part: string): number {
  const fallbackW = part === "PSYS" ? FALLBACK_W.node : FALLBACK_W.part;
  if (part !== "CPU" && part !== "PSYS") return fallbackW;
  const limits = host.list(zone).filter((name) => LIMIT_FILE.test(name));
  const watts = limits.map((name) => Number(host.readText(`${zone}/${name}`) ?? NaN) * MICRO);
  return boundW(watts, fallbackW);
}
