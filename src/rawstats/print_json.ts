/**
 * Time series of raw stats as JSON, exact to the last digit of 64 bits.
 *
 * `{times, series: {TYPE: {DEVICE: {KEY: {unit, scale, kind, raw, delta, rate, corrections}}}}, …}`:
 * every array has one entry per time, null where the device had no line; `raw` is in counts,
 * `delta` in `unit` (counts × `scale`), null for gauges and control registers as a whole.
 * @module
 */
import type { RawCorrection } from "./differ.ts";
import { addExact, type Exact, type KeySeries, keySeries, type NodeSeries } from "./series.ts";

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
  sink(`"times":[${series.times.map((us) => us / 1e6).join(",")}],"series":{`);
  const mended = Map.groupBy(corrections, (c) => `${c.type} ${c.device} ${c.key}`);
  const sums: string[] = [];
  let comma = "";
  for (const [type, devices] of keySeries(series)) {
    sink(`${comma}${JSON.stringify(type)}:{`);
    comma = "";
    for (const [device, keys] of devices) {
      sink(`${comma}${JSON.stringify(device)}:{`);
      comma = "";
      for (const [name, key] of keys) {
        const steps = mended.get(`${type} ${device} ${name}`) ?? [];
        sink(`${comma}${JSON.stringify(name)}:${keyText(key, steps)}`);
        comma = ",";
      }
      sink("}");
      comma = ",";
    }
    sink("}");
    sums.push(`${JSON.stringify(type)}:{${sumsText(series, [...devices.values()])}}`);
  }
  sink(`},"sums":{${sums.join(",")}}`);
}

function keyText({ key, unit, raw, delta, rate }: KeySeries, steps: readonly RawCorrection[]) {
  const text = `{"unit":${JSON.stringify(unit.name)},"scale":${unit.scale},` +
    `"kind":"${key.kind}","raw":[${raw.map(jsonNumber).join(",")}],`;
  if (key.kind !== "event") return text + `"delta":null,"rate":null,"corrections":[]}`;
  const told = steps.map((s) =>
    `{"time":${s.timeUs / 1e6},"kind":"${s.kind}","from":${s.from},"to":${s.to},"delta":${s.delta}}`
  );
  return text + `"delta":[${delta.map(jsonNumber).join(",")}],` +
    `"rate":[${rate.map(jsonNumber).join(",")}],"corrections":[${told.join(",")}]}`;
}

/** Deltas and rates summed over devices: `KEY: {unit, delta, rate}`. */
function sumsText(series: NodeSeries, devices: readonly Map<string, KeySeries>[]): string {
  const names = new Set(devices.flatMap((keys) => [...keys.keys()]));
  return [...names].flatMap((name) => {
    const parts = devices.flatMap((keys) => keys.get(name) ?? []);
    if (parts[0].key.kind !== "event") return [];
    const delta = series.times.map((_, i) => {
      const there = parts.map((part) => part.delta[i]).filter((d) => d !== undefined);
      return there.length === 0 ? undefined : there.reduce(addExact);
    });
    const rate = series.times.map((_, i) => {
      const there = parts.map((part) => part.rate[i]).filter((r) => r !== undefined);
      return there.length === 0 ? undefined : there.reduce((a, b) => a + b);
    });
    return [
      `${JSON.stringify(name)}:{"unit":${JSON.stringify(parts[0].unit.name)},` +
      `"delta":[${delta.map(jsonNumber).join(",")}],"rate":[${rate.map(jsonNumber).join(",")}]}`,
    ];
  }).join(",");
}
