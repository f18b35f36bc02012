/**
 * Description of a simulated node: size, power, counters, noise. As JSON, or one of three presets.
 *
 * @module
 */
import { FormatError } from "../../core/errors.ts";
import { isMapping } from "../../core/report.ts";

/** Power of a region on one CPU, above the node's idle power. */
export interface RegionPower {
  /** From the package's supply. */
  readonly watts: number;
  /** From the memory's. */
  readonly dramWatts?: number;
  /** Share of the time that the CPU is not halted. */
  readonly busy?: number;
  readonly hz?: number;
}

/** The description of a simulated node. Powers are of one package unless stated otherwise. */
export interface SimSpec {
  /** Set of counters: `rapl` (MSR and powercap), `cray` (pm_counters), `both`. */
  readonly preset: "rapl" | "cray" | "both";
  readonly hostname: string;
  readonly seed: number;
  readonly packages: number;
  readonly coresPerPackage: number;
  readonly threadsPerCore: number;
  readonly idleW: number;
  /** Power above idle with all CPUs in the region that draws most, W. */
  readonly dynamicW: number;
  readonly dramIdleW: number;
  readonly dramDynamicW: number;
  /** Everything on the board that is neither package nor memory; of the node. */
  readonly boardW: number;
  /** By name; a number is watts of one CPU. Others are made up from their hint and name. */
  readonly regions: Readonly<Record<string, number | RegionPower>>;
  /** Power of one CPU outside all regions of its process. */
  readonly unmarkedW?: number;
  /** First-order time constant of a CPU's power, seconds; 0: steps. */
  readonly rampS: number;
  /** Standard deviation of the package's power as a share, and how long it remembers. */
  readonly noise: number;
  readonly noiseMemoryS: number;
  /** Standard deviation between visits of one region, as a share. */
  readonly visitNoise: number;
  /** Slow swing of the packages' power as a share, and its period. */
  readonly drift: number;
  readonly driftPeriodS: number;
  /** Update period of a RAPL register, s. */
  readonly raplPeriodS: number;
  /** Age of what it then shows; seeded in 0–0.6 ms when left out. */
  readonly raplLagS?: number;
  readonly pmHz: number;
  /** Seeded in 0–6 ms when left out. */
  readonly pmLagS?: number;
  /** Do pm_counters carry the time of the sample? */
  readonly stamps: boolean;
  /** Does a platform counter exist? */
  readonly psys: boolean;
  /** First values of the RAPL counters, J; seeded when left out. */
  readonly startJ?: number;
  readonly baseHz: number;
  /** Marks drive the power, and nobody but this node sees them. */
  readonly blind?: boolean;
  /** The file that gets the exact energies at the end of a run. */
  readonly truth?: string;
}

/** A node with these counters and about this many CPUs. */
export function presetSpec(preset: SimSpec["preset"], cpus = 8): SimSpec {
  const packages = cpus >= 2 ? 2 : 1;
  return {
    preset,
    hostname: "simulated",
    seed: 1,
    packages,
    coresPerPackage: Math.max(1, Math.ceil(cpus / packages)),
    threadsPerCore: 1,
    idleW: 45,
    dynamicW: 160,
    dramIdleW: 6,
    dramDynamicW: 24,
    boardW: 60,
    regions: {},
    rampS: 0.0002,
    noise: 0.03,
    noiseMemoryS: 0.05,
    visitNoise: 0.02,
    drift: 0,
    driftPeriodS: 60,
    // Near the 0.98 ms of Intel processors, in step with no whole ms; 102 of them are 0.1 s.
    raplPeriodS: 0.1 / 102,
    pmHz: 10,
    stamps: true,
    psys: false,
    baseHz: 2.4e9,
  };
}

/** Minimum and maximum of each number. */
const RANGES: Readonly<Record<string, readonly [number, number]>> = {
  seed: [0, Number.MAX_SAFE_INTEGER],
  packages: [1, 64],
  coresPerPackage: [1, 1024],
  threadsPerCore: [1, 8],
  idleW: [0, 1e4],
  dynamicW: [0, 1e4],
  dramIdleW: [0, 1e4],
  dramDynamicW: [0, 1e4],
  boardW: [0, 1e5],
  unmarkedW: [0, 1e4],
  rampS: [0, 1],
  noise: [0, 0.2],
  noiseMemoryS: [0.001, 1000],
  visitNoise: [0, 0.2],
  drift: [0, 0.5],
  driftPeriodS: [0.01, 1e6],
  raplPeriodS: [0.0001, 0.1],
  raplLagS: [0, 0.1],
  pmHz: [0.1, 1000],
  pmLagS: [0, 1],
  startJ: [0, 1e12],
  baseHz: [1e8, 9.9e9],
};
const WHOLE = ["seed", "packages", "coresPerPackage", "threadsPerCore"];

/**
 * A description read from JSON: any field of {@linkcode SimSpec}, the rest from the preset.
 *
 * @param cpus CPUs of the node if the description has none.
 * @throws {FormatError} On an unknown field or a value that cannot be.
 */
export function parseSimSpec(data: unknown, path: string, cpus?: number): SimSpec {
  const wrong = (expected: string, found: unknown) =>
    new FormatError(path, 0, {
      action: "read the simulated node",
      expected,
      found: (JSON.stringify(found) ?? "nothing").slice(0, 80),
    });
  if (!isMapping<unknown>(data)) throw wrong("an object", data);
  const preset = data.preset ?? "rapl";
  if (preset !== "rapl" && preset !== "cray" && preset !== "both") {
    throw wrong('preset "rapl", "cray" or "both"', preset);
  }
  const spec: Record<string, unknown> = { ...presetSpec(preset, cpus) };
  for (const [name, value] of Object.entries(data)) {
    if (name === "preset") continue;
    if (name === "regions") {
      if (!isMapping<unknown>(value)) throw wrong("regions by name", value);
      for (const [region, power] of Object.entries(value)) {
        if (!isPower(power)) throw wrong(`watts for region ${JSON.stringify(region)}`, power);
      }
    } else if (name === "hostname") {
      if (typeof value !== "string" || !/^[\w.-]{1,64}$/.test(value)) {
        throw wrong("a host name", value);
      }
    } else if (name === "truth") {
      if (typeof value !== "string" || value === "") {
        throw wrong("truth: the name of a file", value);
      }
    } else if (name === "stamps" || name === "psys" || name === "blind") {
      if (typeof value !== "boolean") throw wrong(`${name}: true or false`, value);
    } else {
      const range = Object.hasOwn(RANGES, name) ? RANGES[name] : undefined;
      if (range === undefined) throw wrong("a known field", name);
      const whole = WHOLE.includes(name);
      if (
        typeof value !== "number" || !(value >= range[0] && value <= range[1]) ||
        (whole && !Number.isInteger(value))
      ) {
        throw wrong(`${name}: a${whole ? " whole" : ""} number in ${range.join("…")}`, value);
      }
    }
    spec[name] = value;
  }
  return spec as unknown as SimSpec;
}

function isPower(data: unknown): boolean {
  const sane = (n: unknown, most: number) => typeof n === "number" && n >= 0 && n <= most;
  if (!isMapping<unknown>(data)) return sane(data, 1e4);
  const known = ["watts", "dramWatts", "busy", "hz"];
  return Object.keys(data).every((k) => known.includes(k)) && sane(data.watts, 1e4) &&
    sane(data.dramWatts ?? 0, 1e4) && sane(data.busy ?? 0, 1) && sane(data.hz ?? 0, 9.9e9);
}

/** The most that a package is meant to draw, W: its named regions may draw more than the rest. */
export function designW(spec: SimSpec): number {
  const cpus = spec.coresPerPackage * spec.threadsPerCore;
  const named = Object.values(spec.regions).map((r) => typeof r === "number" ? r : r.watts ?? 0);
  return spec.idleW + Math.max(spec.dynamicW, cpus * Math.max(0, ...named));
}
