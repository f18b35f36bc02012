/**
 * Every raw stats type, one line each or one per family.
 *
 * @module
 */
import { amd64Df } from "./amd64_df.ts";
import { amd64Pmc } from "./amd64_pmc.ts";
import { amd64Rapl } from "./amd64_rapl.ts";
import { block } from "./block.ts";
import { cpu } from "./cpu.ts";
import { ib } from "./ib.ts";
import { ibExt } from "./ib_ext.ts";
import { ibSw } from "./ib_sw.ts";
import { INTEL_BOX_TYPES } from "./intel_box.ts";
import { INTEL_CORE_TYPES } from "./intel_core.ts";
import { INTEL_PCI_TYPES } from "./intel_pci.ts";
import { intelPcu } from "./intel_pcu.ts";
import { intelRapl } from "./intel_rapl.ts";
import { intelUncore } from "./intel_uncore.ts";
import { lnet } from "./lnet.ts";
import { llite, mdc, osc } from "./lustre.ts";
import { mic } from "./mic.ts";
import { net } from "./net.ts";
import { nfs } from "./nfs.ts";
import { mem, numa } from "./numa_nodes.ts";
import { nvidiaGpu } from "./nvidia_gpu.ts";
import { opa } from "./opa.ts";
import { proc } from "./proc.ts";
import { ps } from "./ps.ts";
import type { RawStatsType } from "./raw_type.ts";
import { sysvShm } from "./sysv_shm.ts";
import { tmpfs } from "./tmpfs.ts";
import { vfs } from "./vfs.ts";
import { vm } from "./vm.ts";

/** In ascending order of their names, as headers and records have them. */
export const RAW_TYPES: readonly RawStatsType[] = [
  amd64Df,
  amd64Pmc,
  amd64Rapl,
  block,
  cpu,
  ib,
  ibExt,
  ibSw,
  ...INTEL_BOX_TYPES,
  ...INTEL_CORE_TYPES,
  ...INTEL_PCI_TYPES,
  intelPcu,
  intelRapl,
  intelUncore,
  llite,
  lnet,
  mdc,
  mem,
  mic,
  net,
  nfs,
  numa,
  nvidiaGpu,
  opa,
  osc,
  proc,
  ps,
  sysvShm,
  tmpfs,
  vfs,
  vm,
].sort((a, b) => a.name < b.name ? -1 : 1);

const CORE = ["intel_8pmc3", "intel_4pmc3"];
const PCU = ["intel_pcu"];

/**
 * Types as older monitors called them, one per processor model, and what stands for them since: the
 * core counters by their number, the power control unit by itself.
 */
export const OLD_RAW_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ...["nhm", "wtm", "snb", "ivb", "hsw", "hsw_ht", "bdw", "skx"].map((model) =>
    [`intel_${model}`, CORE] as const
  ),
  ["intel_pmc3", CORE],
  ...["snb", "ivb", "hsw", "bdw"].map((model) => [`intel_${model}_pcu`, PCU] as const),
]);
