/**
 * Columns whose schema is incomplete or differs from the kernel.
 *
 * @module
 */
import type { RawKey, RawSchema } from "../format/schema.ts";

/**
 * The columns as they have to be taken.
 *
 * hpcperfstats writes `CTR0,C` for the counters of type intel_4pmc3, while all its other types of
 * core counters write `CTR0,E,W=48`; they are the same registers. It calls raw counts of energy
 * registers mJ, which they are on no processor: a label that is not true is left out.
 */
export function trueKeys(schema: RawSchema): readonly RawKey[] {
  if (isEnergy(schema.type)) return schema.keys.map((key) => ({ ...key, unit: "" }));
  if (schema.type !== "intel_4pmc3") return schema.keys;
  return schema.keys.map((key) =>
    /^CTR\d$/.test(key.name) ? { ...key, kind: "event", widthBits: 48 } : key
  );
}

/**
 * Types whose columns are 64 bits wide, against the schema, as soon as one value shows it:
 * kernels since 4.20 put the 64-bit extended counters into the files of the 32-bit ones.
 */
export function widensBySight(type: string): boolean {
  return type === "ib";
}

/** Types of energy counters: what their step can be is bounded by power. */
export function isEnergy(type: string): boolean {
  return type === "intel_rapl" || type === "amd64_rapl" || type.endsWith("_x86_rapl");
}
