/**
 * NVIDIA GPUs by NVML: energy, power, limits, clocks, use, memory, temperature, throttling.
 *
 * Truth: "NVML API Reference Guide"; names are GEOPM's (geopm_pio_nvml(7)) if it has one. Energy
 * counts from the loading of the driver, on Volta and later. A GPU's place in our numbering is
 * that of its PCI address among /proc/driver/nvidia/gpus; if the driver shows none, the library is
 * not loaded. With Multi-Instance GPU on, all figures
 * are the whole GPU's: an instance has no power of its own.
 * @module
 */
import { SourceError } from "../../core/errors.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { absent, type Found, lookAt } from "./offers.ts";
import { nvidiaCount } from "../../core/machine/sysfs_topology.ts";
import { NVML, type Nvml, type NvmlDevice, type NvmlQuery } from "../../os/devices/nvml.ts";
import { nvmlText, type OpenedNvml } from "../../os/devices/nvml.ts";
import { openNvml } from "../../os/devices/gpu_libraries.ts";
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

type Shape = Pick<SignalRow, "unit" | "behavior" | "agg"> & { readonly scale: number };
const SUM_W: Shape = { unit: "W", behavior: "variable", agg: "sum", scale: MILLI };
const MEAN_HZ: Shape = { unit: "Hz", behavior: "variable", agg: "average", scale: MEGA };
const MEAN: Shape = { unit: "", behavior: "variable", agg: "average", scale: PERCENT };
const CELSIUS: Shape = { unit: "°C", behavior: "variable", agg: "average", scale: 1 };

function figure(
  name: string,
  { scale, ...shape }: Shape,
  about: string,
  { query, ...more }: { query: NvmlQuery; source: string } & Partial<SignalRow>,
): Figure {
  const row = { name: `NVML::${name}`, domain: "gpu", ...shape, about, ...more } as const;
  return { row, query, scale };
}

const FIGURES: readonly Figure[] = [
  figure(
    "GPU_ENERGY_CONSUMPTION_TOTAL",
    { unit: "J", behavior: "monotone", agg: "sum", scale: MILLI },
    "Energy of the GPU's board since the driver was loaded",
    {
      query: "energyMj",
      source: "nvmlDeviceGetTotalEnergyConsumption",
      quirks: "the value changes every 20 to 100 ms",
    },
  ),
  figure("GPU_POWER", SUM_W, "Power of the GPU's board", {
    query: "powerMw",
    source: "nvmlDeviceGetPowerUsage",
    quirks: "on most GPUs since Ampere, the value is a mean over 1 s",
  }),
  figure("GPU_POWER_INSTANT", SUM_W, "Power of the GPU's board at this moment", {
    query: "powerInstantMw",
    source: "field NVML_FI_DEV_POWER_INSTANT",
  }),
  figure("GPU_MODULE_POWER", SUM_W, "Power of the module (the GPU and the CPU next to it)", {
    query: "modulePowerMw",
    source: "field NVML_FI_DEV_POWER_INSTANT, scope module",
    quirks: "this value includes GPU_POWER, so do not add the two values",
  }),
  figure("GPU_POWER_LIMIT", SUM_W, "Power limit that the GPU currently uses", {
    query: "enforcedLimitMw",
    source: "nvmlDeviceGetEnforcedPowerLimit",
  }),
  figure("GPU_POWER_LIMIT_CONTROL", SUM_W, "Power limit that was requested", {
    query: "limitMw",
    source: "nvmlDeviceGetPowerManagementLimit",
  }),
  figure("GPU_CORE_FREQUENCY_STATUS", MEAN_HZ, "Frequency of the GPU's graphics clock", {
    query: "coreMhz",
    source: "nvmlDeviceGetClockInfo(NVML_CLOCK_GRAPHICS)",
  }),
  figure("GPU_UNCORE_FREQUENCY_STATUS", MEAN_HZ, "Clock frequency of the GPU memory", {
    query: "memoryMhz",
    source: "nvmlDeviceGetClockInfo(NVML_CLOCK_MEM)",
  }),
  figure(
    "GPU_CORE_FREQUENCY_MAX_AVAIL",
    { unit: "Hz", behavior: "constant", agg: "expect_same", scale: MEGA },
    "Highest frequency of the GPU's graphics clock",
    { query: "coreMaxMhz", source: "nvmlDeviceGetMaxClockInfo(NVML_CLOCK_GRAPHICS)" },
  ),
  figure("GPU_UTILIZATION", MEAN, "Share of time that a program (kernel) ran on the GPU, 0 to 1", {
    query: "gpuPercent",
    source: "nvmlDeviceGetUtilizationRates",
    quirks: "the value is a mean over the last 1/6 s to 1 s. It is not available while MIG " +
      "(partitioning of the GPU) is on",
  }),
  figure("GPU_UNCORE_UTILIZATION", MEAN, "Share of time that the GPU memory was busy, 0 to 1", {
    query: "memoryPercent",
    source: "nvmlDeviceGetUtilizationRates",
  }),
  figure("GPU_TEMPERATURE", CELSIUS, "Temperature of the GPU", {
    query: "celsius",
    source: "nvmlDeviceGetTemperature(NVML_TEMPERATURE_GPU)",
  }),
  figure("GPU_MEMORY_TEMPERATURE", CELSIUS, "Temperature of the GPU memory", {
    query: "memoryCelsius",
    source: "field NVML_FI_DEV_MEMORY_TEMP",
  }),
  figure(
    "GPU_MEMORY_USED",
    { unit: "B", behavior: "variable", agg: "sum", scale: 1 },
    "GPU memory in use",
    { query: "memoryUsedBytes", source: "nvmlDeviceGetMemoryInfo" },
  ),
  figure(
    "GPU_MEMORY_TOTAL",
    { unit: "B", behavior: "constant", agg: "sum", scale: 1 },
    "Size of the GPU memory",
    { query: "memoryTotalBytes", source: "nvmlDeviceGetMemoryInfo" },
  ),
  figure(
    "GPU_CORE_THROTTLE_REASONS",
    { unit: "", behavior: "label", agg: "select_first", scale: 1 },
    "Reasons why the clock frequency is below its maximum: the bits nvmlClocksThrottleReason*",
    {
      query: "throttleBits",
      source: "nvmlDeviceGetCurrentClocksThrottleReasons",
      format: "hex",
      quirks: "meaning of the bits: 0 idle, 2 power limit, 3 slowdown by the hardware, 5 " +
        "temperature limit, 6 temperature limit of the hardware, 7 power brake of the hardware",
    },
  ),
  figure(
    "GPU_PERFORMANCE_STATE",
    { unit: "", behavior: "label", agg: "select_first", scale: 1 },
    "Performance state, 0: highest",
    { query: "performanceState", source: "nvmlDeviceGetPerformanceState", format: "integer" },
  ),
];

/** The reader of NVML. */
export const nvml: Reader = nvmlReader(openNvml);

/** The reader over a library that `open` answers, so that tests can hand in one of their own. */
export function nvmlReader(open: () => OpenedNvml): Reader {
  return {
    name: "NVML",
    about: "GPUs of NVIDIA. The values come from the library NVML.",
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
  if (host.root !== "") return absent("a tree has no GPU library");
  if (nvidiaCount(host) === 0) return absent(`no GPU in ${GPUS}, no /dev/nvidia0`);
  const answer = open();
  if (!answer.ok) return answer;
  const { library } = answer;
  if (library.devices.length === 0) return absent(`${library.path} finds no GPU`);
  const devices = byGpu(host, library);
  if (!devices.some((device) => device !== undefined)) {
    const count = library.devices.length;
    const reason = `${library.path} finds ${count}, but none of them is in ${GPUS}`;
    return { ok: false, kind: "unusable", reason };
  }
  return lookAt(nvml.signals, (_row, i) => {
    const figure = FIGURES[i];
    const status = bestStatus(library, devices, figure.query);
    if (status === NVML.SUCCESS) return offer(figure, library);
    const kind = status === NVML.NO_PERMISSION ? "forbidden" : "absent";
    return { kind, reason: `${figure.row.source}: ${nvmlText(status)}` };
  });
}

function offer({ row, scale }: Figure, library: Nvml): Found {
  const split = library.devices.some((device) => device.mig);
  return {
    source: `${library.path} (driver ${library.driverVersion || "unknown"}), ${row.source}`,
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
