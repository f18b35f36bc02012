/**
 * Addition of joulemark to every configuration: signals of the node as metrics of regions.
 *
 * `joulemark.signals=LIST` enables the service `joulemark`, which puts the signals into snapshots:
 * each is an attribute of the signal's name (double, asvalue, aggregatable), and holds the growth
 * of a monotone signal since the snapshot before, or the current value of a variable one. `energy`
 * stands for the energies of packages, memory and GPUs.
 *
 * Each process has its share of a node counter's growth, so sums over ranks are the nodes'.
 * @module
 */

import { nearest, UsageError } from "../../../core/errors.ts";
import type { ConfigFacts } from "./channel_spec.ts";
import type { ChosenOptions, Level } from "./chosen_options.ts";
import { type Column, columns, flag, kept, lets, type Option, word } from "./option.ts";

/**
 * Form of signals in outputs: `report`, a tree with exclusive and inclusive columns; `profile`,
 * named as Hatchet reads metrics; `table`, rows that are no tree of regions; `none`, in no query.
 */
export type SignalStyle = "report" | "profile" | "table" | "none";

/** Signals that `energy` stands for. */
const ENERGY_SIGNALS: readonly string[] = ["CPU_ENERGY", "DRAM_ENERGY", "GPU_ENERGY"];

/** Options of every configuration. */
export const SIGNAL_OPTIONS: readonly Option[] = [
  word("joulemark.signals", "Signals to measure, a comma-separated list in quotes"),
  flag("energy", `Measure ${ENERGY_SIGNALS.join(", ")}`),
];

/** The signals of one channel. */
export class SignalRequest {
  readonly remarks: readonly string[];
  readonly #style: SignalStyle;
  readonly #facts: ConfigFacts;
  readonly #names: readonly string[];

  constructor(style: SignalStyle, options: ChosenOptions, facts: ConfigFacts) {
    this.#style = style;
    this.#facts = facts;
    const remarks: string[] = [], names: string[] = [];
    const wanted = options.isEnabled("energy") ? [...ENERGY_SIGNALS] : [];
    wanted.push(...options.get("joulemark.signals").split(/[\s,]+/).filter((name) => name !== ""));
    for (const name of new Set(wanted)) {
      if (!/^[\w:.#@-]+$/.test(name)) {
        throw new UsageError({
          action: "measure",
          target: name,
          expected: "the name of a signal in joulemark.signals",
          remedy: nearest(name, ENERGY_SIGNALS).map((near) => `did you mean ${near}?`)[0],
        });
      }
      if (facts.behaviorOf(name) !== undefined) names.push(name);
      else remarks.push(`Signal ${name} is left out: it is not known on this machine`);
    }
    this.#names = names;
    this.remarks = remarks;
  }

  services(): string[] {
    return this.#names.length > 0 ? ["joulemark"] : [];
  }

  variables(): Record<string, string> {
    return this.#names.length > 0 ? { CALI_JOULEMARK_SIGNALS: this.#names.join(",") } : {};
  }

  /** Clauses to add to a query. */
  query(level: Level): string {
    if (this.#names.length === 0 || this.#style === "none") return "";
    const all = this.#names.flatMap((signal) => {
      const attributes = this.#facts.attributesOf?.(signal) ?? [signal];
      return attributes.map((name) => ({ signal, name }));
    });
    const shown = columns(...all.flatMap(({ signal, name }) => this.#columns(level, signal, name)));
    if (level === "cross") return shown;
    const terms = all.map(({ signal, name }) => [local(name), kept(this.#operator(signal), name)]);
    return `${lets(Object.fromEntries(terms))} ${shown}`;
  }

  #operator(name: string): "sum" | "avg" {
    return this.#facts.behaviorOf(name) === "monotone" ? "sum" : "avg";
  }

  /** @param name The attribute, of the signal itself or of one of its instances. */
  #columns(level: Level, signal: string, name: string): Column[] {
    const metric = local(name), operator = this.#operator(signal);
    const own = this.#unitOf(signal), unit = own === "" ? undefined : own;
    const title = unit === undefined ? name : `${name} ${unit}`;
    if (this.#style === "profile") {
      const exclusive: Column = [`${operator}(${metric})`, name, unit];
      if (operator === "avg") return [exclusive];
      return [exclusive, [`inclusive_sum(${metric})`, `${name} (inc)`, unit]];
    }
    if (this.#style === "table") {
      if (level === "local") return [[`${operator}(${metric})`, title, unit]];
      return [[`avg(${operator}#${metric})`, `${title}/rank`, unit]];
    }
    if (operator === "sum") {
      const [exclusive, inclusive] = level === "local"
        ? [`sum(${metric})`, `inclusive_sum(${metric})`]
        : [`sum(sum#${metric})`, `sum(inclusive#${metric})`];
      return [[exclusive, `${title} (E)`, unit], [inclusive, `${title} (I)`, unit]];
    }
    if (level === "local") return [[`avg(${metric})`, `${title} (avg)`, unit]];
    return ["min", "avg", "max"].map((over) =>
      [`${over}(avg#${metric})`, `${title}/rank (${over})`, unit] as const
    );
  }

  #unitOf(name: string): string {
    if (this.#facts.unitOf !== undefined) return this.#facts.unitOf(name);
    return name.includes("ENERGY") ? "J" : name.includes("POWER") ? "W" : "";
  }
}

/** The metric of a signal within a query. */
function local(name: string): string {
  return `joulemark.${name}`;
}
