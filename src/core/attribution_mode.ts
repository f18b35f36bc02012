/**
 * What `--attribution` may say. By itself, since every process of a job reads its options before
 * one of them loads what measures.
 * @module
 */

/** GEOPM's figures alone, exact edges beside them, and the fit too. */
export const ATTRIBUTIONS = ["sampled", "exact", "fit"] as const;
/** One of them. */
export type AttributionMode = typeof ATTRIBUTIONS[number];
