/** The error of a configuration string that cannot be understood. */

import { quote, UsageError } from "../../../core/errors.ts";

/** Error in a configuration text, and its place. */
export interface ConfigProblem {
  /** The whole text, and the place of the error in it. */
  text: string;
  offset: number;
  /** Caliper's own message. */
  reason: string;
  /** Known words close to one that is unknown. */
  near?: readonly string[];
  /** Known words, for where none is close. */
  known?: readonly string[];
}

/** A configuration string that cannot be understood: one line, with Caliper's own words in it. */
export class ConfigError extends UsageError {
  /** Caliper's own message. */
  readonly reason: string;
  /** Offset of the error in the text, from 0. */
  readonly offset: number;

  constructor({ text, offset, reason, near = [], known = [] }: ConfigProblem) {
    super({ action: "read configuration", target: text, found: reason });
    const help = near.length > 0
      ? `; did you mean ${near.join(" or ")}?`
      : known.length > 0
      ? `; available: ${known.join(", ")}`
      : "";
    this.message = `cannot read configuration ${quote(text)}: ${reason}, at character ${
      offset + 1
    }${help}`;
    this.name = "ConfigError";
    this.reason = reason;
    this.offset = offset;
  }
}
