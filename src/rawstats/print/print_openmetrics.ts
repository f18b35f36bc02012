/**
 * Time series of raw stats as OpenMetrics text 1.0.
 *
 * A counter is what has been added up since the first sample, so that it never falls; a gauge is
 * its value. Families are `rawstats_TYPE_KEY_UNIT`, labels host, device and, for one job, its id.
 * @module
 */
import { escapedLabel } from "../../formats/metrics.ts";
import { Piece, Pieces } from "../byte_text.ts";
import { EXACT_BELOW } from "../../formats/rawstats/columns.ts";
import type { RawType } from "../differ.ts";
import { addExact, type Exact, type KeyPart, type KeyReader, scaled } from "../series.ts";
import type { NodeSeries } from "../series.ts";
import type { Shares } from "../shares.ts";
import type { Turns } from "../turns.ts";

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

/** What ends the lines of a node, by the number of the time: every series has the same. */
const LINE_ENDS = new WeakMap<NodeSeries, Pieces>();

function lineEnds(series: NodeSeries): Pieces {
  let ends = LINE_ENDS.get(series);
  if (ends === undefined) {
    ends = new Pieces(series.times.map((us) => ` ${us / 1e6}\n`));
    LINE_ENDS.set(series, ends);
  }
  return ends;
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
  readonly shares: Shares;
}

/** Writes one family. */
export function writeFamily(
  turns: Turns,
  { name, type, column, members }: MetricFamily,
  { job, reader, shares }: FamilyWriting,
): void {
  const [unit, factor] = UNITS[type.units[column].name] ?? ["", 1];
  const isCounter = type.keys[column].kind === "event";
  const plain = `rawstats_${name}`.replace(/[^A-Za-z0-9_]/g, "_");
  const family = unit === "" ? plain : `${plain}_${unit}`;
  const head = turns.out;
  head.text(`# TYPE ${family} ${isCounter ? "counter" : "gauge"}\n`);
  if (unit !== "") head.text(`# UNIT ${family} ${unit}\n`);
  head.text(`# HELP ${family} ${type.schema.type} ${type.keys[column].name} of raw stats\n`);
  const id = job === undefined ? "" : `,job=${label(job)}`;
  for (const { series, part } of members) {
    turns.to(shares.ofColumn(series.host, part.device.number, part.column));
    if (!turns.isOwn) continue;
    const { out } = turns;
    const labels = `host=${label(series.host)},device=${label(part.device.device)}${id}`;
    const begin = new Piece(`${family}${isCounter ? "_total" : ""}{${labels}} `);
    const ends = lineEnds(series);
    reader.read([part]);
    const { at, raw, delta, spans: [{ scale }] } = reader;
    let sum: Exact = 0;
    for (let i = 0; i < reader.count; i++) {
      if (raw[i] !== raw[i]) continue;
      let count: Exact;
      if (!isCounter) count = scaled(reader.exactRaw(i)!, scale);
      else {
        if (delta[i] === delta[i]) {
          const plain: number = typeof sum === "number" ? sum + delta[i] : NaN;
          sum = plain < EXACT_BELOW ? plain : addExact(sum, reader.exactDelta(i)!);
        }
        count = scaled(sum, scale);
      }
      out.piece(begin);
      if (factor !== 1) out.number(Number(count) * factor);
      else if (typeof count === "number") out.number(count);
      else out.exact(count);
      out.pieceOf(ends, at[i]);
    }
  }
}

/** The lines after the last family. */
export const METRICS_END = "# EOF\n";

function label(text: string): string {
  return `"${escapedLabel(text)}"`;
}
