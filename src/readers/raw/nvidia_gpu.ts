/**
 * NVIDIA GPUs: memory, power and utilization, from NVML.
 *
 * Truth: NVML API reference. hpcperfstats switches persistence mode on; this monitor only looks.
 * @module
 */
import { openNvml } from "../../os/raw_nvml.ts";
import type { RawStatsType } from "./raw_type.ts";

/** See the module. Device: NVML's index. */
export const nvidiaGpu: RawStatsType = {
  name: "nvidia_gpu",
  keys: "memtotal,U=B memfree,U=B memused,U=B power,U=mW utilization",
  needs: { files: [], libraries: ["libnvidia-ml.so.1"], capabilities: [] },
  open({ host }) {
    const nvml = host.root === "" ? openNvml() : undefined;
    if (nvml === undefined) return undefined;
    return {
      collect(row) {
        for (let i = 0; i < nvml.count; i++) {
          const memory = nvml.memory(i);
          memory?.forEach((bytes, k) => row.putNumber(k, bytes));
          const power = nvml.powerMilliwatts(i);
          if (power !== undefined) row.putNumber(3, power);
          const utilization = nvml.utilization(i);
          if (utilization !== undefined) row.putNumber(4, utilization);
          row.emit(String(i));
        }
      },
    };
  },
};
