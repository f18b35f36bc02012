/**
 * NVIDIA GPUs by NVML: energy, power, limits, clocks, use, memory, temperature, throttling.
 *
 * Truth: "NVML API Reference Guide"; names are GEOPM's (geopm_pio_nvml(7)) where it has one. Energy
 * counts from the loading of the driver, on Volta and later. A GPU's place in our numbering is
 * that of its PCI address among /proc/driver/nvidia/gpus; where the driver shows none, the library is
 * not loaded. With Multi-Instance GPU on, all figures
 * are the whole GPU's: an instance has no power of its own.
 * @module
 */
import { SourceError } from "../core/errors.ts";
import type { Host, Reader } from "../core/machine/host.ts";
import type { Absence, Offer, OfferedSignal, SignalRow } from "../core/signal.ts";
import { nvidiaCount } from "../core/machine/sysfs_topology.ts";
import { NVML, type Nvml, type NvmlDevice, type NvmlQuery } from "../os/devices/nvml.ts";
import { nvmlText, type OpenedNvml } from "../os/devices/nvml.ts";
import { openNvml } from "../os/devices/gpu_libraries.ts";
import { type LibraryItem, LibraryReading } from "./readings/library.ts";

const GPUS = "/proc/driver/nvidia/gpus";
const MILLI = 1e-3;
const MEGA = 1e6;
const PERCENT = 0.01;

interface Figure {
  readonly row: SignalRow;
  readonly query: NvmlQuery;
  readonly scale: number;
}

type Shape = Pick<SignalRow, "unit" | "behavior" | "agg">;

const SUM_W: Shape = { unit: "W", behavior: "variable", agg: "sum" };
const MEAN_HZ: Shape = { unit: "Hz", behavior: "variable", agg: "average" };
const MEAN: Shape = { unit: "", behavior: "variable", agg: "average" };
const CELSIUS: Shape = { unit: "°C", behavior: "variable", agg: "average" };

function figure(
  name: string,
  shape: Shape,
  about: string,
  [query, scale, source, more]: readonly [NvmlQuery, number, string, Partial<SignalRow>?],
): Figure {
  const row = { name: `NVML::${name}`, domain: "gpu", ...shape, about, source, ...more } as const;
  return { row, query, scale };
}

const FIGURES: readonly Figure[] = [
  figure(
    "GPU_ENERGY_CONSUMPTION_TOTAL",
    { unit: "J", behavior: "monotone", agg: "sum" },
    "Energy of the GPU's board since the driver was loaded",
    ["energyMj", MILLI, "nvmlDeviceGetTotalEnergyConsumption", {
      quirks: "renewed every 20 to 100 ms",
    }],
  ),
  figure("GPU_POWER", SUM_W, "Power of the GPU's board", [
    "powerMw",
    MILLI,
    "nvmlDeviceGetPowerUsage",
    { quirks: "a mean over 1 s on most GPUs since Ampere" },
  ]),
  figure("GPU_POWER_INSTANT", SUM_W, "Power of the GPU's board at this moment", [
    "powerInstantMw",
    MILLI,
    "field NVML_FI_DEV_POWER_INSTANT",
  ]),
  figure("GPU_MODULE_POWER", SUM_W, "Power of the module: GPU and the CPU beside it", [
    "modulePowerMw",
    MILLI,
    "field NVML_FI_DEV_POWER_INSTANT, scope module",
    { quirks: "holds the GPU's board: never added to it" },
  ]),
  figure("GPU_POWER_LIMIT", SUM_W, "Power limit that is in force", [
    "enforcedLimitMw",
    MILLI,
    "nvmlDeviceGetEnforcedPowerLimit",
  ]),
  figure("GPU_POWER_LIMIT_CONTROL", SUM_W, "Power limit that was asked for", [
    "limitMw",
    MILLI,
    "nvmlDeviceGetPowerManagementLimit",
  ]),
  figure("GPU_CORE_FREQUENCY_STATUS", MEAN_HZ, "Frequency of the graphics clock", [
    "coreMhz",
    MEGA,
    "nvmlDeviceGetClockInfo(NVML_CLOCK_GRAPHICS)",
  ]),
  figure("GPU_UNCORE_FREQUENCY_STATUS", MEAN_HZ, "Frequency of the memory", [
    "memoryMhz",
    MEGA,
    "nvmlDeviceGetClockInfo(NVML_CLOCK_MEM)",
  ]),
  figure(
    "GPU_CORE_FREQUENCY_MAX_AVAIL",
    { unit: "Hz", behavior: "constant", agg: "expect_same" },
    "Highest frequency of the graphics clock",
    ["coreMaxMhz", MEGA, "nvmlDeviceGetMaxClockInfo(NVML_CLOCK_GRAPHICS)"],
  ),
  figure("GPU_UTILIZATION", MEAN, "Share of time that a kernel ran, 0 to 1", [
    "gpuPercent",
    PERCENT,
    "nvmlDeviceGetUtilizationRates",
    { quirks: "over the last 1/6 s to 1 s; not told while MIG is on" },
  ]),
  figure("GPU_UNCORE_UTILIZATION", MEAN, "Share of time that the memory was busy, 0 to 1", [
    "memoryPercent",
    PERCENT,
    "nvmlDeviceGetUtilizationRates",
  ]),
  figure("GPU_TEMPERATURE", CELSIUS, "Temperature of the GPU", [
    "celsius",
    1,
    "nvmlDeviceGetTemperature(NVML_TEMPERATURE_GPU)",
  ]),
  figure("GPU_MEMORY_TEMPERATURE", CELSIUS, "Temperature of the memory", [
    "memoryCelsius",
    1,
    "field NVML_FI_DEV_MEMORY_TEMP",
  ]),
  figure(
    "GPU_MEMORY_USED",
    { unit: "B", behavior: "variable", agg: "sum" },
    "Memory in use",
    ["memoryUsedBytes", 1, "nvmlDeviceGetMemoryInfo"],
  ),
  figure(
    "GPU_MEMORY_TOTAL",
    { unit: "B", behavior: "constant", agg: "sum" },
    "Memory",
    ["memoryTotalBytes", 1, "nvmlDeviceGetMemoryInfo"],
  ),
  figure(
    "GPU_CORE_THROTTLE_REASONS",
    { unit: "", behavior: "label", agg: "select_first" },
    "Why the clock is lower than it could be: bits nvmlClocksThrottleReason*",
    ["throttleBits", 1, "nvmlDeviceGetCurrentClocksThrottleReasons", {
      format: "hex",
      quirks: "bit 0 idle, 2 power limit, 3 hardware slowdown, 5 temperature, 6 hardware: " +
        "temperature, 7 hardware: power brake",
    }],
  ),
  figure(
    "GPU_PERFORMANCE_STATE",
    { unit: "", behavior: "label", agg: "select_first" },
    "Performance state, 0: highest",
    ["performanceState", 1, "nvmlDeviceGetPerformanceState", { format: "integer" }],
  ),
];

/** The reader of NVML. */
export const nvml: Reader = nvmlReader(openNvml);

/** The reader over a library that `open` answers, so that tests can hand in one of their own. */
export function nvmlReader(open: () => OpenedNvml): Reader {
  return {
    name: "NVML",
    needs: { files: [`${GPUS}/`, "/dev/"], libraries: ["libnvidia-ml.so.1"], capabilities: [] },
    signals: FIGURES.map((f) => f.row),
    probe: (host) => probe(host, open),
    open(host, wanted) {
      const answer = open();
      if (!answer.ok) throw new SourceError("gone", { action: "open NVML", found: answer.reason });
      const { library } = answer;
      const devices = byGpu(host, library);
      const handles = devices.map((device) => device?.handle);
      const items = wanted.map(({ row }): LibraryItem<bigint> => {
        const { query, scale } = FIGURES.find((f) => f.row.name === row.name)!;
        return { row, scale: () => scale, call: library.query(query), handles };
      });
      return new LibraryReading(library, items);
    },
  };
}

function probe(host: Host, open: () => OpenedNvml): Offer {
  if (host.root !== "") {
    return { ok: false, kind: "absent", reason: "a tree has no GPU library" };
  }
  if (nvidiaCount(host) === 0) {
    return { ok: false, kind: "absent", reason: `no GPU in ${GPUS}, no /dev/nvidia0` };
  }
  const answer = open();
  if (!answer.ok) return answer;
  const { library } = answer;
  if (library.devices.length === 0) {
    return { ok: false, kind: "absent", reason: `${library.path} finds no GPU` };
  }
  const devices = byGpu(host, library);
  if (!devices.some((device) => device !== undefined)) {
    const count = library.devices.length;
    const reason = `${library.path} finds ${count}, of which none is in ${GPUS}`;
    return { ok: false, kind: "unusable", reason };
  }
  const signals: OfferedSignal[] = [];
  const missing = new Map<string, Absence>();
  for (const f of FIGURES) {
    const status = bestStatus(library, devices, f.query);
    if (status === NVML.SUCCESS) signals.push(offer(f, library));
    else {
      const kind = status === NVML.NO_PERMISSION ? "forbidden" : "absent";
      missing.set(f.row.name, { kind, reason: `${f.row.source}: ${nvmlText(status)}` });
    }
  }
  return { ok: true, signals, missing };
}

function offer({ row, scale }: Figure, library: Nvml): OfferedSignal {
  const split = library.devices.some((device) => device.mig);
  return {
    row,
    source: `${library.path} (driver ${library.driverVersion || "unknown"}), ${row.source}`,
    quality: "measured",
    note: split ? "MIG is on: the figure is the whole GPU's, instances have none" : undefined,
    resolution: row.unit === "J" ? scale : undefined,
    updatePeriodS: row.unit === "J" ? 0.1 : undefined,
  };
}

/** Success if any GPU has the figure, else what the first one answers. */
function bestStatus(
  library: Nvml,
  devices: readonly (NvmlDevice | undefined)[],
  query: NvmlQuery,
): number {
  const call = library.query(query);
  const answers = devices.flatMap((d) => d === undefined ? [] : [call(d.handle)]);
  return answers.includes(NVML.SUCCESS) ? NVML.SUCCESS : answers[0];
}

/** The library's devices in the order of the domain; a GPU that it hides is `undefined`. */
function byGpu(host: Host, library: Nvml): (NvmlDevice | undefined)[] {
  const count = host.topology.count("gpu");
  const addresses = host.list(GPUS);
  const found: (NvmlDevice | undefined)[] = Array.from({ length: count });
  library.devices.forEach((device, i) => {
    const at = addresses.length === 0 ? i : addresses.indexOf(device.busId);
    if (at >= 0 && at < count) found[at] = device;
  });
  return found;
}
