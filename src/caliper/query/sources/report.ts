/**
 * A report as a source of records: one per host and section.
 *
 * `section` is one of `region`, `unmarked`, `epoch` or `application`. Pairs that an agent gave a
 * host go with its application totals; those of the header and at the end are globals. The part
 * under `joulemark:` is no table and is left out.
 * @module
 */

import { formatHex } from "../../../core/number_format.ts";
import type { Nested, Report, ReportHost } from "../../../core/report.ts";
import { PROPERTY } from "../../model/attribute.ts";
import { TYPE } from "../../model/variant.ts";
import { parseWholeReport } from "../../../formats/report.ts";
import { INPUT, pieces, RecordMaker } from "../record_maker.ts";
import type { ReadBytes, RecordSource } from "./source.ts";

/**
 * @param read Gives the bytes of the report; it is held whole, as large as its regions are many.
 * @param path Its name in errors: the source throws the FormatError of a report that cannot be read.
 */
export function reportSource(read: ReadBytes, path: string = INPUT): RecordSource {
  return (tree, sink) => {
    const maker = new RecordMaker(tree, sink);
    const decoder = new TextDecoder();
    let text = "";
    for (const piece of pieces(read)) text += decoder.decode(piece, { stream: true });
    const { report } = parseWholeReport(text + decoder.decode(), path);
    pushGlobals(maker, report);
    for (const host of report.hosts) pushHost(maker, host);
  };
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

function pushHost(maker: RecordMaker, host: ReportHost): void {
  for (const { region, hash, fields } of host.regions ?? []) {
    begin(maker, host.host, "region");
    const nested = { properties: PROPERTY.nested };
    maker.text(maker.attribute("region", TYPE.string, nested), region);
    maker.text(maker.attribute("hash", TYPE.string), formatHex(hash));
    pushFields(maker, fields);
    maker.emit();
  }
  for (const section of ["unmarked", "epoch", "application"] as const) {
    const fields = host[section];
    if (fields === undefined) continue;
    begin(maker, host.host, section);
    pushFields(maker, fields);
    if (section === "application") pushFields(maker, host.agent);
    maker.emit();
  }
}

function begin(maker: RecordMaker, host: string, section: string): void {
  maker.text(maker.attribute("host", TYPE.string), host);
  maker.text(maker.attribute("section", TYPE.string), section);
}

/** An agent's block of lines is one text. */
function scalarOf(value: Nested): number | string {
  return typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
}

function pushFields(maker: RecordMaker, fields: ReportHost["agent"]): void {
  for (const [key, nested] of Object.entries(fields)) {
    const value = scalarOf(nested);
    const { name, unit } = attributeName(key);
    const type = typeof value === "number" ? TYPE.double : TYPE.string;
    const attribute = maker.attribute(name, type, { unit, other: key });
    if (typeof value === "string") maker.text(attribute, value);
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
