/**
 * A report as a source of records: the rows of the long table, with nested regions.
 *
 * The row of times of a section has GEOPM's fields too, without their units, and `section`: `region`,
 * `unmarked` or `application`; an epoch is a record of its own. Pairs that an agent gave a host go with its
 * application totals; those of the header and at the end are globals.
 * @module
 */

import { grown } from "../../../core/grow.ts";
import { formatHex } from "../../../core/number_format.ts";
import type { Nested, Report, ReportFields } from "../../../core/report.ts";
import { pathNames, TIDY_COLUMNS, type TidyRow, tidyRows } from "../../../core/tidy_rows.ts";
import { PROPERTY } from "../../model/attribute.ts";
import { NONE } from "../../model/tree.ts";
import { TYPE } from "../../model/variant.ts";
import { reportText } from "../../../formats/journal.ts";
import { parseWholeReport } from "../../../formats/report.ts";
import { toByteText } from "../byte_text.ts";
import type { MergedTree } from "../merged_tree.ts";
import { INPUT, RecordMaker } from "../record_maker.ts";
import type { ReadBytes, RecordSource } from "./source.ts";

const FIRST_BYTES = 65536;

/**
 * @param read Gives the bytes of the report; it is held whole, as large as its regions are many.
 * @param path Its name in errors: the source throws the FormatError of a report that cannot be read.
 * @param number Number of the run among the inputs. @default 1
 */
export function reportSource(read: ReadBytes, path: string = INPUT, number = 1): RecordSource {
  return (tree, sink) => {
    const maker = new RecordMaker(tree, sink);
    const { report } = parseWholeReport(reportText(all(read)), path);
    pushGlobals(maker, report);
    sink.hasPathColumn?.();
    const nested = maker.attribute("regions", TYPE.string, {
      properties: PROPERTY.nested | PROPERTY.hidden,
    });
    const rows = tidyRows(report, {
      number,
      fields: (section, { fields, hash }, { agent }) => ({
        section,
        ...(hash === undefined ? {} : hashField(hash)),
        ...scalars(fields),
        ...(section === "application" ? scalars(agent) : {}),
      }),
    });
    for (const row of rows) {
      pushRow(maker, row);
      maker.reference(chainOf(tree, nested, String(row.path)));
      maker.emit();
    }
    for (const { host, epoch } of report.hosts) {
      if (epoch === undefined) continue;
      pushRow(maker, { profile: report.profile, host, section: "epoch", ...scalars(epoch) });
      maker.emit();
    }
  };
}

/** All bytes of an input. */
function all(read: ReadBytes): Uint8Array {
  let bytes = new Uint8Array(FIRST_BYTES), length = 0;
  for (;;) {
    if (length === bytes.length) bytes = grown(bytes);
    const count = read(bytes.subarray(length));
    if (count === null) return bytes.subarray(0, length);
    length += count;
  }
}

function pushGlobals(maker: RecordMaker, report: Report): void {
  maker.global("geopm_version", report.version);
  maker.global("start_time", report.startTime);
  maker.global("profile_name", report.profile);
  maker.global("agent", report.agent);
  maker.global("policy", report.policy);
  for (const fields of [report.header, report.appended ?? {}]) {
    for (const [key, value] of Object.entries(fields)) {
      maker.global(attributeName(key).name, scalarOf(value));
    }
  }
}

/** Regions of a path, outermost first, as one chain of nodes; `NONE`: the whole run. */
function chainOf(tree: MergedTree, attribute: number, path: string): number {
  return pathNames(path).reduce((parent, name) => {
    return tree.child(parent, attribute, TYPE.string, toByteText(name));
  }, NONE);
}

function hashField(hash: number): TidyRow {
  return { hash: formatHex(hash) };
}

function scalars(fields: ReportFields | { [key: string]: Nested }): TidyRow {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, scalarOf(value)]));
}

/** An agent's block of lines is one text. */
function scalarOf(value: Nested): number | string {
  return typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
}

/** Columns of the table by name. */
const COLUMNS = new Map(TIDY_COLUMNS.map((column) => [column.name, column]));

function pushRow(maker: RecordMaker, row: TidyRow): void {
  for (const [key, value] of Object.entries(row)) {
    const column = COLUMNS.get(key);
    const { name, unit } = column ?? attributeName(key);
    const isText = typeof value === "string";
    const type = isText ? TYPE.string : column?.type === "integer" ? TYPE.int : TYPE.double;
    const attribute = maker.attribute(name, type, { unit, other: key });
    if (isText) maker.text(attribute, value);
    else maker.push(attribute, type, value);
  }
}

/**
 * `package-energy (J)` is `package-energy` with unit `J`. Blanks become hyphens, as reports have
 * them between words. Percentages have it in their names: `frequency (%)` is separate from
 * `frequency (Hz)`.
 */
export function attributeName(key: string): { name: string; unit: string } {
  const [, words, unit] = /^(.*\S) \(([^()]+)\)$/.exec(key) ?? [key, key, ""];
  const name = words.trim().replace(/\s+/g, "-");
  return { name: unit === "%" ? `${name}-percent` : name, unit };
}
