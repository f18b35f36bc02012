/**
 * A report out of what a YAML reader made of one: for files that another program rewrote, with
 * other blanks, quotes or comments. Slow, so only what the reader of the fixed layout refuses.
 * @module
 */
import { FormatError } from "../core/errors.ts";
import type { Report, ReportFields, ReportHost, ReportRegion } from "../core/report.ts";
import { SECTIONS } from "../formats/report.ts";

type Mapping = Record<string, unknown>;

const HEADER = new Set(["GEOPM Version", "Start Time", "Profile", "Agent", "Policy", "Hosts"]);

/** @throws {FormatError} If it is no report at all. */
export function reportFromYaml(data: unknown, path: string): Report {
  const wrong = (expected: string, found: string) =>
    new FormatError(path, 0, { action: "merge", expected, found, remedy: "it is left out" });
  if (!isMapping(data)) throw wrong("a report", "no mapping");
  const hosts = data.Hosts;
  if (!isMapping(hosts) || Object.keys(hosts).length === 0) {
    throw wrong("hosts under Hosts", hosts === undefined ? "no such key" : "none");
  }
  const missing = ["GEOPM Version", "Start Time", "Profile", "Agent"].find((key) => !(key in data));
  if (missing !== undefined) throw wrong(`the header key "${missing}"`, "none");
  const { joulemark, ...rest } = data;
  return {
    version: text(data["GEOPM Version"]),
    startTime: text(data["Start Time"]),
    profile: text(data.Profile),
    agent: text(data.Agent),
    policy: isMapping(data.Policy) ? JSON.stringify(data.Policy) : text(data.Policy ?? "{}"),
    header: fieldsOf(Object.fromEntries(Object.entries(rest).filter(([key]) => !HEADER.has(key)))),
    ...(isMapping(joulemark) ? { joulemark: joulemark as Report["joulemark"] } : {}),
    hosts: Object.entries(hosts).map(([name, sections]) => {
      if (isMapping(sections) && isMapping(sections["Application Totals"])) {
        return hostOf(name, sections);
      }
      throw wrong(`"Application Totals" of host ${name}`, "none");
    }),
  };
}

function hostOf(name: string, sections: Mapping): ReportHost {
  const host: ReportHost = { host: name, agent: {}, application: {} };
  for (const [title, value] of Object.entries(sections)) {
    const section = SECTIONS[title as keyof typeof SECTIONS];
    if (section !== undefined && isMapping(value)) host[section] = fieldsOf(value);
    else if (title === "Regions" && Array.isArray(value)) host.regions = value.map(regionOf);
    else if (title === "joulemark" && isMapping(value)) {
      host.joulemark = value as ReportHost["joulemark"];
    } else Object.assign(host.agent, fieldsOf({ [title]: value }));
  }
  return host;
}

function regionOf(data: unknown): ReportRegion {
  const { region, hash, ...fields } = isMapping(data) ? data : {};
  return { region: text(region), hash: Number(hash), fields: fieldsOf(fields) };
}

/** Numbers and texts; a YAML 1.2 reader leaves `nan` and `1e5` in some forms as text. */
function fieldsOf(data: Mapping): ReportFields {
  const fields: ReportFields = {};
  for (const [key, value] of Object.entries(data)) {
    if (typeof value === "number") fields[key] = value;
    else if (typeof value === "string") {
      const number = /^-?nan$/i.test(value) ? NaN : Number(value);
      fields[key] = /^(-?nan|[-+0-9.][-+0-9.e]*)$/i.test(value) ? number : value;
    }
  }
  return fields;
}

function text(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof Date);
}
