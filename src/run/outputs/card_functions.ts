/**
 * Functions on the card: those with most time of their own, and how complete their stacks are.
 * @module
 */
import { printable } from "../../core/printable.ts";
import { isMapping, numberOf, type Report } from "../../core/report.ts";
import { time } from "./card_text.ts";

const ROWS_MOST = 10;
const NAME_WIDTH = 42;

/** Lines of the card; none where the run had no functions, or several hosts. */
export function functionLines({ hosts }: Report): string[] {
  const functions = hosts.length === 1 ? hosts[0].joulemark?.functions : undefined;
  if (!isMapping(functions) || !Array.isArray(functions.list)) return [];
  const of = numberOf(functions["cpu-time (s)"]);
  const rows = functions.list.filter(isMapping).filter((row) => numberOf(row["self-time (s)"]) > 0)
    .slice(0, ROWS_MOST);
  const shows = Number.isFinite(numberOf(functions["complete (%)"]));
  const lines = rows.map((row) => {
    const own = numberOf(row["self-time (s)"]);
    const module = String(row.module ?? "");
    return line(
      printable(String(row.function)),
      time(own),
      shows ? `${(100 * own / of).toFixed(1)} %` : "",
      printable(module.slice(module.lastIndexOf("/") + 1)),
    );
  });
  const samples = numberOf(functions.samples), lost = numberOf(functions.lost);
  const complete = shows
    ? `stacks ${numberOf(functions["complete (%)"]).toFixed(0)} % complete`
    : "too few for shares";
  const loss = lost > 0 ? `, ${lost} lost` : "";
  return [
    line("function", "own time", shows ? "share" : "", "module"),
    ...lines,
    `samples ${samples} at ${numberOf(functions["rate (Hz)"])} Hz${loss}; ${complete}`,
  ];
}

function line(name: string, own: string, share: string, module: string): string {
  const shown = name.slice(0, NAME_WIDTH).padEnd(NAME_WIDTH);
  return `${shown} ${own.padStart(9)} ${share.padStart(7)}  ${module}`.trimEnd();
}
