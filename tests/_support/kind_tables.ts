/**
 * Tables of the kinds of events for pages: `deno task docs` puts them into the pages, a test holds the
 * pages to them. In a page a table stands between `<!-- kinds NAME -->` and `<!-- end -->`.
 */
import {
  DESCRIBING_ROWS,
  EVENT_KINDS,
  type RecordedRow,
} from "../../src/core/events/event_kinds.ts";

const TABLE = /<!-- kinds (\w+) -->\n[^]*?<!-- end -->/g;

const TABLES: Readonly<Record<string, () => string>> = { recording: recordedRows, ring: records };

/** A page with its tables made anew. */
export function withKindTables(path: string): string {
  const text = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
  return text.replace(TABLE, (_, name) => `<!-- kinds ${name} -->\n${TABLES[name]()}<!-- end -->`);
}

function recordedRows(): string {
  const lines = [
    "| event | region | meaning, and content of the column value |",
    "| --- | --- | --- |",
  ];
  for (const { row } of EVENT_KINDS) if (row !== undefined) lines.push(recordedRow(row));
  for (const { event, about } of Object.values(DESCRIBING_ROWS)) {
    lines.push(`| \`${event}\` | name | ${about} |`);
  }
  return lines.join("\n") + "\n";
}

function recordedRow({ event, region, about }: RecordedRow): string {
  const column = region === undefined ? "" : region === "command" ? "`command`" : "name";
  return `| \`${event}\` | ${column} | ${about ?? ""} |`;
}

function records(): string {
  const lines = ["| kind | value (u32) | payload |", "| --- | --- | --- |"];
  for (const { code, ring } of EVENT_KINDS) {
    if (ring === undefined) continue;
    lines.push(`| ${code} ${ring.about} | ${ring.value ?? ""} | ${ring.payload ?? ""} |`);
  }
  return lines.join("\n") + "\n";
}
