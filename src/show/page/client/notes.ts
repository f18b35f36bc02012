/// <reference lib="dom" />
/**
 * Sources, notes by kind, other tables, and the report's own mappings.
 * @module
 */
import type { Nested } from "../../../core/report.ts";
import { grouped } from "../numbers.ts";
import { button, el, find, section } from "./dom.ts";
import type { Page } from "./model.ts";
import { fileName, save } from "./save.ts";
import { tableBlock } from "./table.ts";

/** Sources of the quantities. */
export function sourcesView({ data }: Page): void {
  if (data.sources.length === 0) return;
  const count = data.hosts?.name.length ?? 1;
  const own = section("sources", "Sources and quality", "w6 u4");
  own.append(tableBlock({
    title: "Sources and quality",
    columns: [
      { name: "quantity" },
      { name: "quality" },
      { name: "source" },
      ...count > 1 ? [{ name: "hosts" }] : [],
    ],
    rows: data.sources.map(({ signal, quality, source, hosts }) => [
      ...[signal, quality, source],
      ...count > 1 ? [hosts] : [],
    ]),
    more: 0,
  }));
}

/** Notes: one entry a kind, with the number of hosts. */
export function notesView({ data }: Page): void {
  if ((data.regions ?? data.functions) === undefined && data.notes.length === 0) return;
  const own = section("notes", "Notes", "w6 u4");
  if (data.notes.length === 0) {
    own.append(el("p", { text: "There are no notes: no limits of these values are known." }));
  }
  const all = data.hosts?.name.length ?? 1;
  for (const { text, count, hosts } of data.notes) {
    if (count === 0) {
      own.append(el("p", { class: "note", text }));
      continue;
    }
    const more = count > hosts.length ? `, and ${grouped(count - hosts.length)} more` : "";
    const which = count === 1 ? ` (${hosts[0]})` : ` (${grouped(count)} of ${grouped(all)} hosts)`;
    own.append(el(
      "details",
      {},
      el("summary", {}, text, el("span", { class: "n", text: which })),
      el("p", { class: "hint", text: `Hosts: ${hosts.join(", ")}${more}.` }),
    ));
  }
}

/** Tables of other files, and of reports what has no view of its own. */
export function tableViews({ data }: Page): void {
  data.tables.forEach((table, k) => {
    section(`table-${k + 1}`, table.title, "w12").append(tableBlock(table));
  });
}

/** View of the page's provenance. */
export function aboutView({ data }: Page): void {
  if (data.provenance === undefined) return;
  const own = section("about", "Coverage and provenance", "w12");
  for (const [key, value] of Object.entries(data.provenance)) {
    own.append(el(
      "details",
      {},
      el("summary", { text: key }),
      el("pre", { text: linesOf(value, "").join("\n") }),
    ));
  }
}

/** A mapping as lines, nested by blanks. */
function linesOf(value: Nested, indent: string): string[] {
  if (value === null || typeof value !== "object") return [`${indent}${value}`];
  if (Array.isArray(value)) return value.flatMap((one) => linesOf(one, `${indent}- `));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (inner === null || typeof inner !== "object") return [`${indent}${key}: ${inner}`];
    return [`${indent}${key}:`, ...linesOf(inner, `${indent.replace("-", " ")}  `)];
  });
}

/** Buttons of the whole page. */
export function toolbar({ data }: Page, toggleTheme: () => void): void {
  find("header .tools").append(
    button("Light / dark", toggleTheme),
    button("Print", () => print()),
    button("Data: JSON", () => {
      save(fileName(data.title, "json"), JSON.stringify(data), "application/json");
    }, "Save the data of the page as JSON"),
  );
}
