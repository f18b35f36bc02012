/**
 * Lists of signals as people write them: GEOPM_REPORT_SIGNALS and GEOPM_TRACE_SIGNALS of
 * geopmlaunch(1).
 * @module
 */
import { type Domain, DOMAINS, isDomain } from "./machine/domain.ts";
import { UsageError } from "./errors.ts";

/** A signal at every instance of a domain. */
export interface SignalRequest {
  readonly name: string;
  readonly domain: Domain;
}

/**
 * Reads `SIGNAL[@domain],…`; without a domain, the board is meant.
 *
 * @param action What the list is for, for the message: `report signals`.
 * @throws {UsageError} If an item is empty, has two `@`, or names an unknown domain. Names of
 * signals are checked when they are pushed.
 */
export function parseSignalList(text: string, action: string): SignalRequest[] {
  if (text === "") return [];
  return text.split(",").map((item) => {
    const parts = item.split("@");
    const wrong = (expected: string) => new UsageError({ action, target: item, expected });
    if (parts.length > 2) throw wrong("SIGNAL or SIGNAL@domain, with one @");
    const [name, domain] = parts;
    if (name === "") throw wrong("a signal name");
    if (domain === undefined) return { name, domain: "board" };
    if (!isDomain(domain)) throw wrong(`one of the domains ${DOMAINS.join(", ")}`);
    return { name, domain };
  });
}
