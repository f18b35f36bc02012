/**
 * Functions of a run in its summary: those with most time of their own, and how complete their stacks are.
 * @module
 */
import { baseName } from "../../core/names.ts";
import { counted } from "../../core/counted.ts";
import { isMapping, type Nested, numberOf } from "../../core/report.ts";
import { COMPONENT_NAMES, ENERGY_KINDS, type EnergyKind } from "../../core/region_tree.ts";
import { timeText } from "./quantity_text.ts";
import { errorCells } from "./cell_text.ts";
import { markdownColumns, WIDE_LOOK } from "./markdown.ts";
import { cutText, type Look, shownNames } from "./text_layout.ts";

/** An energy of a function, J; NaN: it cannot be determined. */
export interface FunctionEnergy {
  readonly joules: number;
  readonly seJ: number;
}

/** Functions of a run that was sampled, on one host or several. NaN: not known. */
export interface FunctionFacts {
  /** Rows of functions, those with the most time of their own first. */
  readonly rows: readonly {
    readonly name: string;
    readonly module: string;
    readonly ownS: number;
    /** By component. */
    readonly energies: ReadonlyMap<EnergyKind, FunctionEnergy>;
  }[];
  /** Functions that no row has: their number, and the time of their own. */
  readonly unlisted: { readonly count: number; readonly ownS: number };
  /** Energy while the CPUs that the command used waited, by component. */
  readonly waiting: ReadonlyMap<EnergyKind, FunctionEnergy>;
  /** Hosts that have no functions. */
  readonly hostsWithout: number;
  readonly cpuS: number;
  readonly samples: number;
  readonly lost: number;
  /** NaN: hosts differ. */
  readonly rateHz: number;
  /** Stacks that reach the thread's begin without a guess, %; NaN: too few samples for shares. */
  readonly completePercent: number;
  /** Frames that were found by a guess, %. */
  readonly guessedPercent: number;
}

/** The row of all functions that the list leaves out. */
const UNLISTED = "others";
const MAX_ROWS = 10, MAX_NAME = 40, NAME_WITH_ENERGY = 28, ENERGY_WIDTH = 18;
const MIN_MODULE = 12;
/** Fewer guessed frames are not shown. */
const MIN_GUESSED_PERCENT = 1;

/**
 * Functions of all hosts. A host without a function adds nothing to it; an energy that one host does not know is
 * not known.
 *
 * @param hosts What the report of each host has of functions.
 * @returns `undefined`: none has any.
 */
export function functionFacts(hosts: readonly (Nested | undefined)[]): FunctionFacts | undefined {
  const all = hosts.map(hostFunctions).filter((facts) => facts !== undefined);
  if (all.length === 0 || hosts.length === 1) return all[0];
  const kinds = ENERGY_KINDS.filter((kind) => all.some(({ waiting }) => waiting.has(kind)));
  const energies = (parts: readonly ReadonlyMap<EnergyKind, FunctionEnergy>[]) => {
    return new Map(kinds.map((kind) => [kind, energySum(parts.map((part) => part.get(kind)))]));
  };
  const sum = (of: (facts: FunctionFacts) => number) => all.reduce((all, one) => all + of(one), 0);
  const percent = (of: (facts: FunctionFacts) => number) => {
    const known = all.filter((facts) => Number.isFinite(of(facts)));
    const weight = known.reduce((sum, { samples }) => sum + samples, 0);
    return known.reduce((sum, facts) => sum + facts.samples * of(facts), 0) / weight;
  };
  const byFunction = Map.groupBy(
    all.flatMap(({ rows }) => rows),
    ({ name, module }) => `${name}\0${module}`,
  );
  return {
    rows: [...byFunction.values()].map((rows) => ({
      name: rows[0].name,
      module: rows[0].module,
      ownS: rows.reduce((sum, { ownS }) => sum + ownS, 0),
      energies: energies(rows.map((row) => row.energies)),
    })).sort((a, b) => b.ownS - a.ownS),
    unlisted: unlistedOf(all),
    waiting: energies(all.map(({ waiting }) => waiting)),
    hostsWithout: hosts.length - all.length,
    cpuS: sum(({ cpuS }) => cpuS),
    samples: sum(({ samples }) => samples),
    lost: sum(({ lost }) => lost),
    rateHz: all.every(({ rateHz }) => rateHz === all[0].rateHz) ? all[0].rateHz : NaN,
    completePercent: percent(({ completePercent }) => completePercent),
    guessedPercent: percent(({ guessedPercent }) => guessedPercent),
  };
}

/** Hosts that leave out functions may leave out the same ones: how many they are is not known then. */
function unlistedOf(all: readonly FunctionFacts[]): FunctionFacts["unlisted"] {
  const some = all.map(({ unlisted }) => unlisted).filter(({ ownS }) => ownS > 0);
  return {
    count: some.length > 1 ? NaN : some[0]?.count ?? 0,
    ownS: some.reduce((sum, { ownS }) => sum + ownS, 0),
  };
}

function energySum(parts: readonly (FunctionEnergy | undefined)[]): FunctionEnergy {
  return {
    joules: parts.reduce((sum, part) => sum + (part?.joules ?? NaN), 0),
    seJ: Math.hypot(...parts.map((part) => part?.seJ ?? NaN)),
  };
}

/** Functions of the report of one host; `undefined`: it has none. */
function hostFunctions(functions: Nested | undefined): FunctionFacts | undefined {
  if (!isMapping(functions) || !Array.isArray(functions.list)) return undefined;
  const energy = isMapping(functions.energy) ? functions.energy : {};
  const kinds = ENERGY_KINDS.filter((kind) => isMapping(energy[kind]));
  const energyOf = (row: { readonly [key: string]: Nested }, key: string): FunctionEnergy => {
    return { joules: numberOf(row[`${key} (J)`]), seJ: numberOf(row[`${key}-se (J)`]) };
  };
  const list = functions.list.filter(isMapping);
  const others = list.find((row) => row.function === UNLISTED && row.module === undefined);
  const rows = list.filter((row) => row !== others).map((row) => ({
    name: String(row.function),
    module: String(row.module ?? ""),
    ownS: numberOf(row["self-time (s)"]),
    energies: new Map(kinds.map((kind) => [kind, energyOf(row, `${kind}-energy`)])),
  }));
  const unlistedS = numberOf(others?.["self-time (s)"]);
  return {
    rows: rows.filter(({ ownS }) => ownS > 0),
    // Functions that only call others have no row here.
    unlisted: !(unlistedS > 0) ? { count: 0, ownS: 0 } : {
      count: numberOf(functions["functions not listed"]),
      ownS: unlistedS,
    },
    waiting: new Map(kinds.map((kind) => {
      return [kind, energyOf(energy[kind] as { [key: string]: Nested }, "not running")];
    })),
    hostsWithout: 0,
    cpuS: numberOf(functions["cpu-time (s)"]),
    samples: numberOf(functions.samples),
    lost: numberOf(functions.lost),
    rateHz: numberOf(functions["rate (Hz)"]),
    completePercent: numberOf(functions["complete (%)"]),
    guessedPercent: numberOf(functions["guessed frames (%)"]),
  };
}

/** A function's name in C++ without its result, template and call arguments. */
export function shortFunction(name: string): string {
  let kept = "";
  for (let i = 0; i < name.length; i++) {
    const rest = name.slice(i);
    const [operator] = /^\boperator(?:\(\)|\[\]|[-+*/%^&|~!=<>,]+| (?:new|delete))/.exec(rest) ??
      [""];
    if (operator !== "" && !/\w$/.test(kept)) {
      kept += operator;
      i += operator.length - 1;
    } else if ("<(".includes(name[i]) && /([\w>)\]}]|operator\S* ?)$/.test(kept)) {
      kept = kept.trimEnd();
      i = closing(name, i);
    } else kept += name[i];
  }
  if (kept === name) return name;
  const anonymous = "(anonymous namespace)";
  const [, own] = /^(?:.* )??((?:\S|operator )*)$/.exec(
    kept.replace(/ const$| \[clone .*\]$/g, "").replaceAll(anonymous, "\0"),
  ) ?? [];
  return own === undefined || own === "" ? name : own.replaceAll("\0", anonymous);
}

/** Position of the bracket that closes the one at a position; the end if there is none. */
function closing(name: string, from: number): number {
  let depth = 0;
  for (let i = from; i < name.length; i++) {
    if ("<(".includes(name[i])) depth++;
    else if (name[i] === ")" || name[i] === ">" && name[i - 1] !== "-") depth--;
    if (depth === 0) return i;
  }
  return name.length;
}

/** Cells of the table of functions. */
interface FunctionTable {
  /** Name, own time, share, energy and module. */
  readonly heading: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly hasEnergy: boolean;
  /** Lines on the samples. */
  readonly notes: readonly string[];
}

/** The functions with most time of their own. @param kind Component of the energies. */
function tableOf(facts: FunctionFacts, look: Look, kind: EnergyKind | undefined): FunctionTable {
  const { cpuS, samples, lost, rateHz, completePercent, guessedPercent, waiting, hostsWithout } =
    facts;
  const hasShares = Number.isFinite(completePercent), rows = facts.rows.slice(0, MAX_ROWS);
  const none = { joules: NaN, seJ: NaN };
  const energyOf = (row: FunctionFacts["rows"][number]) => {
    return kind === undefined ? none : row.energies.get(kind) ?? none;
  };
  const found = kind === undefined ? undefined : waiting.get(kind);
  const count = facts.rows.length;
  const known = facts.rows.filter((row) => Number.isFinite(energyOf(row).joules)).length;
  // Without any energy there is no column.
  const waits = known > 0 || Number.isFinite(found?.joules) ? found : undefined;
  const { unit, cells } = errorCells(rows.map(energyOf).concat(waits ?? none), look);
  const others = facts.rows.slice(MAX_ROWS);
  const otherS = others.reduce((sum, { ownS }) => sum + ownS, facts.unlisted.ownS);
  const otherCount = others.length + facts.unlisted.count;
  const otherName = Number.isNaN(otherCount)
    ? "(more functions)"
    : `(${counted(otherCount, "more function")})`;
  const shareText = (ownS: number) => hasShares ? `${(100 * ownS / cpuS).toFixed(1)} %` : "";
  const complete = hasShares
    ? `stacks ${completePercent.toFixed(0)} % complete`
    : "too few samples for shares";
  const guess = guessedPercent >= MIN_GUESSED_PERCENT
    ? `, ${guessedPercent.toFixed(0)} % of frames guessed`
    : "";
  const rate = Number.isFinite(rateHz) ? ` at ${rateHz} Hz` : "";
  const loss = lost > 0 ? `, ${lost} lost` : "";
  const energy = kind === undefined ? "" : `${COMPONENT_NAMES[kind]} (${unit})`;
  return {
    heading: ["function", "own time", hasShares ? "share" : "", energy, "module"],
    rows: [
      ...rows.map(({ name, module, ownS }, i) => {
        return [name, timeText(ownS), shareText(ownS), cells[i], baseName(module)];
      }),
      ...otherCount === 0 ? [] : [[otherName, timeText(otherS), shareText(otherS), "", ""]],
      ...Number.isFinite(waits?.joules) ? [["[not running]", "", "", cells.at(-1)!, ""]] : [],
    ],
    hasEnergy: waits !== undefined,
    notes: [
      `${samples} samples${rate}${loss}; ${complete}${guess}`,
      ...hostsWithout === 0 ? [] : [
        `no functions of ${hostsWithout} ${hostsWithout === 1 ? "host" : "hosts"}`,
      ],
      ...found === undefined || known === count ? [] : [
        `no energy for ${count - known} of ${count} functions: the report has the reason for each`,
      ],
    ],
  };
}

/** Table of functions: heading, rows, and lines on the samples. @param kind Component of the energies. */
export function functionLines(
  facts: FunctionFacts,
  look: Look,
  kind: EnergyKind | undefined,
): string[] {
  const { heading, rows, hasEnergy, notes } = tableOf(facts, look, kind);
  const nameWidth = hasEnergy ? NAME_WITH_ENERGY : MAX_NAME;
  const names = shownNames(look, rows.map(([name]) => name), nameWidth);
  const line = ([, own, share, energy, module]: readonly string[], name: string) => {
    const joules = hasEnergy ? energy.padStart(ENERGY_WIDTH) : "";
    const cells = `${cutText(look, name, nameWidth)} ${own.padStart(9)} ${
      share.padStart(7)
    }${joules}  `;
    return cells + cutText(look, module, Math.max(MIN_MODULE, look.width - cells.length));
  };
  return [line(heading, heading[0]), ...rows.map((row, i) => line(row, names[i])), ...notes]
    .map((text) => text.trimEnd());
}

/** The table for GitHub and wikis. */
export function functionMarkdown(facts: FunctionFacts, kind: EnergyKind | undefined): string {
  const { heading, rows } = tableOf(facts, WIDE_LOOK, kind);
  const used = heading.map((_, k) => rows.some((row) => row[k] !== ""));
  const columns = heading.map((text, k) => ({
    heading: text,
    cells: rows.map((row) => row[k]),
    isText: k === 0 || k === heading.length - 1,
  }));
  return markdownColumns(columns.filter((_, k) => used[k]));
}
