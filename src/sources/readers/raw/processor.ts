/**
 * Processor of a node and places of its logical CPUs, which decide the available types of counters.
 *
 * From CPUID, as the monitors of hpcperfstats do it: leaf 0 vendor, leaf 1 family and model, leaf
 * 0AH number of counters, leaf 0BH place of each CPU (Intel SDM vol. 2A, CPUID); without a CPUID
 * device from /proc/cpuinfo and sysfs.
 * @module
 */
import type { Host } from "../../../core/machine/host.ts";
import { familyAndModel, vendorText } from "../processor.ts";

/** Place of a logical CPU. */
export interface RawPlace {
  readonly cpu: number;
  readonly package: number;
  /** Number within its package. */
  readonly core: number;
  readonly thread: number;
}

/** The processor of a node. */
export interface RawProcessor {
  readonly vendor: "intel" | "amd" | "other";
  readonly family: number;
  readonly model: number;
  /** General counters per logical CPU; 0 if unknown. */
  readonly counters: number;
  /** Online CPUs, ascending. */
  readonly places: readonly RawPlace[];
  /** First CPU of each package, by package number. */
  readonly leaders: ReadonlyMap<number, number>;
}

/** Files that identification reads, for `needs`. */
export const PROCESSOR_FILES: readonly string[] = [
  "/proc/cpuinfo",
  "/dev/cpu/",
  "/sys/devices/system/cpu",
];

const VENDORS = { GenuineIntel: "intel", AuthenticAMD: "amd" } as const;

/** Identifies the node's processor. */
export function identifyProcessor(host: Host): RawProcessor {
  const places = placesOf(host);
  const leaders = new Map<number, number>();
  for (const place of places) {
    if (place.core === 0 && place.thread === 0) leaders.set(place.package, place.cpu);
  }
  // A package whose core 0 is offline is read on its first CPU.
  for (const place of places) {
    if (!leaders.has(place.package)) leaders.set(place.package, place.cpu);
  }
  const ordered = new Map([...leaders].sort(([a], [b]) => a - b));
  return { ...identity(host), places, leaders: ordered };
}

function identity(host: Host): Omit<RawProcessor, "places" | "leaders"> {
  const first = (host.readText("/proc/cpuinfo") ?? "").split("\n\n")[0];
  const field = (name: string) => new RegExp(`^${name}\\s*:\\s*(.*)$`, "m").exec(first)?.[1] ?? "";
  const vendorName = vendorText(host) || field("vendor_id");
  const vendor = VENDORS[vendorName as keyof typeof VENDORS] ?? "other";
  const [one, ten] = [host.cpuid(0, 1), host.cpuid(0, 10)];
  const counters = ten === undefined ? 0 : (ten[0] >>> 8) & 0xff;
  if (one !== undefined) return { vendor, ...familyAndModel(one), counters };
  const number = (name: string) => Number(field(name) || NaN);
  return { vendor, family: number("cpu family"), model: number("model"), counters };
}

function placesOf(host: Host): RawPlace[] {
  const places: RawPlace[] = [];
  const coreOf = new Map<string, number>();
  const seen = new Map<string, number>();
  host.topology.places.forEach((place, cpu) => {
    if (place === null) return;
    const [smt, core] = [host.cpuid(cpu, 11, 0), host.cpuid(cpu, 11, 1)];
    if (smt !== undefined && core !== undefined && core[1] > 0) {
      const id = smt[3];
      const [smtShift, coreShift] = [smt[0] & 31, core[0] & 31];
      places.push({
        cpu,
        package: id >>> coreShift,
        core: (id & ((1 << coreShift) - 1)) >>> smtShift,
        thread: id & ((1 << smtShift) - 1),
      });
      return;
    }
    // Cores are counted over the node there: number them again from 0 in each package.
    const key = `${place.package}/${place.core}`;
    if (!coreOf.has(key)) {
      const count = seen.get(`${place.package}`) ?? 0;
      coreOf.set(key, count);
      seen.set(`${place.package}`, count + 1);
    }
    const thread = seen.get(key) ?? 0;
    seen.set(key, thread + 1);
    places.push({ cpu, package: place.package, core: coreOf.get(key)!, thread });
  });
  return places;
}
