/// <reference lib="dom" />
/**
 * The page's data with what follows from it: nested regions, their paths and colours; and what the reader chose.
 * @module
 */
import type { PageData, PageRegions } from "../data.ts";

/** Colours of regions in the style sheet: --c0 … --c6, and --cx of all others. */
const REGION_COLOURS = 7;
/** Rows that are open at first, at most. */
const MAX_OPEN = 12;
/** Share of the energy from which a nested region is opened. */
const OPEN_SHARE = 0.01;

/** Choices of the reader; all views show them. */
export interface State {
  component: number;
  /** Selected time span, s. */
  span: readonly [from: number, to: number] | undefined;
  /** Time span that is shown, s; `undefined`: all. */
  zoom: readonly [from: number, to: number] | undefined;
  /** Host of the plot over time; "" is the sum of all. */
  host: string;
  /** View that the address names. */
  view: string;
}

/** Regions, or functions in their stacks, with their nesting, and which of them the reader chose. */
export class Model {
  readonly regions: PageRegions;
  readonly children: number[][];
  readonly tops: number[] = [];
  readonly paths: string[] = [];
  readonly depth: number[] = [];
  /** Variable of the style sheet. */
  readonly colour: string[];
  readonly open = new Set<number>();
  /** Selected row; −1: none. */
  selected = -1;
  /** Words that rows are searched for, in lower case. */
  search = "";

  /** @param hasFunctions Are the rows functions in their stacks? Their times are CPU time. */
  constructor(readonly data: PageData, readonly hasFunctions: boolean) {
    const regions = this.regions = (hasFunctions ? data.functions : data.regions) ?? NO_REGIONS;
    const { name, parent } = regions;
    this.children = name.map(() => []);
    this.colour = name.map(() => "--cx");
    parent.forEach((around, i) => {
      const list = around < 0 ? this.tops : this.children[around];
      list.push(i);
      this.paths[i] = around < 0 ? name[i] : `${this.paths[around]}/${name[i]}`;
      this.depth[i] = around < 0 ? 0 : this.depth[around] + 1;
    });
    const weight = (i: number) => this.weight(i, data.component);
    let main = this.tops.filter((i) => this.isRegion(i));
    // All functions are below main() and what calls it.
    while (this.hasFunctions && main.length === 1 && this.children[main[0]].length > 0) {
      main = this.children[main[0]];
    }
    main = main.toSorted((a, b) => weight(b) - weight(a));
    main.slice(0, REGION_COLOURS).forEach((i, k) => this.#paint(i, `--c${k}`));
    const total = this.hasFunctions ? this.seconds : this.total(data.component);
    for (const i of name.keys()) {
      const isShown = parent[i] < 0 || this.open.has(parent[i]);
      if (this.open.size >= MAX_OPEN || !isShown) continue;
      if (this.children[i].some((j) => weight(j) > OPEN_SHARE * total)) this.open.add(i);
    }
  }

  /** Is it no rest, such as the time outside of all regions? */
  isRegion(i: number): boolean {
    return i < this.regions.rest;
  }

  /** Energy of a region, of a function or without any energy its time. */
  weight(i: number, component: number): number {
    const { energy_j, time_s } = this.regions;
    return this.hasEnergy && !this.hasFunctions ? energy_j[component]?.[i] ?? 0 : time_s[i] ?? 0;
  }

  get hasEnergy(): boolean {
    return this.regions.energy_j.some((column) => column.some((value) => value !== null));
  }

  /** Energy of a component, J; of a page without components the sum of its outermost regions. */
  total(component: number): number {
    const known = this.data.components[component]?.energy_j;
    if (known !== null && known !== undefined) return known;
    return this.tops.reduce((sum, i) => sum + this.weight(i, component), 0);
  }

  /** Time of the run, of functions their CPU time, s. */
  get seconds(): number {
    return (this.hasFunctions ? null : this.data.seconds) ??
      this.tops.reduce((sum, i) => sum + (this.regions.time_s[i] ?? 0), 0);
  }

  /** Is a region another one, or nested in it? */
  inside(i: number, other: number): boolean {
    for (let at = i; at >= 0; at = this.regions.parent[at]) if (at === other) return true;
    return false;
  }

  /** Is a region to be shown in full colour? */
  isLit(i: number): boolean {
    const { selected, search } = this;
    if (search !== "" && !this.paths[i].toLowerCase().includes(search)) return false;
    return selected < 0 || this.inside(i, selected) || this.inside(selected, i);
  }

  /** The row with a name: the outermost one. */
  named(name: string): number {
    const found = this.tops.find((i) => this.regions.name[i] === name);
    return found ?? this.regions.name.indexOf(name);
  }

  #paint(i: number, colour: string): void {
    this.colour[i] = colour;
    for (const child of this.children[i]) this.#paint(child, colour);
  }
}

const NO_REGIONS: PageRegions = {
  name: [],
  parent: [],
  rest: 0,
  visits: [],
  all_visits: [],
  time_s: [],
  own_time_s: [],
  p50_s: [],
  p99_s: [],
  slowest: [],
  energy_j: [],
  se_j: [],
  own_energy_j: [],
  power_w: [],
  durations: [],
};

/** The page as its views see it. */
export interface Page {
  readonly data: PageData;
  readonly model: Model;
  readonly functions: Model;
  readonly state: State;
  /** The state has changed: all views and the address follow. */
  changed(): void;
  /** Called before all draws: what is read from the layout is read before anything is written. */
  readonly measures: (() => void)[];
  /** Called with each change, and when the width or the theme changes. */
  readonly draws: (() => void)[];
}

/** Selects a row of the model in all views, or none where it is selected already. */
export function selectRegion(page: Page, i: number): void {
  page.model.selected = page.model.selected === i ? -1 : i;
  page.changed();
}
