/**
 * AMD GPUs by the amdgpu driver's sysfs: power, frequency, temperature, use, memory.
 *
 * Truth: Documentation/gpu/amdgpu/thermal.rst ("hwmon interfaces") and driver-misc.rst. An MI250X or
 * MI250 module is two devices; only the first of them has a power meter, the other one reads 0. A
 * `gpu` is the module, a `gpu_chip` the device. There is no energy counter in sysfs: energy is the
 * integral of the power.
 * @module
 */
import type { Host, Reader } from "../core/machine/host.ts";
import type { Absence, Offer, SignalRow } from "../core/signal.ts";
import { type GpuDevice, gpuDevices } from "../core/machine/sysfs_topology.ts";
import { TextReading, type TextSource } from "./readings/text.ts";

const AMD = "0x1002";
const MICRO = 1e-6;
const DRM = "/sys/class/drm/cardN/device";

interface GpuFile {
  readonly row: SignalRow;
  /** In the device's folder, or in its hwmon's; the first that exists counts. */
  readonly files: readonly string[];
  readonly scale: number;
}

function file(
  name: string,
  shape: Omit<SignalRow, "name" | "about" | "source">,
  about: string,
  [scale, ...files]: readonly [number, ...string[]],
): GpuFile {
  const row = { name: `AMDGPU::${name}`, ...shape, about, source: `${DRM}/${files[0]}` };
  return { row, files, scale };
}

const AVERAGE = { domain: "gpu_chip", behavior: "variable", agg: "average" } as const;
const SUM = { domain: "gpu_chip", behavior: "variable", agg: "sum" } as const;
const MODULE_W = { domain: "gpu", unit: "W", behavior: "variable", agg: "sum" } as const;

const FILES: readonly GpuFile[] = [
  file("POWER", MODULE_W, "Power of the module", [
    MICRO,
    "hwmon/power1_average",
    "hwmon/power1_input",
  ]),
  file("POWER_LIMIT", MODULE_W, "Power limit of the module", [MICRO, "hwmon/power1_cap"]),
  file(
    "POWER_LIMIT_MAX",
    { ...MODULE_W, behavior: "constant" },
    "Highest power limit",
    [MICRO, "hwmon/power1_cap_max"],
  ),
  file("CORE_FREQUENCY", { ...AVERAGE, domain: "gpu", unit: "Hz" }, "Frequency of the cores", [
    1,
    "hwmon/freq1_input",
  ]),
  file("MEMORY_FREQUENCY", { ...AVERAGE, domain: "gpu", unit: "Hz" }, "Frequency of the memory", [
    1,
    "hwmon/freq2_input",
  ]),
  file("TEMPERATURE", { ...AVERAGE, domain: "gpu", unit: "°C" }, "Temperature at the edge", [
    0.001,
    "hwmon/temp1_input",
  ]),
  file("UTILIZATION", { ...AVERAGE, domain: "gpu", unit: "" }, "Share of time busy, 0 to 1", [
    0.01,
    "gpu_busy_percent",
  ]),
  file("CHIP_CORE_FREQUENCY", { ...AVERAGE, unit: "Hz" }, "Frequency of a device's cores", [
    1,
    "hwmon/freq1_input",
  ]),
  file("CHIP_TEMPERATURE", { ...AVERAGE, unit: "°C" }, "Temperature of a device", [
    0.001,
    "hwmon/temp1_input",
  ]),
  file("CHIP_UTILIZATION", { ...AVERAGE, unit: "" }, "Share of time that a device was busy", [
    0.01,
    "gpu_busy_percent",
  ]),
  file(
    "CHIP_MEMORY_UTILIZATION",
    { ...AVERAGE, unit: "" },
    "Share of time that its memory was busy",
    [
      0.01,
      "mem_busy_percent",
    ],
  ),
  file("MEMORY_USED", { ...SUM, unit: "B" }, "Memory in use", [1, "mem_info_vram_used"]),
  file(
    "MEMORY_TOTAL",
    { ...SUM, unit: "B", behavior: "constant" },
    "Memory",
    [1, "mem_info_vram_total"],
  ),
];

/** The reader of the amdgpu driver's files. */
export const amdgpu: Reader = {
  name: "AMDGPU",
  needs: { files: ["/sys/class/drm/"], libraries: [], capabilities: [] },
  signals: FILES.map((entry) => entry.row),
  probe,
  open(host, wanted) {
    const rows = wanted.map(({ row }) => ({
      name: row.name,
      count: host.topology.count(row.domain),
      sources: sourcesOf(host, FILES.find((f) => f.row.name === row.name)!),
      constant: row.behavior === "constant",
    }));
    return new TextReading(host, rows);
  },
};

function probe(host: Host): Offer {
  if (!gpuDevices(host).some((device) => device.vendor === AMD)) {
    return { ok: false, kind: "absent", reason: "no AMD GPU in /sys/class/drm" };
  }
  const signals = [];
  const missing = new Map<string, Absence>();
  for (const entry of FILES) {
    const [first] = sourcesOf(host, entry);
    const access = first === undefined ? undefined : host.probe(first.path);
    if (access === undefined) {
      missing.set(entry.row.name, { kind: "absent", reason: `no ${entry.files[0]}` });
    } else if (!access.ok) missing.set(entry.row.name, access);
    else signals.push({ row: entry.row, source: first.path, quality: "measured" as const });
  }
  return { ok: true, signals, missing };
}

function sourcesOf(host: Host, entry: GpuFile): TextSource[] {
  const modules = entry.row.domain === "gpu";
  const devices = gpuDevices(host);
  let gpu = -1;
  return devices.flatMap((device, chip): TextSource[] => {
    if (!device.secondDie) gpu++;
    // A module's figures are its first device's: the second one repeats them or reads 0.
    if (device.vendor !== AMD || (modules && device.secondDie)) return [];
    const path = entry.files.map((name) => pathOf(host, device, name)).find((p) => p !== undefined);
    if (path === undefined) return [];
    return [{ path, scale: entry.scale, instance: modules ? gpu : chip }];
  });
}

function pathOf(host: Host, device: GpuDevice, name: string): string | undefined {
  let dir = device.dir;
  let base = name;
  if (name.startsWith("hwmon/")) {
    const chip = host.list(`${device.dir}/hwmon`)[0];
    if (chip === undefined) return undefined;
    dir = `${device.dir}/hwmon/${chip}`;
    base = name.slice(6);
  }
  return host.list(dir).includes(base) ? `${dir}/${base}` : undefined;
}
