/**
 * Power of a region on the simulated node if its description gives none: by the hint that the
 * program gave, and by a stable function of the name, so that a region is the same in each run.
 *
 * The numbers are of the right order for a two-socket server, and not those of any machine.
 * @module
 */
import { regionHash } from "../../core/hash.ts";
import { HINT_UNKNOWN, HINTS } from "../../core/hints.ts";
import type { RegionPower, SimSpec } from "./spec.ts";

/** Shares of the dynamic power of package and memory, busy share, frequency over base. */
type Shares = readonly [watts: number, dram: number, busy: number, turbo: number];

const BY_HINT: Readonly<Record<string, Shares>> = {
  COMPUTE: [0.95, 0.2, 1, 1.25],
  MEMORY: [0.6, 0.95, 1, 1.1],
  NETWORK: [0.3, 0.25, 0.6, 1],
  IO: [0.15, 0.15, 0.2, 0.8],
  SERIAL: [0.5, 0.3, 1, 1.3],
  PARALLEL: [0.85, 0.5, 1, 1.2],
  IGNORE: [0.3, 0.2, 0.5, 1],
  INACTIVE: [0, 0, 0, 0.5],
  SPIN: [0.7, 0.05, 1, 1.25],
};
/** Outside all regions. */
const UNMARKED: Shares = [0.2, 0.15, 0.5, 1];
/** Relative spread, by name, of regions with one hint. */
const SPREAD = 0.08;

/** Power of a region on one CPU; `undefined` is outside all regions. Every field is set. */
export function regionPower(
  spec: SimSpec,
  name: string | undefined,
  hint = HINT_UNKNOWN,
): Required<RegionPower> {
  const cpus = spec.coresPerPackage * spec.threadsPerCore;
  const made = (shares: Shares, factor: number) => ({
    watts: shares[0] * factor * spec.dynamicW / cpus,
    dramWatts: shares[1] * factor * spec.dramDynamicW / cpus,
    busy: shares[2],
    hz: shares[3] * spec.baseHz,
  });
  if (name === undefined) {
    const unmarked = made(UNMARKED, 1);
    return spec.unmarkedW === undefined ? unmarked : { ...unmarked, watts: spec.unmarkedW };
  }
  const hash = regionHash(name);
  const first = (hash >>> 16) / 65536;
  const second = (hash & 0xffff) / 65536;
  const shares = BY_HINT[HINTS[hint]] ?? [0.35 + 0.6 * first, 0.1 + 0.7 * second, 1, 1.15];
  const general = made(shares, 1 + SPREAD * (2 * first - 1));
  const given = Object.hasOwn(spec.regions, name) ? spec.regions[name] : undefined;
  if (given === undefined) return general;
  return { ...general, ...(typeof given === "number" ? { watts: given } : given) };
}
