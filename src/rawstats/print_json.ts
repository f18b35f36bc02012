/**
 * Time series of raw stats as JSON, exact to the last digit of 64 bits.
 *
 * `{times, series: {TYPE: {DEVICE: {KEY: {unit, scale, kind, raw, delta, rate, corrections}}}}, …}`:
 * every array has one entry per time, null where the device had no line; `raw` is in counts,
 * `delta` in `unit` (counts × `scale`), null for gauges and control registers as a whole.
 * @module
 */
import type { RawCorrection } from "./differ.ts";
import type { DeviceSeries, Exact, NodeSeries } from "./series.ts";
import { addExact, scaled } from "./series.ts";

/** Takes text in pieces. */
export type Sink = (text: string) => void;

/** A number as JSON has it; what is not there is null. */
export function jsonNumber(value: Exact | undefined): string {
  if (value === undefined) return "null";
  if (typeof value === "bigint") return value.toString();
  return Number.isFinite(value) ? String(value) : "null";
}

/** The members `times`, `series` and `sums` of a node, without braces. */
export function writeNodeSeries(
  sink: Sink,
  series: NodeSeries,
  corrections: readonly RawCorrection[],
): void {
  sink(`"times":[${series.times.map((us) => us / 1e6).join(",")}],`);
  const mended = Map.groupBy(corrections, (c) => `${c.type} ${c.device} ${c.key}`);
  const byType = Map.groupBy(series.list, (device) => device.type.schema.type);
  sink(`"series":{`);
  let comma = "";
  for (const type of [...byType.keys()].sort()) {
    sink(`${comma}${JSON.stringify(type)}:{`);
    comma = "";
    for (const device of byType.get(type)!) {
      sink(`${comma}${JSON.stringify(device.device)}:{`);
      comma = "";
      device.type.keys.forEach((key, k) => {
        const steps = mended.get(`${type} ${device.device} ${key.name}`) ?? [];
        sink(`${comma}${JSON.stringify(key.name)}:${keyText(series, device, k, steps)}`);
        comma = ",";
      });
      sink("}");
      comma = ",";
    }
    sink("}");
  }
  sink(`},"sums":${sumsText(series, byType)}`);
}

function keyText(
  series: NodeSeries,
  device: DeviceSeries,
  k: number,
  steps: readonly RawCorrection[],
): string {
  const key = device.type.keys[k];
  const { name, scale } = device.type.units[k];
  const raw = spread(series.times.length, device.at, device.raw[k].map((v) => jsonNumber(v)));
  let text = `{"unit":${JSON.stringify(name)},"scale":${scale},"kind":"${key.kind}",` +
    `"raw":[${raw}],`;
  if (key.kind !== "event") return text + `"delta":null,"rate":null,"corrections":[]}`;
  const deltas = device.delta[k].map((d) => d === undefined ? undefined : scaled(d, scale));
  const rates = deltas.map((d, i) => {
    const seconds = (series.times[device.at[i]] - series.times[device.at[i - 1]]) / 1e6;
    return d === undefined ? undefined : Number(d) / seconds;
  });
  const all = (values: (Exact | undefined)[]) =>
    spread(series.times.length, device.at, values.map(jsonNumber));
  text += `"delta":[${all(deltas)}],"rate":[${all(rates)}],"corrections":[`;
  return text +
    steps.map((s) =>
      `{"time":${
        s.timeUs / 1e6
      },"kind":"${s.kind}","from":${s.from},"to":${s.to},"delta":${s.delta}}`
    ).join(",") + "]}";
}

function spread(count: number, at: readonly number[], cells: readonly string[]): string {
  if (at.length === count) return cells.join(",");
  const all = new Array<string>(count).fill("null");
  at.forEach((index, i) => all[index] = cells[i]);
  return all.join(",");
}

/** Deltas and rates summed over devices: `{TYPE: {KEY: {unit, delta, rate}}}`. */
function sumsText(series: NodeSeries, byType: ReadonlyMap<string, DeviceSeries[]>): string {
  const types = [...byType.keys()].sort().map((type) => {
    const devices = byType.get(type)!;
    const keys = devices[0].type.keys.flatMap((key, k) => {
      if (key.kind !== "event") return [];
      const sums: (Exact | undefined)[] = new Array(series.times.length).fill(undefined);
      for (const device of devices) {
        if (device.type !== devices[0].type) continue;
        device.at.forEach((at, i) => {
          const d = device.delta[k][i];
          if (d !== undefined) sums[at] = addExact(sums[at] ?? 0, d);
        });
      }
      const { name, scale } = devices[0].type.units[k];
      const deltas = sums.map((sum) => sum === undefined ? undefined : scaled(sum, scale));
      const rates = deltas.map((d, i) =>
        d === undefined
          ? undefined
          : Number(d) / ((series.times[i] - series.times[before(devices[0].at, i)]) / 1e6)
      );
      const text = `{"unit":${JSON.stringify(name)},"delta":[${deltas.map(jsonNumber)}],` +
        `"rate":[${rates.map(jsonNumber)}]}`;
      return [`${JSON.stringify(key.name)}:${text}`];
    });
    return `${JSON.stringify(type)}:{${keys.join(",")}}`;
  });
  return `{${types.join(",")}}`;
}

/** The sample before one, among those that have the type. */
function before(at: readonly number[], index: number): number {
  let low = 0;
  let high = at.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle] < index) low = middle + 1;
    else high = middle;
  }
  return at[low - 1];
}
