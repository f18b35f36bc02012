/**
 * Values of `--attribution`. A file of its own, since every process of a job reads its options before
 * one of them loads what measures.
 * @module
 */
import { unusable } from "./errors.ts";
import type { OptionValues } from "./option.ts";

/** GEOPM's figures alone, exact edges beside them, and the fit too. */
export const ATTRIBUTIONS = ["sampled", "exact", "fit"] as const;
/** Name of an attribution mode. */
export type AttributionMode = typeof ATTRIBUTIONS[number];

/** The default. */
export const DEFAULT_ATTRIBUTION: AttributionMode = "fit";

/** @throws {UsageError} If the value is no mode. */
export function parseAttribution(values: OptionValues): AttributionMode {
  const value = values.get("attribution");
  if (value === undefined) return DEFAULT_ATTRIBUTION;
  const mode = ATTRIBUTIONS.find((one) => one === value.text.trim().toLowerCase());
  if (mode !== undefined) return mode;
  throw unusable(`${value.name}=${value.text}`, ATTRIBUTIONS.join(" or "), value.text);
}
