/**
 * Intel GPUs by the hwmon of the i915 and xe drivers.
 *
 * Truth: Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and sysfs-driver-intel-xe-hwmon. The
 * drivers extend the 32-bit register to 64 bits. xe has one channel for the card and one for the
 * package, distinguished by label: the card's counts.
 * @module
 */
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { gpuDevices } from "../../core/machine/sysfs_topology.ts";
import { absent, fileOffer, lookAt } from "./offers.ts";
import { energyCounter, TextReading, type TextSource } from "./readings/text.ts";

const INTEL = "0x8086";
const MICRO = 1e-6;
const CARD = "/sys/class/drm/cardN";
const COMMON_FIELDS = { domain: "gpu", behavior: "variable", agg: "sum" } as const;

/** The reader of Intel GPUs. */
export const intelGpu: Reader = {
  name: "INTEL_GPU",
  about: "GPUs of Intel. The values come from the kernel drivers i915 and xe.",
  needs: { files: ["/sys/class/drm/"], libraries: [], capabilities: [] },
  aliases: [
    { name: "GPU_ENERGY", signal: "INTEL_GPU::ENERGY", before: "INTEGRAL::AMDGPU_POWER" },
    { name: "GPU_CORE_FREQUENCY_STATUS", signal: "INTEL_GPU::CORE_FREQUENCY" },
    { name: "GPU_POWER_LIMIT_CONTROL", signal: "INTEL_GPU::POWER_LIMIT" },
  ],
  signals: [
    {
      ...COMMON_FIELDS,
      name: "INTEL_GPU::ENERGY",
      unit: "J",
      behavior: "monotone",
      about: "Energy of the card",
      source: `${CARD}/device/hwmon/hwmonN/energy1_input`,
    },
    {
      ...COMMON_FIELDS,
      name: "INTEL_GPU::POWER_LIMIT",
      unit: "W",
      about: "Power limit of the card",
      source: `${CARD}/device/hwmon/hwmonN/power1_max`,
    },
    {
      ...COMMON_FIELDS,
      name: "INTEL_GPU::CORE_FREQUENCY",
      unit: "Hz",
      agg: "average",
      about: "Current frequency of the first tile",
      source: `${CARD}/device/tile0/gt0/freq0/act_freq, cardN/gt_act_freq_mhz`,
    },
  ],
  probe(host): Offer {
    if (!gpuDevices(host).some((device) => device.vendor === INTEL)) {
      return absent("no Intel GPU with a meter in /sys/class/drm");
    }
    return lookAt(intelGpu.signals, (row) => {
      const [first] = sourcesOf(host, row);
      if (first === undefined) return { kind: "absent", reason: `no ${row.source}` };
      return fileOffer(host, first.path);
    });
  },
  open: (host, wanted) => new TextReading(host, wanted, (row) => sourcesOf(host, row)),
};

function sourcesOf(host: Host, r: SignalRow): TextSource[] {
  return gpuDevices(host).flatMap((device): TextSource[] => {
    if (device.vendor !== INTEL) return [];
    const hwmon = host.list(`${device.dir}/hwmon`).map((chip) => `${device.dir}/hwmon/${chip}`)
      .find((dir) => ["i915", "xe"].includes(host.readText(`${dir}/name`)?.trim() ?? ""));
    const card = device.dir.replace(/\/device$/, "");
    const candidates: readonly (readonly [path: string, scale: number])[] =
      r.name === "INTEL_GPU::CORE_FREQUENCY"
        ? [[`${device.dir}/tile0/gt0/freq0/act_freq`, 1e6], [`${card}/gt_act_freq_mhz`, 1e6]]
        : hwmon === undefined
        ? []
        : [[`${hwmon}/${r.name === "INTEL_GPU::ENERGY" ? "energy1_input" : "power1_max"}`, MICRO]];
    const found = candidates.find(([path]) => host.readText(path) !== undefined);
    if (found === undefined) return [];
    const counter = r.unit === "J" ? energyCounter(host, { stallAfterS: 10 }) : undefined;
    return [{ path: found[0], scale: found[1], instance: device.gpu, counter }];
  });
}
