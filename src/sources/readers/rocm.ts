/**
 * AMD GPUs by ROCm SMI: the energy counter that is not in sysfs, power, use, temperature, memory.
 *
 * Truth: rocm_smi.h. A device's place in our numbering is that of its PCI address among the cards of
 * /sys/class/drm; without a card there the library is not loaded. An MI250X or MI250 module is two devices, of which the first one measures both:
 * figures of a `gpu` are those of its first device.
 * @module
 */
import { SourceError } from "../../core/errors.ts";
import type { Host, Reader } from "../../core/machine/host.ts";
import type { Offer, SignalRow } from "../../core/signal.ts";
import { absent, lookAt } from "./offers.ts";
import { gpuDevices } from "../../core/machine/sysfs_topology.ts";
import { openRocm } from "../../os/devices/gpu_libraries.ts";
import type { OpenedRocm, Rocm, RocmDevice } from "../../os/devices/rocm_smi.ts";
import { type RocmQuery, rocmText } from "../../os/devices/rocm_smi.ts";
import { type LibraryItem, LibraryReading } from "./readings/library.ts";

const MICRO = 1e-6;
/** PCI vendor, as sysfs writes it. */
const AMD = "0x1002";

interface Figure {
  readonly row: SignalRow;
  /** The first one that a device answers counts. */
  readonly queries: readonly RocmQuery[];
  /** NaN: the device's own unit of energy. */
  readonly scale: number;
}

function figure(
  name: string,
  shape: Pick<SignalRow, "unit" | "behavior" | "agg">,
  [about, source]: readonly [string, string],
  [scale, ...queries]: readonly [number, ...RocmQuery[]],
): Figure {
  return { row: { name: `ROCM::${name}`, domain: "gpu", ...shape, about, source }, queries, scale };
}

const FIGURES: readonly Figure[] = [
  figure(
    "ENERGY",
    { unit: "J", behavior: "monotone", agg: "sum" },
    ["Energy of the GPU module since the driver was loaded", "rsmi_dev_energy_count_get"],
    [NaN, "energyCounts"],
  ),
  figure(
    "POWER",
    { unit: "W", behavior: "variable", agg: "sum" },
    ["Power of the GPU module", "rsmi_dev_power_ave_get, rsmi_dev_current_socket_power_get"],
    [MICRO, "averageMicrowatts", "socketMicrowatts"],
  ),
  figure(
    "POWER_LIMIT",
    { unit: "W", behavior: "variable", agg: "sum" },
    ["Power limit of the GPU module", "rsmi_dev_power_cap_get"],
    [MICRO, "capMicrowatts"],
  ),
  figure(
    "UTILIZATION",
    { unit: "", behavior: "variable", agg: "average" },
    ["Share of time that the GPU was busy, 0 to 1", "rsmi_dev_busy_percent_get"],
    [0.01, "busyPercent"],
  ),
  figure(
    "TEMPERATURE",
    { unit: "°C", behavior: "variable", agg: "average" },
    ["Temperature at the edge of the GPU chip", "rsmi_dev_temp_metric_get"],
    [0.001, "edgeMillicelsius"],
  ),
  figure(
    "MEMORY_USED",
    { unit: "B", behavior: "variable", agg: "sum" },
    ["GPU memory in use on the first GPU chip of the module", "rsmi_dev_memory_usage_get"],
    [1, "vramUsedBytes"],
  ),
];

/** The reader of ROCm SMI. */
export const rocm: Reader = rocmReader(openRocm);

/** The reader over a library that `open` answers, so that tests can hand in one of their own. */
export function rocmReader(open: () => OpenedRocm): Reader {
  return {
    name: "ROCM",
    about: "GPUs of AMD. The values come from the library ROCm SMI.",
    needs: { files: ["/sys/class/drm/"], libraries: ["librocm_smi64.so"], capabilities: [] },
    signals: FIGURES.map((f) => f.row),
    probe: (host) => probe(host, open),
    open(host, wanted) {
      const answer = open();
      if (!answer.ok) {
        throw new SourceError("gone", { action: "open ROCm SMI", found: answer.reason });
      }
      const { library } = answer;
      const devices = byGpu(host, library);
      const items = wanted.map(({ row }): LibraryItem<number> => {
        const f = FIGURES.find((other) => other.row.name === row.name)!;
        const query = answered(library, devices, f);
        return {
          row,
          scale: (gpu) => f.scale === f.scale ? f.scale : (devices[gpu]?.energyUnit ?? NaN) * MICRO,
          call: library.query(typeof query === "number" ? f.queries[0] : query),
          handles: devices.map((device) => device?.index),
        };
      });
      return new LibraryReading(library, items);
    },
  };
}

function probe(host: Host, open: () => OpenedRocm): Offer {
  if (host.root !== "") return absent("a tree has no GPU library");
  if (!gpuDevices(host).some((card) => card.vendor === AMD)) {
    return absent("no AMD GPU in /sys/class/drm");
  }
  const answer = open();
  if (!answer.ok) return answer;
  const { library } = answer;
  const devices = byGpu(host, library);
  if (!devices.some((device) => device !== undefined)) {
    const count = library.devices.length;
    const reason = `${library.path} finds ${count}, but none of them is in /sys/class/drm`;
    return { ok: false, kind: count === 0 ? "absent" : "unusable", reason };
  }
  const unit = devices.find((device) => device !== undefined)!.energyUnit * MICRO;
  return lookAt(rocm.signals, (row, i) => {
    const query = answered(library, devices, FIGURES[i]);
    return typeof query === "number"
      ? { kind: "absent", reason: `${row.source}: ${rocmText(query)}` }
      : {
        source: `${library.path}, ${row.source}`,
        resolution: row.unit === "J" ? unit : undefined,
      };
  });
}

/** The first query that a device answers, else the status of the last one. */
function answered(
  library: Rocm,
  devices: readonly (RocmDevice | undefined)[],
  f: Figure,
): RocmQuery | number {
  let status = 0;
  for (const query of f.queries) {
    const call = library.query(query);
    for (const device of devices) {
      if (device === undefined) continue;
      status = call(device.index);
      if (status === 0) return query;
    }
  }
  return status;
}

/** First devices of modules, in the order of the domain. */
function byGpu(host: Host, library: Rocm): (RocmDevice | undefined)[] {
  const found: (RocmDevice | undefined)[] = Array.from({ length: host.topology.count("gpu") });
  for (const { dir, secondDie, gpu } of gpuDevices(host)) {
    if (secondDie || gpu >= found.length) continue;
    const address = host.readLink(dir)?.split("/").at(-1);
    found[gpu] = library.devices.find((d) => d.busId === address);
  }
  return found;
}
