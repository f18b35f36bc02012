/** The whole runs of `tests/vectors/geopm/`, as they are and as recordings. */
import type { Aggregation } from "../../../src/core/agg.ts";
import type { Domain } from "../../../src/core/machine/domain.ts";
import type { Behavior, SignalFormat } from "../../../src/core/signal.ts";
import { csvField } from "../../../src/formats/recording.ts";
import {
  type Cell,
  number,
  readVectors,
  topologyOf,
  type VectorTopology,
} from "../../energy/totals/_vector_source.ts";

export interface AppSignal {
  domain: Domain;
  aggregation: Aggregation;
  behavior: Behavior;
  format?: SignalFormat;
  start?: Cell[];
  rate?: Cell[];
  values?: Cell[][];
}

export interface AppEvent {
  t: number;
  pid: number;
  op: string;
  region?: string;
  hint?: string;
  units?: number;
  work_units?: number;
  cpu?: number;
  seconds?: number;
  [key: string]: unknown;
}

export interface StepResults {
  application: Cell | "<any>";
  epoch: Cell | "<any>";
  epoch_last: Cell | "<any>";
  period_last: Cell | "<any>";
  region: Record<string, Cell | "<any>">;
  region_last: Record<string, Cell | "<any>">;
}

export interface AppCase {
  name: string;
  topology: VectorTopology;
  host: string;
  profile?: string;
  processes: { pid: number; cpus: number[] }[];
  report_signals?: string;
  trace_signals?: string;
  events: AppEvent[];
  samples: number[];
  signals: Record<string, AppSignal>;
  push?: { signal: string; domain: Domain; index: number; mode: string; label: string }[];
  expect: {
    report: string[];
    trace: string[];
    profile_trace: string[];
    regions: Record<string, { hash: string; runtime_average: number; count_average: number }>;
    total_time: number;
    steps: {
      time: number;
      records: {
        time: number;
        process: number;
        event: string;
        value?: number;
        hash?: string;
        num_complete?: number;
        total_time?: number;
      }[];
      cpu: { region_hash: string; hint: string; progress: Cell }[];
      results?: Record<string, StepResults>;
    }[];
  };
}

export const APPLICATION_CASES: AppCase[] = [
  ...readVectors<{ cases: AppCase[] }>("seed_example.json").cases,
  ...readVectors<{ cases: AppCase[] }>("application.json").cases,
];

export const VECTOR_VERSION = "3.1.0+dev218g5fa2e6b03";
export const VECTOR_START = "2024-10-24T08:00:00.000000000-0700";

function value(signal: AppSignal, row: number, t: number, instance: number): number {
  if (signal.values !== undefined) {
    const cells = signal.values[row];
    return number(cells[instance] ?? cells[0]);
  }
  const at = (cells: Cell[]) => number(cells[instance] ?? cells[0]);
  return at(signal.start!) + at(signal.rate!) * t;
}

/** The files of a recording, by name. */
export function recordingOf(c: AppCase): Record<string, string> {
  const { packages, cores_per_package, threads_per_core } = c.topology;
  const topology = topologyOf(c.topology);
  const signals = Object.entries(c.signals);
  const yaml = [
    "format: joulemark-recording/1",
    `host: ${c.host}`,
    `profile: ${c.profile ?? "demo"}`,
    "agent: monitor",
    `start: "${VECTOR_START}"`,
    `topology: {packages: ${packages}, cores_per_package: ${cores_per_package}, ` +
    `threads_per_core: ${threads_per_core}}`,
    "signals:",
    ...signals.map(([name, s]) =>
      `- {name: "${name}", domain: ${s.domain}, unit: "", aggregation: ${s.aggregation}, ` +
      `behavior: ${s.behavior}, format: ${s.format ?? "double"}}`
    ),
  ];
  const titles = signals.flatMap(([name, s]) =>
    Array.from({ length: topology.count(s.domain) }, (_, i) => `${name}@${s.domain}-${i}`)
  );
  const rows = c.samples.map((t, row) =>
    [
      t,
      ...signals.flatMap(([, s]) =>
        Array.from({ length: topology.count(s.domain) }, (_, i) => {
          const v = value(s, row, t, i);
          return Number.isNaN(v) ? "" : String(v);
        })
      ),
    ].join(",")
  );
  return {
    "recording.yaml": yaml.join("\n") + "\n",
    "samples.csv": ["time," + titles.join(","), ...rows].join("\n") + "\n",
    "events.csv": ["time,process,event,region,value,thread", ...c.events.map((e) => eventRow(c, e))]
      .join("\n") + "\n",
  };
}

function eventRow(c: AppCase, e: AppEvent): string {
  const cpus = c.processes.find((p) => p.pid === e.pid)!.cpus;
  const given = e.units ?? e.work_units ?? e.cpu ?? e.seconds ?? e.hint ?? "";
  const field = e.op === "start" ? cpus.join(",") : String(given);
  return `${e.t},${e.pid},${e.op},${csvField(e.region ?? "")},${csvField(field)},`;
}

/** A recording on disk; removed by `using`. */
export class RecordingOnDisk {
  readonly path: string = Deno.makeTempDirSync({ prefix: "joulemark-recording-" });

  constructor(files: Record<string, string | Uint8Array>) {
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      Deno.writeFileSync(`${this.path}/${name}`, bytes);
    }
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

/** Lines of two texts, numbers to six digits, `<any>` against anything, regions in any tied order. */
export function sameReport(actual: string, expected: string[]): string[] {
  const differences: string[] = [];
  const mine = actual.split("\n");
  if (mine.length !== expected.length + 0) {
    differences.push(`${mine.length} lines for ${expected.length}`);
  }
  for (let i = 0; i < Math.max(mine.length, expected.length); i++) {
    if (!sameLine(mine[i] ?? "", expected[i] ?? "")) {
      differences.push(`line ${i + 1}: expected ${expected[i]}, found ${mine[i]}`);
    }
  }
  return differences;
}

function sameLine(a: string, b: string): boolean {
  if (a === b) return true;
  const key = b.slice(0, b.lastIndexOf(": ") + 2);
  if (!a.startsWith(key)) return false;
  const [x, y] = [a.slice(key.length), b.slice(key.length)];
  if (y === "<any>") return true;
  return Math.abs(Number(x) - Number(y)) <= 1.1e-5 * Math.abs(Number(y));
}
