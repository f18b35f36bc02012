/// <reference lib="dom" />
/**
 * The table of regions or functions: as a tree or flat, searched, sorted; with bars, standard errors, and a column for the
 * selected time span.
 * @module
 */
import {
  cellText,
  duration,
  grouped,
  NOT_AVAILABLE,
  percent,
  prefixOf,
  withUnit,
} from "../numbers.ts";
import { select } from "./d3.ts";
import { addControls, button, choice, el, section } from "./dom.ts";
import { type Model, type Page, selectRegion } from "./model.ts";
import { shownTimeline, spanSums } from "./power.ts";
import { csvText, save } from "./save.ts";

/** Rows at first, and with each press of the button. */
const FIRST_ROWS = 100, MORE_ROWS = 200;
/** Rows on paper: regions of at least this share. */
const PRINTED_SHARE = 0.01;
const COARSE =
  "No standard error: the value is the difference of the counter readings at the start and end of " +
  "the region. Regions shorter than the update period of the counter are inaccurate.";

type Sort =
  | "name"
  | "energy"
  | "share"
  | "se"
  | "time"
  | "power"
  | "visits"
  | "visit"
  | "p50"
  | "slowest"
  | "span";

interface Column {
  readonly sort: Sort;
  head(unit: string): string;
  text(i: number): string;
  readonly class: string;
}

/** The section. */
export function regionsView(page: Page): void {
  const { model } = page;
  if (model.regions.name.length === 0) return;
  new RegionTable(page);
}

class RegionTable {
  readonly #page: Page;
  readonly #model: Model;
  readonly #head = el("tr");
  readonly #body = el("tbody");
  readonly #count = el("p", { class: "hint", role: "status" });
  readonly #more: HTMLButtonElement;
  readonly #columns: readonly Column[];
  #sort: Sort = "energy";
  #sign = -1;
  #isOwn = false;
  #isFlat = false;
  #shown = FIRST_ROWS;
  #isPrinted = false;
  #factor = 1;
  /** Length of the longest bar: of the outermost region with most energy or time. */
  #longest = 1;
  #prefix = "";
  #spanS: ReadonlyMap<number, number> = new Map();
  #spanLength = NaN;

  constructor(page: Page) {
    this.#page = page;
    this.#model = page.model;
    this.#columns = this.#columnsOf();
    if (!this.#model.hasEnergy || this.#model.hasFunctions) this.#sort = "time";
    const { data, state } = page;
    const redraw = () => page.changed();
    const { hasFunctions } = this.#model, title = hasFunctions ? "Functions" : "Regions";
    const search = el("input", {
      type: "search",
      size: 14,
      placeholder: `Search ${title.toLowerCase()}`,
      "aria-label": `Search ${title.toLowerCase()}`,
      oninput: (event) => {
        page.model.search = (event.target as HTMLInputElement).value.toLowerCase();
        this.#shown = FIRST_ROWS;
        redraw();
      },
    });
    const component = data.components.length < 2 ? undefined : el("select", {
      "aria-label": "Component",
      onchange: (event) => {
        state.component = Number((event.target as HTMLSelectElement).value);
        redraw();
      },
    }, ...data.components.map(({ name }, k) => el("option", { value: k, text: name })));
    const isNested = this.#model.regions.parent.some((parent) => parent >= 0);
    const own = choice(
      "Energy and time",
      [["all", "with nested"], ["own", "own only"]],
      "all",
      (value) => {
        this.#isOwn = value === "own";
        redraw();
      },
    );
    const flat = choice("Order", [["tree", "tree"], ["flat", "flat"]], "tree", (value) => {
      this.#isFlat = value === "flat";
      redraw();
    });
    const id = hasFunctions ? "functions" : "regions";
    const view = section(id, title, "w12 u7", search, component);
    if (isNested) addControls(view, own, flat);
    addControls(
      view,
      button("CSV", () => save(`${id}.csv`, this.#csv(), "text/csv"), `Save the ${id} as CSV`),
    );
    this.#more = button(`Show ${MORE_ROWS} more`, () => {
      this.#shown += MORE_ROWS;
      redraw();
    });
    view.append(
      el(
        "div",
        {
          class: "scroll",
          tabindex: 0,
          role: "region",
          "aria-label": `Table of ${title.toLowerCase()}`,
        },
        el(
          "table",
          { role: "treegrid", "aria-labelledby": `${id}-h` },
          el("thead", {}, this.#head),
          this.#body,
        ),
      ),
      this.#count,
      this.#more,
      el("p", {
        class: "hint",
        text:
          `Bar: energy with nested ${title.toLowerCase()}, dark part: own energy. Whisker: ± 2 standard errors; ` +
          `± is one. ${
            hasFunctions
              ? "Power: energy divided by CPU time. –: the energy cannot be determined."
              : "Slowest ÷ mean: time of the slowest process divided by the mean; 1.00 is perfect balance."
          }`,
      }),
    );
    this.#makeHead();
    page.draws.push(() => {
      // The other table can change it.
      if (component !== undefined) component.value = String(state.component);
      this.#draw();
    });
    addEventListener("beforeprint", () => this.#print(true));
    addEventListener("afterprint", () => this.#print(false));
  }

  #columnsOf(): readonly Column[] {
    const { regions } = this.#model;
    const has = (column: readonly (number | null)[]) => column.some((value) => value !== null);
    const some = (columns: readonly (number | null)[][]) => columns.some(has);
    const cell = (sort: Sort) => (i: number) => cellText(this.#value(i, sort));
    const energy: Column[] = !this.#model.hasEnergy ? [] : [
      {
        sort: "energy",
        head: (unit) => `energy (${unit}J)`,
        text: (i) => {
          const se = this.#value(i, "se");
          const value = this.#value(i, "energy");
          return cellText(
            value === null ? null : value / this.#factor,
            se === null ? null : se / this.#factor,
          );
        },
        class: "",
      },
      {
        sort: "se",
        head: (unit) => `± (${unit}J)`,
        text: (i) => {
          const se = this.#value(i, "se");
          return cellText(se === null ? null : se / this.#factor, undefined, 2);
        },
        class: "",
      },
      {
        sort: "share",
        head: () => "share",
        text: (i) => percent((this.#value(i, "energy") ?? NaN) / this.#total),
        class: "",
      },
    ];
    return [
      ...energy,
      {
        sort: "time",
        head: () => this.#model.hasFunctions ? "CPU time (s)" : "time (s)",
        text: cell("time"),
        class: energy.length > 0 ? "opt" : "",
      },
      ...!some(regions.power_w) ? [] : [{
        sort: "power" as const,
        head: () => "power (W)",
        text: (i: number) => cellText(this.#value(i, "power"), undefined, 3),
        class: "opt",
      }],
      ...!has(regions.visits) ? [] : [
        {
          sort: "visits" as const,
          head: () => "visits",
          text: (i: number) => {
            const visits = this.#value(i, "visits");
            return visits === null
              ? NOT_AVAILABLE
              : grouped(visits, Number.isInteger(visits) ? 0 : 1);
          },
          class: "opt opt2",
        },
        ...energy.length === 0 ? [] : [{
          sort: "visit" as const,
          head: () => "energy a visit",
          text: (i: number) => {
            const value = this.#value(i, "visit");
            return value === null ? NOT_AVAILABLE : withUnit(value, "J", 1e-9);
          },
          class: "opt opt2",
        }],
      ],
      ...!has(regions.p50_s) ? [] : [{
        sort: "p50" as const,
        head: () => "median visit",
        text: (i: number) => duration(this.#value(i, "p50")),
        class: "opt",
      }],
      ...!has(regions.slowest) ? [] : [{
        sort: "slowest" as const,
        head: () => "slowest ÷ mean",
        text: (i: number) => cellText(this.#value(i, "slowest"), undefined, 3),
        class: "opt opt2",
      }],
      // The timeline has no functions.
      ...this.#model.hasFunctions ? [] : [{
        sort: "span" as const,
        head: () => "in selection",
        text: (i: number) => percent(this.#value(i, "span")),
        class: "opt span",
      }],
    ];
  }

  /** Values of the bars, with nested regions. */
  get #whole(): readonly (number | null)[] {
    const { regions, hasEnergy } = this.#model;
    return hasEnergy ? regions.energy_j[this.#page.state.component] ?? [] : regions.time_s;
  }

  get #total(): number {
    return this.#model.total(this.#page.state.component);
  }

  /** Value of the chosen component; null: not available. */
  #value(i: number, what: Sort): number | null {
    const { regions } = this.#model, { component } = this.#page.state;
    const own = this.#isOwn;
    switch (what) {
      case "energy":
      case "share":
        return (own ? regions.own_energy_j : regions.energy_j)[component]?.[i] ?? null;
      case "se":
        return own ? null : regions.se_j[component]?.[i] ?? null;
      case "time":
        return (own ? regions.own_time_s : regions.time_s)[i];
      case "power":
        return regions.power_w[component]?.[i] ?? null;
      case "visits":
        return regions.visits[i];
      case "visit": {
        const joules = this.#value(i, "energy"), visits = regions.all_visits[i];
        // The energy of a part of the visits is none of one.
        const isPart = (this.#page.data.components[component]?.covers ?? "") !== "";
        return joules === null || visits === null || !(visits > 0) || isPart
          ? null
          : joules / visits;
      }
      case "p50":
        return regions.p50_s[i];
      case "slowest":
        return regions.slowest[i];
      case "span": {
        const spentS = this.#spanS.get(i);
        return spentS === undefined ? null : spentS / this.#spanLength;
      }
      case "name":
        return null;
    }
  }

  #makeHead(): void {
    const heading = (sort: Sort, text: string, kind: string) => {
      const one = button(text, () => {
        this.#sign = this.#sort === sort ? -this.#sign : sort === "name" ? 1 : -1;
        this.#sort = sort;
        this.#page.changed();
      });
      return el("th", { scope: "col", class: kind, "data-sort": sort }, one);
    };
    this.#head.append(
      heading("name", this.#model.hasFunctions ? "function" : "region", "l"),
      el("th", {
        class: "barcell l",
        scope: "col",
        text: this.#model.hasEnergy ? "energy" : "time",
      }),
      ...this.#columns.map(({ sort, head, class: kind }) => heading(sort, head(""), kind)),
    );
  }

  #ordered(list: readonly number[]): number[] {
    const { regions: { rest, name } } = this.#model;
    const known = (i: number) => this.#value(i, this.#sort);
    return list.toSorted((a, b) => {
      // Energy outside of the regions comes last.
      if ((a >= rest) !== (b >= rest)) return a >= rest ? 1 : -1;
      if (this.#sort === "name") return this.#sign * (name[a] < name[b] ? -1 : 1);
      const [x, y] = [known(a), known(b)];
      if (x === null || y === null) return (x === null ? 1 : 0) - (y === null ? 1 : 0);
      return this.#sign * (x - y);
    });
  }

  #rows(): number[] {
    const { regions, children, tops, open, paths, search } = this.#model;
    if (this.#isFlat || search !== "") {
      const all = [...regions.name.keys()];
      return this.#ordered(all.filter((i) => paths[i].toLowerCase().includes(search)));
    }
    const rows: number[] = [];
    const walk = (list: readonly number[]) => {
      for (const i of this.#ordered(list)) {
        rows.push(i);
        if (open.has(i) || this.#isPrinted) walk(children[i]);
      }
    };
    walk(tops);
    return rows;
  }

  #draw(): void {
    const { state } = this.#page;
    const timeline = state.span === undefined ? undefined : shownTimeline(this.#page);
    this.#spanS = timeline === undefined ? new Map() : spanSums(timeline, state.span!).regionS;
    this.#spanLength = state.span === undefined ? NaN : state.span[1] - state.span[0];
    const whole = this.#whole;
    this.#longest = this.#model.tops.reduce((most, i) => Math.max(most, whole[i] ?? 0), 1e-12);
    [this.#factor, this.#prefix] = prefixOf(this.#longest / 20, 1e-3);
    for (const head of this.#head.querySelectorAll<HTMLElement>("th[data-sort]")) {
      const isSorted = head.dataset.sort === this.#sort;
      const way = this.#sign < 0 ? "descending" : "ascending";
      head.setAttribute("aria-sort", isSorted ? way : "none");
    }
    [...this.#head.children].slice(2).forEach((head, k) => {
      head.firstElementChild!.textContent = this.#columns[k].head(this.#prefix);
    });
    const all = this.#rows();
    const rows = this.#isPrinted
      ? all.filter((i) =>
        !this.#model.hasEnergy || (this.#value(i, "energy") ?? 0) >= PRINTED_SHARE * this.#total
      )
      : all.slice(0, this.#shown);
    this.#body.parentElement!.classList.toggle("spanned", state.span !== undefined);
    // Rows are kept, so that what has the focus keeps it.
    const made = select(this.#body).selectAll<HTMLTableRowElement, number>("tr")
      .data(rows, (i) => i).join((enter) => enter.append((i) => this.#rowOf(i))).order();
    made.each((i, k, list) => this.#fill(list[k], i));
    this.#more.hidden = all.length <= rows.length || this.#isPrinted;
    const { search } = this.#model;
    const found = search === "" ? "" : ` for “${search}”`;
    const more = all.length > rows.length ? `, ${grouped(all.length - rows.length)} more` : "";
    this.#count.textContent = `${grouped(rows.length)} of ${
      grouped(this.#model.regions.name.length)
    } rows shown${found}${more}.`;
  }

  #rowOf(i: number): HTMLTableRowElement {
    const { regions, colour, paths, children, open } = this.#model;
    const name = el("th", { class: "name", scope: "row", title: paths[i] });
    const twist = children[i].length === 0
      ? el("span", { class: "tw", "aria-hidden": "true" })
      : button("▸", () => {
        if (!open.delete(i)) open.add(i);
        this.#page.changed();
      }, `Nested regions of ${regions.name[i]}`);
    twist.classList.add("tw");
    const swatch = el("span", { class: "sw", "aria-hidden": "true" });
    swatch.style.background = `var(${colour[i]})`;
    const pick = button(regions.name[i], () => selectRegion(this.#page, i));
    pick.classList.add("rn");
    name.append(twist, swatch, pick, el("span", { class: "tag", text: "coarse", title: COARSE }));
    const bar = el("div", { class: "bar", "aria-hidden": "true" }, el("i"), el("i"), el("u"));
    return el(
      "tr",
      {},
      name,
      el("td", { class: "barcell" }, bar),
      ...this.#columns.map(({ class: kind }) => el("td", { class: kind })),
    );
  }

  #fill(row: HTMLTableRowElement, i: number): void {
    const { regions, depth, paths, children, open } = this.#model;
    const { state } = this.#page;
    const isFlat = this.#isFlat || this.#model.search !== "";
    const [name, barCell, ...cells] = row.children as unknown as HTMLElement[];
    name.style.paddingLeft = isFlat ? "" : `calc(.2rem + ${Math.min(depth[i], 12)} * var(--ind))`;
    const [twist, , pick, tag] = name.children as unknown as HTMLElement[];
    pick.textContent = isFlat ? paths[i] : regions.name[i];
    pick.setAttribute("aria-pressed", String(this.#model.selected === i));
    const energy = regions.energy_j[state.component]?.[i] ?? null;
    const se = regions.se_j[state.component]?.[i] ?? null;
    tag.hidden = energy === null || se !== null || !this.#model.isRegion(i) ||
      !regions.se_j.some((column) => column.some((value) => value !== null));
    row.setAttribute("aria-level", String(isFlat ? 1 : depth[i] + 1));
    row.setAttribute("aria-selected", String(this.#model.selected === i));
    const isOpen = open.has(i) || this.#isPrinted;
    if (children[i].length > 0) {
      twist.textContent = isFlat ? "" : isOpen ? "▾" : "▸";
      (twist as HTMLButtonElement).disabled = isFlat;
      twist.setAttribute("aria-expanded", String(isOpen));
      row.setAttribute("aria-expanded", String(isOpen && !isFlat));
    }
    this.#fillBar(barCell.firstElementChild as HTMLElement, i, se);
    cells.forEach((cell, k) => cell.textContent = this.#columns[k].text(i));
  }

  #fillBar(bar: HTMLElement, i: number, se: number | null): void {
    const { regions, hasEnergy } = this.#model, { component } = this.#page.state;
    const of = (list: readonly (number | null)[] | undefined, k: number) =>
      Math.max(0, list?.[k] ?? 0);
    const whole = this.#whole, largest = this.#longest;
    const own = hasEnergy ? regions.own_energy_j[component] : regions.own_time_s;
    const [all, inner, whisker] = bar.children as unknown as HTMLElement[];
    const width = (value: number) => `${Math.min(100, 100 * value / largest).toFixed(2)}%`;
    all.style.width = width(of(whole, i));
    inner.style.width = width(Math.min(of(whole, i), of(own, i)));
    const half = 2 * (hasEnergy ? se ?? 0 : 0);
    whisker.hidden = !(half > 0.002 * largest);
    const left = Math.max(0, of(whole, i) - half);
    whisker.style.left = width(left);
    whisker.style.width = width(Math.min(largest - left, of(whole, i) + half - left));
  }

  #print(isPrinted: boolean): void {
    this.#isPrinted = isPrinted;
    this.#draw();
  }

  /** One row a region and component. */
  #csv(): string {
    const { regions, paths, depth } = this.#model, { data } = this.#page;
    const columns = [
      ...[
        "path",
        this.#model.hasFunctions ? "function" : "region",
        "depth",
        "visits",
        "time_s",
        "own_time_s",
        "component",
        "energy_j",
      ],
      ...["se_j", "own_energy_j", "power_w"],
    ].map((name) => ({ name }));
    const components = data.components.length === 0 ? [{ id: "" }] : data.components;
    const rows = components.flatMap(({ id }, k) =>
      regions.name.map((name, i) => [
        ...[
          paths[i],
          name,
          depth[i],
          regions.visits[i],
          regions.time_s[i],
          regions.own_time_s[i],
          id,
        ],
        ...[regions.energy_j, regions.se_j, regions.own_energy_j, regions.power_w]
          .map((list) => list[k]?.[i] ?? null),
      ])
    );
    return csvText({ title: "", columns, rows, more: 0 });
  }
}
