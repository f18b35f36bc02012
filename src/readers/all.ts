/**
 * All readers, in no order that means anything: an alias says which source comes first.
 *
 * @module
 */
import type { Reader } from "../core/host.ts";
import { cpufreq } from "./cpufreq.ts";
import { cpuinfo } from "./cpuinfo.ts";
import { cray } from "./cray.ts";
import { msr } from "./msr.ts";
import { powercap } from "./powercap.ts";

/** One line a reader. */
export const READERS: readonly Reader[] = [
  cpuinfo,
  cpufreq,
  cray,
  msr,
  powercap,
];
