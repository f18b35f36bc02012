/**
 * Time series of raw stats as OpenMetrics text 1.0.
 *
 * A counter is what has been added up since the first sample, so that it never falls; a gauge is
 * its value. Families are `rawstats_TYPE_KEY_UNIT`, labels host, device and, for one job, its id.
 * @module
 */
import { escapedLabel } from "../../formats/metrics.ts";
import { type ByteText, Piece } from "../byte_text.ts";
import type { RawType } from "../differ.ts";
import { addExact, type Exact, type KeyPart, type KeyReader, scaled } from "../series.ts";
import type { NodeSeries } from "../series.ts";

const BLANK = 32, LF = 10;
const UNITS: Readonly<Record<string, readonly [name: string, factor: number]>> = {
  B: ["bytes", 1],
  cs: ["seconds", 0.01],
  ms: ["seconds", 0.001],
  us: ["seconds", 1e-6],
  mW: ["watts", 0.001],
  W: ["watts", 1],
};

/** A family: one key of one type, of all nodes and devices. */
export interface MetricFamily {
  /** `TYPE.KEY`: families are in its order. */
  readonly name: string;
  /** Of its first member, and the key's column there. */
  readonly type: RawType;
  readonly column: number;
  readonly members: { readonly series: NodeSeries; readonly part: KeyPart }[];
}

/** Adds what a node has to the families. */
export function addFamilies(families: Map<string, MetricFamily>, series: NodeSeries): void {
  for (const device of series.list) {
    device.type.keys.forEach((key, column) => {
      if (key.kind === "control") return;
      const name = `${device.type.schema.type}.${key.name}`;
      let family = families.get(name);
      if (family === undefined) {
        family = { name, type: device.type, column, members: [] };
        families.set(name, family);
      }
      family.members.push({ series, part: { device, column } });
    });
  }
}

/** How families are written. */
export interface FamilyWriting {
  readonly job: string | undefined;
  readonly reader: KeyReader;
}

/** Writes one family. */
export function writeFamily(
  out: ByteText,
  { name, type, column, members }: MetricFamily,
  { job, reader }: FamilyWriting,
): void {
  const [unit, factor] = UNITS[type.units[column].name] ?? ["", 1];
  const isCounter = type.keys[column].kind === "event";
  const plain = `rawstats_${name}`.replace(/[^A-Za-z0-9_]/g, "_");
  const family = unit === "" ? plain : `${plain}_${unit}`;
  out.text(`# TYPE ${family} ${isCounter ? "counter" : "gauge"}\n`);
  if (unit !== "") out.text(`# UNIT ${family} ${unit}\n`);
  out.text(`# HELP ${family} ${type.schema.type} ${type.keys[column].name} of raw stats\n`);
  const id = job === undefined ? "" : `,job=${label(job)}`;
  for (const { series, part } of members) {
    const labels = `host=${label(series.host)},device=${label(part.device.device)}${id}`;
    const begin = new Piece(`${family}${isCounter ? "_total" : ""}{${labels}} `);
    const { times } = series;
    reader.read([part]);
    const { at, raw, delta, spans: [{ scale }] } = reader;
    let sum: Exact = 0;
    for (let i = 0; i < reader.count; i++) {
      if (raw[i] !== raw[i]) continue;
      if (delta[i] === delta[i]) sum = addExact(sum, reader.exactDelta(i)!);
      const count = scaled(isCounter ? sum : reader.exactRaw(i)!, scale);
      out.piece(begin);
      if (factor === 1) out.exact(count);
      else out.number(Number(count) * factor);
      out.char(BLANK);
      out.number(times[at[i]] / 1e6);
      out.char(LF);
    }
  }
}

/** The lines after the last family. */
export const METRICS_END = "# EOF\n";

function label(text: string): string {
  return `"${escapedLabel(text)}"`;
}
