/**
 * The sampled fields of a report: which signals they come from, and how.
 *
 * Keys, order and formulas are those of geopm_report(7); docs/reference/formats/report.md lists them.
 * @module
 */
import type { Domain } from "../../core/machine/domain.ts";
import { REPORTED_HINTS } from "../../core/hints.ts";
import type { ReportFields } from "../../core/report.ts";
import type { SignalRequest } from "../../core/signal_list.ts";
import { HASH_APPLICATION } from "../../core/hash.ts";
import { ENERGY_SIGNALS, NODE_ENERGY_KEY } from "../../core/job_totals.ts";
import type { Unit } from "../../core/signal.ts";
import type { Coverage, FigureCoverage, Known } from "./coverage.ts";
import type { SampleAggregator } from "./sample_aggregator.ts";

interface Field {
  readonly key: string;
  readonly signal: string;
  /** Divides by this signal; 0 when that is 0. */
  readonly per?: string;
  readonly scale?: "percent" | "sticker";
}

/** Fields of every section. */
const FIELDS: readonly Field[] = [
  { key: "sync-runtime (s)", signal: "TIME" },
  { key: "package-energy (J)", signal: "CPU_ENERGY" },
  { key: "dram-energy (J)", signal: "DRAM_ENERGY" },
  { key: "power (W)", signal: "CPU_ENERGY", per: "TIME" },
  {
    key: "frequency (%)",
    signal: "CPU_CYCLES_THREAD",
    per: "CPU_CYCLES_REFERENCE",
    scale: "percent",
  },
  {
    key: "frequency (Hz)",
    signal: "CPU_CYCLES_THREAD",
    per: "CPU_CYCLES_REFERENCE",
    scale: "sticker",
  },
  ...REPORTED_HINTS.map((hint) => ({
    key: `time-hint-${hint.toLowerCase()} (s)`,
    signal: `TIME_HINT_${hint}`,
  })),
];

/** Fields that only appear if the node has the signal. */
const CONDITIONAL: readonly Field[] = [
  { key: "gpu-energy (J)", signal: "GPU_ENERGY" },
  { key: "gpu-power (W)", signal: "GPU_POWER" },
  { key: "gpu-core-energy (J)", signal: "GPU_CORE_ENERGY" },
  { key: "gpu-core-power (W)", signal: "GPU_CORE_POWER" },
  { key: "gpu-frequency (Hz)", signal: "GPU_CORE_FREQUENCY_STATUS" },
  { key: "uncore-frequency (Hz)", signal: "CPU_UNCORE_FREQUENCY_STATUS" },
];

/** Energy of the node if it is the integral of a power. */
const NODE: Field = { key: NODE_ENERGY_KEY, signal: ENERGY_SIGNALS.node };

/** Signals that a plain report cannot do without; if one is absent its field reads 0. */
export const MANDATORY_SIGNALS: readonly string[] = [
  "CPU_ENERGY",
  "DRAM_ENERGY",
  "CPU_CYCLES_THREAD",
  "CPU_CYCLES_REFERENCE",
  "CPUINFO::FREQ_STICKER",
];

/** The signal that a field of every section comes from; `undefined` if it is no such field. */
export function keySignal(key: string): string | undefined {
  return FIELDS.find((field) => field.key === key)?.signal;
}

/** Facts that the fields depend on in addition to the aggregator. */
export interface ReportSignalsOptions {
  /** Does the node have this signal? */
  exists(name: string): boolean;
  /** Instances of a domain. */
  count(domain: Domain): number;
  /** The user's own, in their order. */
  user: readonly SignalRequest[];
  /** Is it calculated from other signals, as the integral of a power? */
  isDerived(name: string): boolean;
  /** Unit of a signal. */
  unit(name: string): Unit | undefined;
  /** Reads a signal that never changes, whenever asked; `undefined`: it may change. */
  constant(name: string, domain: Domain, index: number): (() => number) | undefined;
  /** Watches which part of the time energies and powers cover. */
  coverage: Coverage;
}

/** Pushes what a report needs, and answers with the fields of one region. */
export class ReportSignals {
  /** Sticker frequency in Hz; NaN if the node has none. */
  stickerHz = NaN;
  readonly #aggregator: SampleAggregator;
  readonly #fields: Field[];
  readonly #handles = new Map<string, number>();
  /** Fields of a region that no sample saw. */
  #unseen: ReportFields | undefined;
  /** A handle of −1: the node does not have the signal. */
  readonly #user: { key: string; handle: number; constant?: () => number }[] = [];
  /** Energies and powers by key; what is absent has none. */
  readonly #covered = new Map<string, FigureCoverage>();

  /**
   * @throws {UsageError} If a user's signal is a label, or does not fit its domain.
   * @throws {UnknownNameError} If a user's signal is unknown.
   */
  constructor(aggregator: SampleAggregator, options: ReportSignalsOptions) {
    this.#aggregator = aggregator;
    this.#fields = [...FIELDS, ...CONDITIONAL.filter((field) => options.exists(field.signal))];
    // The energies of other counters are in the attribution.
    if (options.isDerived(NODE.signal)) this.#fields.push(NODE);
    for (const { signal, per } of this.#fields) {
      for (const name of per === undefined ? [signal] : [signal, per]) {
        this.#handles.set(name, aggregator.pushSignal(name, "board", 0));
      }
    }
    for (const { name, domain } of options.user) {
      const count = domain === "board" ? 1 : options.count(domain);
      for (let i = 0; i < count; i++) {
        const key = domain === "board" ? name : `${name}@${domain}-${i}`;
        // What never changes has no mean: every section shows it as it is.
        const constant = options.constant(name, domain, i);
        if (constant !== undefined) {
          this.#user.push({ key, handle: options.exists(name) ? 0 : -1, constant });
          continue;
        }
        const handle = aggregator.pushSignal(name, domain, i);
        this.#user.push({ key, handle: options.exists(name) ? handle : -1 });
        if (!isFigure(options.unit(name))) continue;
        const figure = options.coverage.watch(name, domain, i);
        if (figure !== undefined) this.#covered.set(key, figure);
      }
    }
    const bySignal = new Map<string, FigureCoverage | undefined>();
    for (const { key, signal } of this.#fields) {
      if (!isFigure(options.unit(signal))) continue;
      const figure = bySignal.getOrInsertComputed(signal, () => {
        return options.coverage.watch(signal, "board", 0);
      });
      if (figure !== undefined) this.#covered.set(key, figure);
    }
  }

  /** Time of the whole epoch interval. */
  epochRuntimeS(): number {
    return this.#aggregator.sampleEpoch(this.#handles.get("TIME")!);
  }

  /**
   * The fields of one section in the report's order: time and count, then all sampled fields of a
   * region by its hash.
   */
  fields(hash: number, runtimeS: number, count: number): ReportFields {
    // Most of very many regions were never seen at a sample: what they show is the same for all.
    const fields = this.#aggregator.hasSeen(hash)
      ? this.#sampled(hash)
      : { ...(this.#unseen ??= this.#shaped(this.#sampled(hash))) };
    fields["runtime (s)"] = runtimeS;
    fields.count = count;
    return fields;
  }

  #sampled(hash: number): ReportFields {
    const fields: ReportFields = { "runtime (s)": 0, count: 0 };
    for (const field of this.#fields) {
      const value = this.#value(field, hash);
      // geopm_report(7) has no word for "never there" in its own fields.
      fields[field.key] = !this.isWhole(field.key, hash) ? NaN : Number.isNaN(value) ? 0 : value;
    }
    for (const { key, handle, constant } of this.#user) {
      if (constant !== undefined) {
        fields[key] = handle >= 0 ? constant() : NaN;
        continue;
      }
      const isKnown = handle >= 0 && this.isWhole(key, hash);
      fields[key] = isKnown ? this.#aggregator.sampleRegion(handle, hash) : NaN;
    }
    return fields;
  }

  /** Copy of the fields that is cheap to copy again: parsed, not built key by key. */
  #shaped(fields: ReportFields): ReportFields {
    // Of texts at first: a field that may be anything shares its numbers with the copies, while each of a
    // field for binary64 has memory of its own.
    const shape = Object.fromEntries(Object.keys(fields).map((key) => [key, ""]));
    return Object.assign(JSON.parse(JSON.stringify(shape)), fields);
  }

  /** Adds what is known of figures that do not cover all of a region: docs/reference/coverage.md. */
  addKnown(fields: ReportFields, hash: number): void {
    for (const [key, figure] of this.#covered) {
      if (figure.isWhole(hash)) continue;
      const { name, unit } = ownKey(key);
      const { value, share } = hash === HASH_APPLICATION
        ? this.#knownOfAll(key, figure)
        : this.#knownOf(key, hash, figure);
      fields[`joulemark-${name}-known${unit}`] = value;
      fields[`joulemark-${name}-coverage (%)`] = 100 * share;
    }
  }

  /** Figures of the application that do not cover all of it, by GEOPM's key or the user's. */
  gaps(): Map<string, Known> {
    const gaps = new Map<string, Known>();
    for (const [key, figure] of this.#covered) {
      if (!figure.isWhole(HASH_APPLICATION)) gaps.set(key.replace(OWN, ""), figure.known());
    }
    return gaps;
  }

  /** Is the figure of a key known for all of a region? */
  isWhole(key: string, hash: number): boolean {
    return this.#covered.get(key)?.isWhole(hash) ?? true;
  }

  #knownOfAll(key: string, figure: FigureCoverage): { value: number; share: number } {
    const { value, powerW, share } = figure.known();
    return { value: isMean(key) ? powerW : value, share };
  }

  /** Value of a field in the steps in which every part was measured, and their share. */
  #knownOf(key: string, hash: number, figure: FigureCoverage): { value: number; share: number } {
    const field = this.#fields.find((f) => f.key === key);
    const user = this.#user.find((u) => u.key === key);
    const handle = user?.handle ?? this.#handles.get(field!.signal)!;
    const sampled = this.#aggregator.sampleRegion(handle, hash);
    const lengthS = this.#aggregator.sampleRegion(this.#handles.get("TIME")!, hash);
    const coveredS = Math.max(0, lengthS - figure.lostS(hash));
    const known = figure.isPower ? sampled : Math.max(0, sampled - figure.lostJ(hash));
    const value = coveredS === 0 ? NaN : field?.per === undefined ? known : known / coveredS;
    const allS = lengthS + figure.besideS(hash);
    return { value, share: allS > 0 ? coveredS / allS : 0 };
  }

  #value(field: Field, hash: number): number {
    const sampled = this.#aggregator.sampleRegion(this.#handles.get(field.signal)!, hash);
    if (field.per === undefined) return sampled;
    const divisor = this.#aggregator.sampleRegion(this.#handles.get(field.per)!, hash);
    if (divisor === 0) return 0;
    if (field.scale === "percent") return 100 * sampled / divisor;
    return (field.scale === "sticker" ? this.stickerHz : 1) * sampled / divisor;
  }
}

function isFigure(unit: Unit | undefined): boolean {
  return unit === "J" || unit === "W";
}

/** `power (W)` is an energy over a time. */
function isMean(key: string): boolean {
  return key === "power (W)";
}

/** Before keys that are no key of GEOPM's. */
const OWN = /^joulemark-/;

/** Name and unit of a key of ours beside one of GEOPM's or of the user's. */
function ownKey(key: string): { name: string; unit: string } {
  if (isMean(key)) return { name: "package-power", unit: " (W)" };
  const found = /^(.*) (\([JW]\))$/.exec(key.replace(OWN, ""));
  return found === null ? { name: key, unit: "" } : { name: found[1], unit: ` ${found[2]}` };
}
