/**
 * Vendor, family and model: from /proc/cpuinfo, else from CPUID leaves 0 and 1.
 *
 * @module
 */
import type { Host } from "../core/machine/host.ts";

/** Which processor this is; `other` where it is no x86 processor that we know. */
export interface Processor {
  readonly vendor: "intel" | "amd" | "other";
  /** NaN where unknown. */
  readonly family: number;
  readonly model: number;
  readonly modelName: string;
  readonly hypervisor: boolean;
}

/** Identifies the node's processor. */
export function identify(host: Host): Processor {
  const first = (host.readText("/proc/cpuinfo") ?? "").split("\n\n")[0];
  const field = (name: string) =>
    new RegExp(`^${name}\\s*:\\s*(.*)$`, "m").exec(first)?.[1].trim() ?? "";
  const leaf = host.cpuid(0, 1);
  let vendor = field("vendor_id");
  let family = field("cpu family") === "" ? NaN : Number(field("cpu family"));
  let model = /^model\s*:\s*(\d+)$/m.exec(first)?.[1] === undefined ? NaN : Number(field("model"));
  if (vendor === "" && leaf !== undefined) {
    vendor = vendorText(host);
    const base = (leaf[0] >>> 8) & 0xf;
    family = base === 15 ? base + ((leaf[0] >>> 20) & 0xff) : base;
    model = (leaf[0] >>> 4) & 0xf;
    if (base === 6 || base === 15) model += ((leaf[0] >>> 16) & 0xf) << 4;
  }
  const flags = ` ${field("flags")} `;
  return {
    vendor: vendor === "GenuineIntel"
      ? "intel"
      : vendor === "AuthenticAMD" || vendor === "HygonGenuine"
      ? "amd"
      : "other",
    family,
    model,
    modelName: field("model name"),
    hypervisor: flags.includes(" hypervisor ") || (leaf !== undefined && (leaf[2] >>> 31) === 1),
  };
}

function vendorText(host: Host): string {
  const leaf = host.cpuid(0, 0);
  if (leaf === undefined) return "";
  let text = "";
  for (const word of [leaf[1], leaf[3], leaf[2]]) {
    for (let k = 0; k < 32; k += 8) text += String.fromCharCode((word >>> k) & 0xff);
  }
  return text;
}
