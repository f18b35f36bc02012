/**
 * Containment of energies: the facts that keep a joule from being counted twice.
 *
 * The energy of a whole already includes that of its parts. Node power of pm_counters holds CPU,
 * memory and accelerators (HPE Cray, pm_counters); a package holds its power planes (Intel SDM
 * volume 3B, 15.10); a Grace socket holds its rails, a module holds the socket (Grace tuning
 * guide).
 * @module
 */

/** A figure and the one that has it in it. Patterns stand for names with a number in them. */
const PARTS: readonly (readonly [part: RegExp, whole: string])[] = [
  [/^CNL::BOARD_(ENERGY|POWER)_CPU$/, "CNL::BOARD_$1"],
  [/^CNL::MEMORY_(ENERGY|POWER)$/, "CNL::BOARD_$1"],
  [/^CNL::ACCEL\d*_(ENERGY|POWER)$/, "CNL::BOARD_$1"],
  [/^CNL::(?:PACKAGE|DRAM|GPU)_(ENERGY|POWER)$/, "CNL::BOARD_$1"],
  [/^MSR::(?:PP[01]|CORE)_ENERGY_STATUS:ENERGY$/, "MSR::PKG_ENERGY_STATUS:ENERGY"],
  [/^MSR::(?:PKG|DRAM)_ENERGY_STATUS:ENERGY$/, "MSR::PLATFORM_ENERGY_STATUS:ENERGY"],
  [/^POWERCAP::(?:CORE|UNCORE)_ENERGY_CONSUMED$/, "POWERCAP::CPU_ENERGY_CONSUMED"],
  [/^POWERCAP::(?:CPU|DRAM)_ENERGY_CONSUMED$/, "POWERCAP::PSYS_ENERGY_CONSUMED"],
  [/^PERF::ENERGY_(?:CORES|GPU)$/, "PERF::ENERGY_PKG"],
  [/^PERF::ENERGY_(?:PKG|RAM)$/, "PERF::ENERGY_PSYS"],
  [/^HWMON::AMD_CORE_ENERGY$/, "HWMON::AMD_SOCKET_ENERGY"],
  [/^(HWMON|INTEGRAL)::GRACE_(?:CPU|SYSIO)_POWER$/, "$1::GRACE_POWER"],
  [/^(HWMON|INTEGRAL)::GRACE_POWER$/, "$1::GRACE_MODULE_POWER"],
  [/^NVML::GPU_POWER(?:_INSTANT)?$/, "NVML::GPU_MODULE_POWER"],
  [/^(?:CPU|DRAM|GPU)_(ENERGY|POWER)$/, "BOARD_$1"],
  [/^BOARD_(ENERGY|POWER)_REST$/, "BOARD_$1"],
  [/^PP[01]_ENERGY$/, "CPU_ENERGY"],
];

/** Names of the next larger figures that include this one; empty if none does. */
export function wholesOf(name: string): string[] {
  return PARTS.flatMap(([part, whole]) => {
    const match = part.exec(name);
    return match === null ? [] : [whole.replace("$1", match[1] ?? "")];
  });
}

/** A figure in the tree; its depth is the number of figures that hold it. */
export interface TreeEntry {
  readonly name: string;
  readonly depth: number;
}

/** Relation between portable names and values of different sources. */
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
