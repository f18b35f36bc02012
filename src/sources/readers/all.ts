/**
 * All readers but that of raw stats types (with_raw.ts), in no significant order: an alias defines
 * which source comes first.
 *
 * @module
 */
import type { Reader } from "../../core/machine/host.ts";
import { amdgpu } from "./amdgpu.ts";
import { cgroup } from "./cgroup.ts";
import { cpufreq } from "./cpufreq.ts";
import { cpuinfo } from "./cpuinfo.ts";
import { cray } from "./cray.ts";
import { hwmon } from "./hwmon.ts";
import { intelGpu } from "./intel_gpu.ts";
import { ipmi } from "./ipmi.ts";
import { meminfo } from "./meminfo.ts";
import { msr } from "./msr.ts";
import { nvml } from "./nvml.ts";
import { perf } from "./perf.ts";
import { perfApplication } from "./perf_application.ts";
import { powercap } from "./powercap.ts";
import { pressure } from "./pressure.ts";
import { procstat } from "./procstat.ts";
import { rocm } from "./rocm.ts";
import { thermal } from "./thermal.ts";

/** One line a reader. */
export const READERS_BUT_RAW: readonly Reader[] = [
  amdgpu,
  cgroup,
  cpufreq,
  cpuinfo,
  cray,
  hwmon,
  intelGpu,
  ipmi,
  meminfo,
  msr,
  nvml,
  perf,
  perfApplication,
  powercap,
  pressure,
  procstat,
  rocm,
  thermal,
];
