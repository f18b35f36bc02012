/**
 * Time series of raw stats as one JSON document, exact to the last digit of 64 bits.
 *
 * `{times, series: {TYPE: {DEVICE: {KEY: {unit, scale, kind, raw, delta, rate, corrections}}}}, …}`:
 * every array has one entry per time, null if the device had no line; `raw` is in counts,
 * `delta` in `unit` (counts × `scale`), null for gauges and control registers as a whole.
 * @module
 */
import { jsonText } from "../../../core/printable.ts";
import type { RawCorrection } from "../differ.ts";
import { addExact, type Exact } from "../exact.ts";
import type { RawNode } from "../node.ts";
import type { KeySeries, NodeSeries } from "../series.ts";
import type { RawAnalysis, RawNodeAnalysis } from "../stats.ts";
import { type MetricValue, metricValues } from "./tables.ts";

/** A node with its series. */
export interface JsonNode {
  readonly node: RawNode;
  readonly series: NodeSeries;
}

/** The document of some nodes; without `hosts` if there is one. */
export function* jsonDocument(
  nodes: readonly JsonNode[],
  analysis: RawAnalysis,
): Generator<string> {
  const there = nodes.filter(({ series }) => series.times.length > 0);
  const countsOf = new Map(analysis.nodes.map(({ host, counts }) => [host, counts]));
  const members = (one: JsonNode) => nodeMembers(one, countsOf.get(one.node.host)!);
  yield "{";
  if (there.length === 1) yield* members(there[0]);
  else {
    yield `"hosts":{`;
    for (const [i, one] of there.entries()) {
      yield `${i > 0 ? "," : ""}${jsonText(one.node.host)}:{`;
      yield* members(one);
      yield "}";
    }
    yield "}";
  }
  const values = metricValues(analysis.inputs);
  const units = Object.fromEntries(values.map(({ name, unit }) => [name, unit]));
  const jobs = [...analysis.jobs.values()].map((seen) =>
    `${jsonText(seen.id)}:{"hosts":${jsonText(seen.inputs.map((input) => input.host))},"begin":${
      Math.min(...seen.inputs.map((i) => i.firstUs)) / 1e6
    },"end":${Math.max(...seen.inputs.map((i) => i.lastUs)) / 1e6},"whole":${
      seen.cut.length === 0
    },${metricMembers(metricValues(seen.inputs))}}`
  );
  yield `,${metricMembers(values)},"metric_units":${jsonText(units)},"jobs":{`;
  yield `${jobs.join(",")}}}\n`;
}

function metricMembers(values: readonly MetricValue[]): string {
  const named = (isMarked: (value: MetricValue) => boolean) =>
    jsonText(values.filter((m) => m.value === m.value && isMarked(m)).map(({ name }) => name));
  return `"metrics":{${values.map(({ name, value }) => `"${name}":${number(value)}`).join(",")}},` +
    `"metrics_corrected":${named((m) => m.isCorrected)},` +
    `"metrics_at_least":${named((m) => m.isAtLeast)}`;
}

function* nodeMembers(
  { node, series }: JsonNode,
  counts: RawNodeAnalysis["counts"],
): Generator<string> {
  const { times, corrections } = series;
  const nameOf = (type: string, device: string, key: string) => `${type} ${key} ${device}`;
  const steps = Map.groupBy(corrections, (c) => nameOf(c.type, c.device, c.key));
  yield `"host":${jsonText(node.host)},"times":[${times.map((us) => us / 1e6)}],"series":{`;
  const types = [...series.types].sort(([a], [b]) => a < b ? -1 : 1);
  for (const [i, [type, devices]] of types.entries()) {
    yield `${i > 0 ? "," : ""}${jsonText(type)}:{`;
    let device = 0;
    for (const [name, keys] of devices) {
      yield `${device++ > 0 ? "," : ""}${jsonText(name)}:{`;
      let key = 0;
      for (const one of keys.values()) {
        yield `${key++ > 0 ? "," : ""}${jsonText(one.key.name)}:`;
        yield keyObject(one, times.length, steps.get(nameOf(type, name, one.key.name)) ?? []);
      }
      yield "}";
    }
    yield "}";
  }
  yield `},"sums":{`;
  for (const [i, [type, devices]] of types.entries()) {
    const keys = Map.groupBy(
      [...devices.values()].flatMap((keys) => [...keys.values()]).filter(isCounter),
      ({ key }) => key.name,
    );
    const sums = [...keys].map(([key, all]) => `${jsonText(key)}:${sumObject(all, times.length)}`);
    yield `${i > 0 ? "," : ""}${jsonText(type)}:{${sums.join(",")}}`;
  }
  yield `},"mended":${jsonText(counts)}`;
}

function isCounter({ key }: KeySeries): boolean {
  return key.kind === "event";
}

function keyObject(
  series: KeySeries,
  length: number,
  steps: readonly RawCorrection[],
): string {
  const { key, unit, first, raw, delta, rate } = series;
  const corrections = steps.map(({ timeUs, kind, from, to, delta }) =>
    `{"time":${timeUs / 1e6},"kind":"${kind}","from":${from},"to":${to},"delta":${delta}}`
  );
  const list = (values: readonly Exact[]) =>
    isCounter(series) ? array(first, values, length) : "null";
  return `{"unit":${jsonText(unit.name)},"scale":${unit.scale},"kind":"${key.kind}",` +
    `"raw":${array(first, raw, length)},"delta":${list(delta)},"rate":${list(rate)},` +
    `"corrections":[${corrections}]}`;
}

/** Deltas and rates of a counter, summed over devices. */
function sumObject(devices: readonly KeySeries[], length: number): string {
  const sum = (of: (series: KeySeries) => readonly Exact[]) => {
    const sums = new Array<Exact>(length).fill(NaN);
    for (const series of devices) {
      of(series).forEach((value, i) => {
        if (value !== value) return;
        const at = series.first + i;
        sums[at] = sums[at] === sums[at] ? addExact(sums[at], value) : value;
      });
    }
    return array(0, sums, length);
  };
  const [{ unit }] = devices;
  return `{"unit":${jsonText(unit.name)},"delta":${sum((s) => s.delta)},` +
    `"rate":${sum((s) => s.rate)}}`;
}

/** An array of one entry per time, null if there is no value. */
function array(first: number, values: readonly Exact[], length: number): string {
  const last = length - first - values.length;
  return `[${[
    ...new Array<string>(first).fill("null"),
    ...values.map(number),
    ...new Array<string>(last).fill("null"),
  ]}]`;
}

/** A number as JSON has it. */
function number(value: Exact): string {
  return typeof value === "bigint" || Number.isFinite(value) ? String(value) : "null";
}
