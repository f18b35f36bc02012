/**
 * Time series of raw stats as OpenMetrics text 1.0.
 *
 * A counter is what has been added up since the first sample, so that it never falls; a gauge is
 * its value. Families are `rawstats_TYPE_KEY_UNIT`, labels host, device and, for one job, its id.
 * @module
 */
import { escapedLabel } from "../../formats/metrics.ts";
import { type ByteText, Piece, Pieces } from "../byte_text.ts";
import { EXACT_BELOW } from "../../formats/rawstats/columns.ts";
import type { RawType } from "../differ.ts";
import { addExact, type Exact, type KeyPart, type KeyReader, scaled } from "../series.ts";
import type { DeviceSeries, NodeSeries } from "../series.ts";
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
  /** Types and keys of that name: more than one where a type's name has a point. */
  readonly sources: Map<string, string>;
}

/** What ends the lines of a node, by the number of the time: every series has the same. */
const LINE_ENDS = new WeakMap<NodeSeries, Pieces>();

function lineEnds(series: NodeSeries): Pieces {
  return LINE_ENDS.getOrInsertComputed(
    series,
    ({ times }) => new Pieces(times.map((us) => ` ${us / 1e6}\n`)),
  );
}

/** Adds what a node has to the families. */
export function addFamilies(families: Map<string, MetricFamily>, series: NodeSeries): void {
  for (const type of new Set(series.list.map((device) => device.type))) {
    type.keys.forEach((key, column) => {
      if (key.kind === "control") return;
      const name = `${type.schema.type}.${key.name}`;
      families.getOrInsertComputed(name, () => ({ name, type, column, sources: new Map() }))
        .sources.set(type.schema.type, key.name);
    });
  }
}

/** A node's devices by type: who is in which family is looked up, since members may be millions. */
const BY_TYPE = new WeakMap<NodeSeries, Map<string, DeviceSeries[]>>();

function* membersOf({ sources }: MetricFamily, series: NodeSeries): Generator<KeyPart> {
  const byType = BY_TYPE.getOrInsertComputed(
    series,
    ({ list }) => Map.groupBy(list, (device) => device.type.schema.type),
  );
  const [only] = sources.keys();
  for (const device of sources.size === 1 ? byType.get(only) ?? [] : series.list) {
    const { keys, schema } = device.type;
    const name = sources.get(schema.type);
    for (let column = 0; column < keys.length; column++) {
      if (keys[column].name === name && keys[column].kind !== "control") yield { device, column };
    }
  }
}

/** How families are written. */
export interface FamilyWriting {
  /** In their order. */
  readonly nodes: readonly NodeSeries[];
  readonly job: string | undefined;
  readonly reader: KeyReader;
  readonly shares: Shares;
}

/** Writes one family. */
export function writeFamily(
  turns: Turns,
  wanted: MetricFamily,
  { nodes, job, reader, shares }: FamilyWriting,
): void {
  const { name, type, column } = wanted;
  const [unit, factor] = UNITS[type.units[column].name] ?? ["", 1];
  const isCounter = type.keys[column].kind === "event";
  const plain = `rawstats_${name}`.replace(/[^A-Za-z0-9_]/g, "_");
  const family = unit === "" ? plain : `${plain}_${unit}`;
  const head = turns.out;
  head.text(`# TYPE ${family} ${isCounter ? "counter" : "gauge"}\n`);
  if (unit !== "") head.text(`# UNIT ${family} ${unit}\n`);
  head.text(`# HELP ${family} ${type.schema.type} ${type.keys[column].name} of raw stats\n`);
  const id = job === undefined ? "" : `,job=${label(job)}`;
  const begin = `${family}${isCounter ? "_total" : ""}{`;
  for (const series of nodes) {
    const host = `${begin}host=${label(series.host)},device=`;
    for (const part of membersOf(wanted, series)) {
      turns.to(shares.ofColumn(series.host, part.device.number, part.column));
      if (!turns.isOwn) continue;
      reader.read([part]);
      const text = new Piece(`${host}${label(part.device.device)}${id}} `);
      writeMember(turns.out, reader, { begin: text, ends: lineEnds(series), factor, isCounter });
    }
  }
}

interface MemberLines {
  readonly begin: Piece;
  /** By number of the time. */
  readonly ends: Pieces;
  readonly factor: number;
  readonly isCounter: boolean;
}

function writeMember(
  out: ByteText,
  reader: KeyReader,
  { begin, ends, factor, isCounter }: MemberLines,
): void {
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

/** The lines after the last family. */
export const METRICS_END = "# EOF\n";

function label(text: string): string {
  return `"${escapedLabel(text)}"`;
}
