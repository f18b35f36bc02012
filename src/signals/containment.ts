/**
 * What holds what: the facts that keep a joule from being counted twice.
 *
 * The energy of a whole has that of its parts in it already. Node power of pm_counters holds CPU,
 * memory and accelerators (HPE Cray, pm_counters); a package holds its power planes (Intel SDM volume
 * 3B, 15.10); a Grace socket holds its rails, a module holds the socket (Grace tuning guide).
 * @module
 */

/** A figure and the ones that have it in them. Patterns stand for names with a number in them. */
interface Part {
  readonly part: RegExp;
  readonly wholes: readonly string[];
}

const PARTS: readonly Part[] = [
  { part: /^CNL::BOARD_(ENERGY|POWER)_CPU$/, wholes: ["CNL::BOARD_$1"] },
  { part: /^CNL::MEMORY_(ENERGY|POWER)$/, wholes: ["CNL::BOARD_$1"] },
  { part: /^CNL::ACCEL\d*_(ENERGY|POWER)$/, wholes: ["CNL::BOARD_$1"] },
  { part: /^CNL::(?:PACKAGE|DRAM)_(ENERGY|POWER)$/, wholes: ["CNL::BOARD_$1"] },
  {
    part: /^MSR::(?:PP[01]|CORE)_ENERGY_STATUS:ENERGY$/,
    wholes: ["MSR::PKG_ENERGY_STATUS:ENERGY"],
  },
  {
    part: /^MSR::(?:PKG|DRAM)_ENERGY_STATUS:ENERGY$/,
    wholes: ["MSR::PLATFORM_ENERGY_STATUS:ENERGY"],
  },
  {
    part: /^POWERCAP::(?:CORE|UNCORE)_ENERGY_CONSUMED$/,
    wholes: ["POWERCAP::CPU_ENERGY_CONSUMED"],
  },
  { part: /^POWERCAP::(?:CPU|DRAM)_ENERGY_CONSUMED$/, wholes: ["POWERCAP::PSYS_ENERGY_CONSUMED"] },
  { part: /^PERF::ENERGY_(?:CORES|GPU)$/, wholes: ["PERF::ENERGY_PKG"] },
  { part: /^PERF::ENERGY_(?:PKG|RAM)$/, wholes: ["PERF::ENERGY_PSYS"] },
  { part: /^HWMON::AMD_CORE_ENERGY$/, wholes: ["HWMON::AMD_SOCKET_ENERGY"] },
  {
    part: /^(HWMON|INTEGRAL)::GRACE_(?:CPU|SYSIO)_POWER$/,
    wholes: ["$1::GRACE_POWER"],
  },
  { part: /^(HWMON|INTEGRAL)::GRACE_POWER$/, wholes: ["$1::GRACE_MODULE_POWER"] },
  { part: /^NVML::GPU_POWER(?:_INSTANT)?$/, wholes: ["NVML::GPU_MODULE_POWER"] },
  { part: /^(?:CPU|DRAM|GPU)_(ENERGY|POWER)$/, wholes: ["BOARD_$1"] },
  { part: /^BOARD_(ENERGY|POWER)_REST$/, wholes: ["BOARD_$1"] },
  { part: /^PP[01]_ENERGY$/, wholes: ["CPU_ENERGY"] },
];

/** Names of the next larger figures that include this one; empty where none does. */
export function wholesOf(name: string): string[] {
  return PARTS.flatMap(({ part, wholes }) => {
    const match = part.exec(name);
    return match === null ? [] : wholes.map((whole) => whole.replace("$1", match[1] ?? ""));
  });
}

/** A figure in the tree; its depth is the number of figures that hold it. */
export interface TreeEntry {
  readonly name: string;
  readonly depth: number;
}

/** How portable names tie figures of different sources together. */
export interface PortableNames {
  /** Portable names that a figure could stand for. */
  of(name: string): readonly string[];
  /** The figure that a portable name stands for here. */
  chosen(portable: string): string | undefined;
}

/**
 * Figures in the order of a tree written from top to bottom, each after the one that holds it.
 *
 * @param names Those that are present.
 */
export function containmentTree(names: readonly string[], portable: PortableNames): TreeEntry[] {
  const parent = new Map<string, string>();
  for (const name of names) {
    const wholes = [name, ...portable.of(name)].flatMap(wholesOf)
      .map((whole) => portable.chosen(whole) ?? whole);
    const whole = wholes.find((w) => w !== name && names.includes(w));
    if (whole !== undefined) parent.set(name, whole);
  }
  const entries: TreeEntry[] = [];
  const visit = (name: string, depth: number) => {
    entries.push({ name, depth });
    for (const part of names) if (parent.get(part) === name) visit(part, depth + 1);
  };
  for (const name of names) if (!parent.has(name)) visit(name, 0);
  return entries;
}

/** Would adding the two count some energy twice? */
export function overlaps(one: string, other: string): boolean {
  return one === other || isPartOf(one, other) || isPartOf(other, one);
}

function isPartOf(part: string, whole: string): boolean {
  return wholesOf(part).some((next) => next === whole || isPartOf(next, whole));
}
