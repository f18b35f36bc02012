/// <reference lib="dom" />
/**
 * Tables that are sorted by a click on a heading, and filtered by a word.
 * @module
 */
import type { PageTable } from "../content.ts";
import { button, make, shown } from "./dom.ts";

const FILTER_FROM = 12;
const INDENT_REM = 0.5;

/** A section with one table. */
export function tableSection(table: PageTable, simulated: string | undefined): HTMLElement {
  const body = make("tbody");
  const count = make("p", { attributes: { class: "more", role: "status" } });
  const state = { column: -1, descending: false, word: "" };
  const headings = table.columns.map(({ name, unit }, i) => {
    const title = unit ? `${name} (${unit})` : name;
    const sort = button(title, () => {
      // Figures are looked at from the largest down, names from A on.
      const isText = table.rows.every((row) => typeof row[i] === "string");
      state.descending = state.column === i ? !state.descending : !isText;
      state.column = i;
      fill();
    });
    const isNumber = table.rows.some((row) => typeof row[i] === "number");
    const attributes = { scope: "col", class: isNumber ? "number" : "" };
    return make("th", { attributes, children: [sort] });
  });
  const fill = () => {
    headings.forEach((heading, i) => {
      const way = state.descending ? "descending" : "ascending";
      heading.setAttribute("aria-sort", i === state.column ? way : "none");
    });
    const rows = sorted(table.rows, state.column, state.descending).filter((row) => {
      const word = state.word.toLowerCase();
      return word === "" ||
        row.some((cell) => typeof cell === "string" && cell.toLowerCase().includes(word));
    });
    body.replaceChildren(...rows.map((row) => make("tr", { children: row.map(cellOf) })));
    const parts = rows.length < table.rows.length
      ? [`${rows.length} of ${table.rows.length} shown`]
      : [];
    if (table.more > 0) {
      parts.push(`${table.more} more rows are left out here; the report has them`);
    }
    count.textContent = parts.join("; ");
  };
  fill();
  return make("section", {
    attributes: { "aria-label": table.title },
    children: [
      make("h2", { text: table.title }),
      table.rows.length >= FILTER_FROM ? filter(table.title, state, fill) : undefined,
      make("div", {
        attributes: { class: "scroll", tabindex: "0", role: "region", "aria-label": table.title },
        children: [make("table", {
          children: [
            make("caption", {
              text: simulated === undefined ? table.title : `${table.title} [${simulated}]`,
            }),
            make("thead", { children: [make("tr", { children: headings })] }),
            body,
          ],
        })],
      }),
      count,
    ],
  });
}

function filter(title: string, state: { word: string }, fill: () => void): HTMLElement {
  const input = make("input", { attributes: { type: "search", autocomplete: "off" } });
  input.addEventListener("input", () => {
    state.word = input.value;
    fill();
  });
  const label = make("label", { text: "Filter " });
  input.setAttribute("aria-label", `Filter: ${title}`);
  label.append(input);
  return make("p", { attributes: { class: "controls" }, children: [label] });
}

function sorted(rows: PageTable["rows"], column: number, descending: boolean): PageTable["rows"] {
  if (column < 0) return rows;
  const sign = descending ? -1 : 1;
  return [...rows].sort((x, y) => {
    const [a, b] = [x[column], y[column]];
    // What is not known stays at the end either way.
    if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  });
}

function cellOf(cell: string | number | null, i: number): HTMLElement {
  const isText = typeof cell === "string";
  const attributes: Record<string, string> = isText ? {} : { class: "number" };
  if (i === 0) attributes.scope = "row";
  if (i > 0 || !isText) {
    return make(i === 0 ? "th" : "td", { text: isText ? cell : shown(cell), attributes });
  }
  // Blanks before a name are its depth in a tree.
  const name = cell.trimStart();
  const heading = make("th", { text: name, attributes });
  const depth = cell.length - name.length;
  if (depth > 0) heading.style.paddingLeft = `${0.4 + INDENT_REM * depth}rem`;
  return heading;
}
