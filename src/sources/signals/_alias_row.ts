/**
 * The shape of an alias, and the shapes that many of them share.
 *
 * @module
 */
import type { SignalRow } from "../../core/signal.ts";

/** A name and what it may stand for. */
export interface Alias {
  /** Meaning of the name; the chosen source may differ in format and quirks. */
  readonly row: SignalRow;
  /** Names of rows, calculated signals or other aliases, best first. */
  readonly candidates: readonly string[];
  /** Takes the candidate only while this alias stands for that source. */
  readonly follows?: { readonly alias: string; readonly sources: Readonly<Record<string, string>> };
}

/** Domain, unit, behavior and aggregation. */
export type Shape = readonly [
  SignalRow["domain"],
  SignalRow["unit"],
  SignalRow["behavior"],
  SignalRow["agg"],
];

/** Builds one. */
export function alias(
  name: string,
  [domain, unit, behavior, agg]: Shape,
  about: string,
  candidates: readonly string[],
): Alias {
  return { row: { name, domain, unit, behavior, agg, about }, candidates };
}

export const PACKAGE_J: Shape = ["package", "J", "monotone", "sum"];
export const PACKAGE_LIMIT: Shape = ["package", "W", "constant", "sum"];
export const BOARD_J: Shape = ["board", "J", "monotone", "sum"];
export const BOARD_W: Shape = ["board", "W", "variable", "sum"];
