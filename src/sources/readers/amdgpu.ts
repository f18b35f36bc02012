/**
 * AMD GPUs by the amdgpu driver's sysfs: power, frequency, temperature, use, memory.
 *
 * Truth: Documentation/gpu/amdgpu/thermal.rst ("hwmon interfaces") and driver-misc.rst. An MI250X or
 * MI250 module is two devices; only the first of them has a power meter, the other one reads 0. A
 * `gpu` is the module, a `gpu_chip` the device. There is no energy counter in sysfs: energy is the
 * integral of the power.
 * @module
 */
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { type GpuDevice, gpuDevices } from "../../core/machine/sysfs_topology.ts";
import { absent, fileOffer, lookAt } from "./offers.ts";
import { FALLBACK_W } from "./readings/power_bound.ts";
import { TextReading, type TextSource } from "./readings/text.ts";

const AMD = "0x1002";
const MICRO = 1e-6;
const DRM = "/sys/class/drm/cardN/device";

type Shape = Pick<SignalRow, "domain" | "unit" | "behavior" | "agg"> & { readonly scale: number };

const MEAN = { domain: "gpu", behavior: "variable", agg: "average" } as const;
const WATTS: Shape = { domain: "gpu", unit: "W", behavior: "variable", agg: "sum", scale: MICRO };
const HERTZ: Shape = { ...MEAN, unit: "Hz", scale: 1 };
const CELSIUS: Shape = { ...MEAN, unit: "°C", scale: 0.001 };
const SHARE: Shape = { ...MEAN, unit: "", scale: 0.01 };
const CHIP = { domain: "gpu_chip" } as const;
const CHIP_SHARE: Shape = { ...SHARE, ...CHIP };
const BYTES: Shape = { ...CHIP, unit: "B", behavior: "variable", agg: "sum", scale: 1 };
const FIXED = { behavior: "constant" } as const;

/**
 * Row of a GPU signal. Its files are in the folder of the device or of its hwmon; the first that
 * exists counts.
 */
type GpuRow = readonly [name: string, shape: Shape, about: string, ...files: string[]];

const FILES: readonly GpuRow[] = [
  ["POWER", WATTS, "Power of the GPU module", "hwmon/power1_average", "hwmon/power1_input"],
  ["POWER_LIMIT", WATTS, "Power limit of the GPU module", "hwmon/power1_cap"],
  [
    "POWER_LIMIT_MAX",
    { ...WATTS, ...FIXED },
    "Highest power limit that can be set for the GPU module",
    "hwmon/power1_cap_max",
  ],
  ["CORE_FREQUENCY", HERTZ, "Clock frequency of the GPU cores", "hwmon/freq1_input"],
  ["MEMORY_FREQUENCY", HERTZ, "Clock frequency of the GPU memory", "hwmon/freq2_input"],
  ["TEMPERATURE", CELSIUS, "Temperature at the edge of the GPU chip", "hwmon/temp1_input"],
  ["UTILIZATION", SHARE, "Share of time that the GPU was busy, 0 to 1", "gpu_busy_percent"],
  [
    ...[
      "CHIP_CORE_FREQUENCY",
      { ...HERTZ, ...CHIP },
      "Clock frequency of the cores of one GPU chip",
    ] as const,
    "hwmon/freq1_input",
  ],
  ["CHIP_TEMPERATURE", { ...CELSIUS, ...CHIP }, "Temperature of one GPU chip", "hwmon/temp1_input"],
  [
    "CHIP_UTILIZATION",
    CHIP_SHARE,
    "Share of time that one GPU chip was busy, 0 to 1",
    "gpu_busy_percent",
  ],
  [
    ...[
      "CHIP_MEMORY_UTILIZATION",
      CHIP_SHARE,
      "Share of time that the memory of one GPU chip was busy, 0 to 1",
    ] as const,
    "mem_busy_percent",
  ],
  ["MEMORY_USED", BYTES, "GPU memory in use", "mem_info_vram_used"],
  ["MEMORY_TOTAL", { ...BYTES, ...FIXED }, "Size of the GPU memory", "mem_info_vram_total"],
];

/** The reader of the amdgpu driver's files. */
export const amdgpu: Reader = {
  name: "AMDGPU",
  about: "GPUs of AMD. The values come from the kernel driver amdgpu.",
  needs: { files: ["/sys/class/drm/"], libraries: [], capabilities: [] },
  signals: FILES.map(([name, { scale: _, ...shape }, about, file]): SignalRow => ({
    name: `AMDGPU::${name}`,
    ...shape,
    about,
    source: `${DRM}/${file}`,
  })),
  probe(host): Offer {
    if (!gpuDevices(host).some((device) => device.vendor === AMD)) {
      return absent("no AMD GPU in /sys/class/drm");
    }
    return lookAt(amdgpu.signals, (row, i) => {
      const [first] = sourcesOf(host, row);
      if (first === undefined) return { kind: "absent", reason: `no ${FILES[i][3]}` };
      return fileOffer(host, first.path);
    });
  },
  open: (host, wanted) => new TextReading(host, wanted, (row) => sourcesOf(host, row)),
};

function sourcesOf(host: Host, row: SignalRow): TextSource[] {
  const isModule = row.domain === "gpu";
  const [, { scale }, , ...files] = FILES.find(([name]) => row.name === `AMDGPU::${name}`)!;
  return gpuDevices(host).flatMap((device, chip): TextSource[] => {
    // A module's figures are its first device's: the second one repeats them or reads 0.
    if (device.vendor !== AMD || (isModule && device.secondDie)) return [];
    const path = files.map((name) => pathOf(host, device, name)).find((p) => p !== undefined);
    if (path === undefined) return [];
    const mostW = row.name === "AMDGPU::POWER" ? FALLBACK_W.part : undefined;
    return [{ path, scale, instance: isModule ? device.gpu : chip, mostW }];
  });
}

function pathOf(host: Host, device: GpuDevice, name: string): string | undefined {
  let dir = device.dir;
  let base = name;
  if (name.startsWith("hwmon/")) {
    const [chip] = host.list(`${device.dir}/hwmon`);
    if (chip === undefined) return undefined;
    dir = `${device.dir}/hwmon/${chip}`;
    base = name.slice(6);
  }
  return host.list(dir).includes(base) ? `${dir}/${base}` : undefined;
}
