/**
 * Vendor, family and model: from /proc/cpuinfo, else from CPUID leaves 0 and 1.
 *
 * @module
 */
import type { CpuidLeaf, Host, Registers } from "../../core/machine/host.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";

/** Processor of the node; `other` if it is not a known x86 processor. */
export interface Processor {
  readonly vendor: "intel" | "amd" | "other";
  /** NaN if unknown. */
  readonly family: number;
  readonly model: number;
  readonly modelName: string;
  readonly hypervisor: boolean;
}

/** By topology, of which a node has one: the file is long if there are many CPUs. */
const known = new WeakMap<PlatformTopology, Processor>();

/** Identifies the node's processor. */
export function identify(host: Host): Processor {
  return known.getOrInsertComputed(host.topology, () => look(host));
}

/** Intel's models of family 6 from the first one with energy registers on, 42, that have none. */
const MODELS_WITHOUT = [44, 46, 47, 53, 54], FIRST_MODEL_WITH = 42;
/** AMD's first family with energy registers: Zen. */
const FIRST_AMD_WITH = 23;

/** Why a model has no energy registers, as Intel's before Sandy Bridge and AMD's before Zen; `undefined`: it may have. */
export function unsupportedModel({ vendor, family, model }: Processor): string | undefined {
  const isIntel = vendor === "intel" &&
    (family < 6 || family === 11 || family === 15 ||
      (family === 6 && (model < FIRST_MODEL_WITH || MODELS_WITHOUT.includes(model))));
  const isAmd = vendor === "amd" && family < FIRST_AMD_WITH;
  if (!isIntel && !isAmd) return undefined;
  return `${isIntel ? "Intel" : "AMD"} family ${family}, model ${model} has no energy registers`;
}

/** Fields of the first CPU. */
function firstFields(text: string): Map<string, string> {
  const end = text.indexOf("\n\n");
  const lines = (end < 0 ? text : text.slice(0, end)).split("\n").map((line) => line.split(":"));
  return new Map(lines.map(([name, ...value]) => [name.trim(), value.join(":").trim()]));
}

function look(host: Host): Processor {
  const fields = firstFields(host.readText("/proc/cpuinfo") ?? "");
  const number = (name: string) => {
    const text = fields.get(name) ?? "";
    return /^\d+$/.test(text) ? Number(text) : NaN;
  };
  const leaf = host.cpuid(0, 1);
  let vendor = fields.get("vendor_id") ?? "";
  let family = number("cpu family");
  let model = number("model");
  if (vendor === "" && leaf !== undefined) {
    vendor = vendorText(host);
    ({ family, model } = familyAndModel(leaf));
  }
  const flags = ` ${fields.get("flags") ?? ""} `;
  return {
    vendor: vendor === "GenuineIntel"
      ? "intel"
      : vendor === "AuthenticAMD" || vendor === "HygonGenuine"
      ? "amd"
      : "other",
    family,
    model,
    modelName: fields.get("model name") ?? "",
    hypervisor: flags.includes(" hypervisor ") || (leaf !== undefined && (leaf[2] >>> 31) === 1),
  };
}

/** Family and model from CPUID leaf 1. */
export function familyAndModel([eax]: CpuidLeaf): { family: number; model: number } {
  const base = (eax >>> 8) & 0xf;
  const low = (eax >>> 4) & 0xf;
  return {
    family: base === 15 ? base + ((eax >>> 20) & 0xff) : base,
    model: base === 6 || base === 15 ? low + (((eax >>> 16) & 0xf) << 4) : low,
  };
}

/** `GenuineIntel` of CPUID leaf 0; "" if there is no such leaf. */
export function vendorText(host: Host): string {
  const leaf = host.cpuid(0, 0);
  if (leaf === undefined) return "";
  let text = "";
  for (const word of [leaf[1], leaf[3], leaf[2]]) {
    for (let k = 0; k < 32; k += 8) text += String.fromCharCode((word >>> k) & 0xff);
  }
  return text;
}

/** The registers of a CPU, if they can be opened. */
export function registersOf(host: Host, cpu: number): Registers | undefined {
  try {
    return host.registers(cpu);
  } catch {
    return undefined;
  }
}
