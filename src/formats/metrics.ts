/**
 * Metrics as monitoring systems read them: families of samples, printed as OpenMetrics text 1.0, as
 * Prometheus' text format 0.0.4 (node_exporter's textfile collector) and as OTLP in JSON.
 *
 * ```
 * # TYPE joulemark_node_energy_joules counter
 * # UNIT joulemark_node_energy_joules joules
 * # HELP joulemark_node_energy_joules Energy of the packages
 * joulemark_node_energy_joules_total{host="n1",domain="package",index="0"} 262143.3
 * # EOF
 * ```
 * A value that is not known has no sample. Pure: times are arguments.
 * @module
 */
import { jsonText, printableLines } from "../core/printable.ts";

/** One sample. Labels in the order in which they are printed. */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Units by SI symbol: the suffix of a name, UCUM's symbol for OTLP, and the factor to base units. */
const UNITS: Readonly<Record<string, readonly [name: string, ucum: string, factor: number]>> = {
  "": ["", "1", 1],
  s: ["seconds", "s", 1],
  J: ["joules", "J", 1],
  W: ["watts", "W", 1],
  Hz: ["hertz", "Hz", 1],
  "°C": ["celsius", "Cel", 1],
  "%": ["ratio", "1", 0.01],
  B: ["bytes", "By", 1],
  "B/s": ["bytes_per_second", "By/s", 1],
  A: ["amperes", "A", 1],
  V: ["volts", "V", 1],
};

/** All samples of one name. */
export interface MetricFamily {
  /** Name without unit: `joulemark_node_energy`. */
  readonly name: string;
  /** SI symbol of the values, as reports have it: `J`, `%`. */
  readonly unit: string;
  /** A counter never falls; its samples end in `_total`. */
  readonly kind: "counter" | "gauge";
  /** One sentence. */
  readonly help: string;
  readonly samples: MetricSample[];
}

/** Content types of the two texts. */
export const OPENMETRICS_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8";
export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** OpenMetrics 1.0. */
export function openMetricsText(families: readonly MetricFamily[]): string {
  return families.map((family) => familyText(family, true)).join("") + "# EOF\n";
}

/** Prometheus' text format 0.0.4: counters are named with their suffix. */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families.map((family) => familyText(family, false)).join("");
}

function familyText(family: MetricFamily, isOpen: boolean): string {
  const name = nameOf(family);
  const [unit, , factor] = unitOf(family);
  const sampleName = family.kind === "counter" ? `${name}_total` : name;
  const title = isOpen ? name : sampleName;
  const lines = [`# TYPE ${title} ${family.kind}`];
  if (isOpen && unit !== "") lines.push(`# UNIT ${title} ${unit}`);
  // Quotes stay in the help of the older format.
  const help = escapedLabel(family.help);
  lines.push(`# HELP ${title} ${isOpen ? help : help.replaceAll('\\"', '"')}`);
  for (const { labels, value } of family.samples) {
    if (Number.isNaN(value)) continue;
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapedLabel(text)}"`);
    lines.push(`${sampleName}{${pairs.join(",")}} ${numberText(value * factor)}`);
  }
  return lines.length === (isOpen && unit !== "" ? 3 : 2) ? "" : lines.join("\n") + "\n";
}

/** The origin in a file of OTLP metrics. */
export interface OtlpOrigin {
  readonly version: string;
  /** Attributes of the resource: `host.name`, `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
  /** Seconds since the epoch: begin of the counters, and of the values. */
  readonly startS: number;
  readonly timeS: number;
}

/**
 * An ExportMetricsServiceRequest in OTLP's JSON, one line: what the collector's file exporter writes
 * and its otlpjsonfile receiver reads. opentelemetry-proto, metrics/v1/metrics.proto.
 */
export function otlpJson(families: readonly MetricFamily[], origin: OtlpOrigin): string {
  const timeUnixNano = nanoseconds(origin.timeS);
  const startTimeUnixNano = nanoseconds(origin.startS);
  const metrics = families.flatMap((family) => {
    const [, unit, factor] = unitOf(family);
    // A name has one unit: receivers would mix the values.
    const isTwice = families.some((one) => one.name === family.name && one.unit !== family.unit);
    const isCounter = family.kind === "counter";
    const known = family.samples.filter(({ value }) => Number.isFinite(value));
    const dataPoints = known.map(({ labels, value }) => ({
      attributes: attributes(labels),
      ...(isCounter ? { startTimeUnixNano } : {}),
      timeUnixNano,
      asDouble: value * factor,
    }));
    if (dataPoints.length === 0) return [];
    const name = isTwice ? nameOf(family) : family.name;
    const cumulative = { aggregationTemporality: 2, isMonotonic: true };
    return [{
      name: name.replace("_", "."),
      description: family.help,
      unit,
      ...(isCounter ? { sum: { ...cumulative, dataPoints } } : { gauge: { dataPoints } }),
    }];
  });
  const scope = { name: "joulemark", version: origin.version };
  const resource = { attributes: attributes(origin.resource) };
  return jsonText({
    resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }],
  }) + "\n";
}

function attributes(labels: Readonly<Record<string, string>>) {
  return Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** A double has no nanoseconds of our days: whole microseconds, and three zeros. */
function nanoseconds(seconds: number): string {
  return `${Math.round(seconds * 1e6)}000`;
}

function unitOf({ unit }: MetricFamily): readonly [string, string, number] {
  return UNITS[unit] ?? ["", "1", 1];
}

function nameOf(family: MetricFamily): string {
  const [unit] = unitOf(family);
  return unit === "" ? family.name : `${family.name}_${unit}`;
}

function numberText(value: number): string {
  return value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value);
}

/** A label's value between its quotes. */
export function escapedLabel(text: string): string {
  const quoted = printableLines(text).replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return quoted.replaceAll("\n", "\\n");
}
