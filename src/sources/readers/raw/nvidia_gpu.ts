/**
 * NVIDIA GPUs: memory, power and utilization, from NVML.
 *
 * Truth: NVML API reference, nvmlMemory_t (used counts what the driver reserves, so that free is the
 * rest of total). hpcperfstats switches persistence mode on; this monitor only looks.
 * @module
 */
import { nvidiaCount } from "../../../core/machine/sysfs_topology.ts";
import { openNvml } from "../../../os/devices/gpu_libraries.ts";
import type { NvmlQuery } from "../../../os/devices/nvml.ts";
import type { RawStatsType } from "./raw_type.ts";

const TOTAL = 0, FREE = 1, USED = 2;
const QUERIES: readonly (readonly [key: number, query: NvmlQuery])[] = [
  [TOTAL, "memoryTotalBytes"],
  [USED, "memoryUsedBytes"],
  [3, "powerMw"],
  [4, "gpuPercent"],
];
const SUCCESS = 0;

/** Raw figures of NVIDIA GPUs. Device: number of the GPU, in NVML's order. */
export const nvidiaGpu: RawStatsType = {
  name: "nvidia_gpu",
  keys: "memtotal,U=B memfree,U=B memused,U=B power,U=mW utilization",
  needs: {
    files: ["/proc/driver/nvidia/gpus/", "/dev/"],
    libraries: ["libnvidia-ml.so.1"],
    capabilities: [],
  },
  open({ host }) {
    const nvml = host.root === "" && nvidiaCount(host) > 0 ? openNvml() : undefined;
    if (!nvml?.ok || nvml.library.devices.length === 0) return undefined;
    const { library } = nvml;
    const queries = QUERIES.map(([key, name]) => [key, library.query(name)] as const);
    return {
      collect(row) {
        library.refresh?.();
        library.devices.forEach(({ handle }, i) => {
          for (const [key, query] of queries) {
            if (query(handle) === SUCCESS) row.put(key, library.low, library.high);
          }
          if (row.values[TOTAL] >= row.values[USED] && row.values[TOTAL] > 0n) {
            row.putNumber(FREE, Number(row.values[TOTAL] - row.values[USED]));
          }
          row.emit(String(i));
        });
      },
    };
  },
};
