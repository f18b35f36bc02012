/**
 * The unit of an energy register's count, if the files have none: the original monitor
 * stores raw counts, calls them mJ, and leaves the unit register out.
 *
 * Truth: Intel SDM vol. 3B, "Platform specific power management support"; Linux
 * arch/x86/events/rapl.c; AMD's processor programming references, C001_0299h.
 * @module
 */
import { UsageError } from "../../core/errors.ts";
import { isEnergy } from "./quirks.ts";

/** Joules of a count by `TYPE.KEY`, by `TYPE`, or by `*` for all. */
export type EnergyUnits = Readonly<Record<string, number>>;

/** A processor family, by the names of types. */
interface Family {
  readonly name: string;
  readonly packageJ: number;
  readonly dramJ: number;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  snb: { name: "Sandy Bridge", packageJ: 2 ** -16, dramJ: 2 ** -16 },
  ivb: { name: "Ivy Bridge", packageJ: 2 ** -16, dramJ: 2 ** -16 },
  hsw: { name: "Haswell", packageJ: 2 ** -14, dramJ: 2 ** -16 },
  bdw: { name: "Broadwell", packageJ: 2 ** -14, dramJ: 2 ** -16 },
  knl: { name: "Knights Landing", packageJ: 2 ** -14, dramJ: 2 ** -16 },
  skx: { name: "Skylake", packageJ: 2 ** -14, dramJ: 2 ** -16 },
  icx: { name: "Ice Lake", packageJ: 2 ** -14, dramJ: 2 ** -16 },
};
/** Families 17h and 19h. */
const ZEN: Family = { name: "AMD Zen", packageJ: 2 ** -16, dramJ: 2 ** -16 };

/** The family that the types of a node belong to; `undefined`: none, or more than one. */
function familyOf(type: string, all: Iterable<string>): Family | undefined {
  if (type.startsWith("amd")) return ZEN;
  const found = new Set<Family>();
  for (const other of all) {
    const model = /^intel_(?:x86_)?([a-z]{3})(?:_|$)/.exec(other);
    const family = model === null ? undefined : FAMILIES[model[1]];
    if (family !== undefined) found.add(family);
  }
  return found.size === 1 ? [...found][0] : undefined;
}

/** Source of a type's energy unit. */
export interface EnergySource {
  readonly type: string;
  /** The family's name; `undefined`: the unit is unknown. */
  readonly family?: string;
}

/** Energy units of one node: by its files, else by the user, else by the family. */
export class NodeEnergyUnits {
  /** From marks of the files. */
  readonly marked = new Map<string, number>();
  /** Types that the node's files have. */
  readonly types = new Set<string>();
  readonly #given: EnergyUnits;
  readonly #sources = new Map<string, EnergySource>();

  constructor(given: EnergyUnits = {}) {
    this.#given = given;
  }

  /** Types whose unit neither a file nor the user gave, and the assumed one. */
  get sources(): readonly EnergySource[] {
    return [...this.#sources.values()];
  }

  /** Joules of a count; `undefined`: it counts no energy, or its unit is unknown. */
  of(type: string, key: string): number | undefined {
    if (!isEnergy(type)) return undefined;
    const given = this.#given;
    const known = this.marked.get(`${type}.${key}`) ?? given[`${type}.${key}`] ?? given[type] ??
      given["*"];
    if (known !== undefined) return known;
    const family = familyOf(type, this.types);
    this.#sources.set(type, { type, family: family?.name });
    return /dram/i.test(key) ? family?.dramJ : family?.packageJ;
  }
}

/** One line about a type whose unit the files do not have. */
export function energySourceLine({ type, family }: EnergySource): string {
  return family === undefined
    ? `${type}: no energy in joules, because the files have neither the unit of the counter nor the ` +
      "processor model. Give the unit with --energy-unit"
    : `${type}: the files do not have the unit of the counter. The names of their types belong to ` +
      `${family}, so the unit of this processor is used. If it is wrong, give the unit with --energy-unit`;
}

const FACTORS: Readonly<Record<string, number>> = { J: 1, mJ: 1e-3, uJ: 1e-6, "µJ": 1e-6 };

/**
 * Reads `[TYPE[.KEY]=]UNIT,…`; a unit is joules, `61.04uJ` or `2^-14`.
 *
 * @throws {UsageError} If it is none.
 */
export function parseEnergyUnits(text: string): EnergyUnits {
  const units: Record<string, number> = {};
  for (const item of text.split(",")) {
    const at = item.indexOf("=");
    const name = at < 0 ? "*" : item.slice(0, at).trim();
    const value = joulesOf(item.slice(at + 1).trim());
    if (!(value > 0 && value < Infinity) || name === "") {
      throw new UsageError({
        action: "read --energy-unit",
        expected:
          "joules per count such as 61.04uJ or 2^-14, for all registers or as TYPE=UNIT or " +
          "TYPE.KEY=UNIT",
        found: `"${item}"`,
      });
    }
    units[name] = value;
  }
  return units;
}

function joulesOf(text: string): number {
  const power = /^2\^(-?\d{1,2})$/.exec(text);
  if (power !== null) return 2 ** Number(power[1]);
  const match = /^([\d.]+(?:[eE][-+]?\d+)?) ?([mu\u00b5]?J)?$/.exec(text);
  return match === null ? NaN : Number(match[1]) * FACTORS[match[2] ?? "J"];
}
