/**
 * The catalogue's entry for a name.
 *
 * @module
 */
import type { Absence, OfferedSignal, SignalRow } from "../core/signal.ts";

/** The catalogue's entry for one name. */
export interface CatalogueEntry {
  /** As it is asked for. */
  readonly name: string;
  /** Domain, unit and behavior. */
  readonly row: SignalRow;
  /** The source here, or why there is none. */
  readonly state:
    | { readonly ok: true; readonly signal: OfferedSignal }
    | ({ readonly ok: false } & Absence);
  /** Prefix of the reader, `derived`, `application`. */
  readonly group: string;
  /** The name that an alias stands for here. */
  readonly aliasFor?: string;
  /** What an alias could have stood for, best first, with why not: asked for when it is read. */
  readonly candidates?: readonly Candidate[];
}

/** One possible source of an alias. */
export interface Candidate {
  /** Name of the signal. */
  readonly name: string;
  /** It is the one that the alias resolves to here. */
  readonly chosen: boolean;
  /** Why it was chosen, or why not. */
  readonly why: string;
}
