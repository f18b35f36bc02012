/**
 * Base of the readings whose sources may fail.
 * @module
 */
import { type Diagnostic, Diagnostics } from "../../../core/diagnostics.ts";

/** Counts what goes wrong. */
export abstract class Troubled {
  protected readonly noted = new Diagnostics();

  get troubles(): Diagnostic[] {
    return this.noted.list;
  }
}
