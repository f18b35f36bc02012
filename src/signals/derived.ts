/**
 * Signals that are calculated from others, tick by tick.
 *
 * Each is one constant of one shape, so that the catalogue can list them like readers' rows.
 * @module
 */
import type { SignalRow } from "../core/signal.ts";

/** A calculated signal. */
export interface DerivedSignal {
  readonly row: SignalRow;
  /** Names it is calculated from; it exists where all of them do. */
  readonly inputs: readonly string[];
  /**
   * Prepares the calculation; the function returned is called once a tick and allocates nothing.
   *
   * @param inputs Native values of each input, refreshed in place.
   * @param out Where to write, one value per instance of the row's domain.
   */
  make(inputs: readonly Float64Array[], out: Float64Array): (timeS: number) => void;
}
