/// <reference lib="dom" />
/**
 * Tables that are sorted by a click on a heading and searched by a word; long ones grow by a button.
 * @module
 */
import type { PageTable } from "../data.ts";
import { cellText, grouped, NOT_AVAILABLE } from "../numbers.ts";
import { button, el } from "./dom.ts";
import { csvText, fileName, save } from "./save.ts";

/** From so many rows on there is a search. */
const SEARCH_FROM = 12;
/** Rows at first, and with each press of the button. */
const FIRST_ROWS = 100, MORE_ROWS = 200;
const INDENT_REM = 0.5;

type Cell = string | number | null;

/** A table with its controls. */
export function tableBlock(table: PageTable): HTMLElement {
  const state = { column: -1, sign: -1, word: "", shown: FIRST_ROWS };
  const isNumber = table.columns.map((_, i) => {
    return table.rows.some((row) => typeof row[i] === "number");
  });
  const body = el("tbody");
  const count = el("p", { class: "hint", role: "status" });
  const more = button(`Show ${MORE_ROWS} more`, () => {
    state.shown += MORE_ROWS;
    fill();
  });
  const heads = table.columns.map(({ name, unit }, i) => {
    const sort = button(unit === undefined ? name : `${name} (${unit})`, () => {
      // Numbers start with the largest one, names with A.
      state.sign = state.column === i ? -state.sign : isNumber[i] ? -1 : 1;
      state.column = i;
      fill();
    });
    return el("th", { scope: "col", class: isNumber[i] ? "" : "l" }, sort);
  });
  const fill = () => {
    heads.forEach((head, i) => {
      const way = state.sign < 0 ? "descending" : "ascending";
      head.setAttribute("aria-sort", i === state.column ? way : "none");
    });
    const found = table.rows.filter((row) => {
      return state.word === "" ||
        row.some((cell) => typeof cell === "string" && cell.toLowerCase().includes(state.word));
    });
    const rows = state.column < 0 ? found : sorted(found, state.column, state.sign);
    body.replaceChildren(...rows.slice(0, state.shown).map(rowOf));
    more.hidden = rows.length <= state.shown;
    const parts = rows.length <= state.shown && state.word === ""
      ? []
      : [`${Math.min(state.shown, rows.length)} of ${grouped(table.rows.length)} rows`];
    if (table.more > 0) parts.push(`${grouped(table.more)} more rows are in the report`);
    count.textContent = parts.join("; ");
  };
  fill();
  const search = table.rows.length < SEARCH_FROM ? undefined : el("input", {
    type: "search",
    size: 14,
    placeholder: "Search",
    "aria-label": `Search: ${table.title}`,
    oninput: (event) => {
      state.word = (event.target as HTMLInputElement).value.toLowerCase();
      fill();
    },
  });
  const csv = button("CSV", () => {
    save(fileName(table.title, "csv"), csvText(table), "text/csv");
  }, `Save "${table.title}" as CSV`);
  return el(
    "div",
    { class: "table" },
    el("p", { class: "tools small noprint" }, search, csv),
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": table.title },
      el(
        "table",
        {},
        el("caption", { class: "sr", text: table.title }),
        el("thead", {}, el("tr", {}, ...heads)),
        body,
      ),
    ),
    count,
    more,
  );
}

function sorted(rows: PageTable["rows"], column: number, sign: number): PageTable["rows"] {
  return rows.toSorted((x, y) => {
    const [a, b] = [x[column], y[column]];
    // Absent values stay at the end either way.
    if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  });
}

function rowOf(cells: readonly Cell[]): HTMLElement {
  return el("tr", {}, ...cells.map(cellOf));
}

function cellOf(cell: Cell, i: number): HTMLElement {
  if (typeof cell !== "string") {
    const text = cell === null
      ? NOT_AVAILABLE
      : Number.isInteger(cell)
      ? grouped(cell)
      : numberText(cell);
    return el("td", { text });
  }
  if (i > 0) return el("td", { class: "wrap", text: cell });
  // Blanks before a name are its depth in a tree.
  const name = cell.trimStart(), depth = cell.length - name.length;
  const head = el("th", { scope: "row", class: "wrap", text: name });
  if (depth > 0) head.style.paddingLeft = `${0.4 + INDENT_REM * depth}rem`;
  return head;
}

/** Five digits; small numbers keep theirs. */
function numberText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e9) return cellText(value, undefined, 5);
  return String(Number(value.toPrecision(4)));
}
