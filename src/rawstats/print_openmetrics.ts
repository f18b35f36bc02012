/**
 * Time series of raw stats as OpenMetrics text 1.0.
 *
 * A counter is what has been added up since the first sample, so that it never falls; a gauge is
 * its value. Families are `rawstats_TYPE_KEY_UNIT`, labels host, device and, for one job, its id.
 * @module
 */
import type { Sink } from "./print_json.ts";
import { addExact, type DeviceSeries, type Exact, type NodeSeries, scaled } from "./series.ts";

const UNITS: Readonly<Record<string, readonly [name: string, factor: number]>> = {
  B: ["bytes", 1],
  cs: ["seconds", 0.01],
  ms: ["seconds", 0.001],
  us: ["seconds", 1e-6],
  mW: ["watts", 0.001],
  W: ["watts", 1],
};

/** Writes all families, and the end. */
export function writeOpenMetrics(
  sink: Sink,
  nodes: readonly NodeSeries[],
  job: string | undefined,
): void {
  const families = new Map<string, { series: NodeSeries; device: DeviceSeries; k: number }[]>();
  for (const series of nodes) {
    for (const device of series.list) {
      device.type.keys.forEach((key, k) => {
        if (key.kind === "control") return;
        const name = `${device.type.schema.type}.${key.name}`;
        families.set(name, [...families.get(name) ?? [], { series, device, k }]);
      });
    }
  }
  for (const name of [...families.keys()].sort()) {
    const members = families.get(name)!;
    const { device: { type }, k } = members[0];
    const [unit, factor] = UNITS[type.units[k].name] ?? ["", 1];
    const isCounter = type.keys[k].kind === "event";
    const plain = `rawstats_${name}`.replace(/[^A-Za-z0-9_]/g, "_");
    const family = unit === "" ? plain : `${plain}_${unit}`;
    sink(`# TYPE ${family} ${isCounter ? "counter" : "gauge"}\n`);
    if (unit !== "") sink(`# UNIT ${family} ${unit}\n`);
    sink(`# HELP ${family} ${type.schema.type} ${type.keys[k].name} of raw stats\n`);
    for (const { series, device, k } of members) {
      const id = job === undefined ? "" : `,job=${label(job)}`;
      const labels = `host=${label(series.host)},device=${label(device.device)}${id}`;
      let sum: Exact = 0;
      let text = "";
      device.at.forEach((at, i) => {
        const d = device.delta[k][i];
        if (d !== undefined) sum = addExact(sum, d);
        const count = scaled(isCounter ? sum : device.raw[k][i], device.type.units[k].scale);
        const value = factor === 1 ? count : Number(count) * factor;
        text += `${family}${isCounter ? "_total" : ""}{${labels}} ${value} ${
          series.times[at] / 1e6
        }\n`;
      });
      sink(text);
    }
  }
  sink("# EOF\n");
}

function label(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
