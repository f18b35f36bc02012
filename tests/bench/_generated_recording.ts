/** A recording of any length: 64 CPUs, 16 processes of 4, energies and cycle counters at 5 ms. */
import { EVENTS_HEADER } from "../../src/formats/recording.ts";

const CPUS = 64;
const PROCESSES = 16;
const PERIOD_S = 0.005;
const PACKAGES = 2;
const FLUSH = 1 << 22;

/** Sizes of what is generated. */
export interface GeneratedSize {
  /** Steps of the loop. */
  samples: number;
  /** Rows of events, about. */
  events: number;
  /** Have counters of every CPU. */
  perCpu: boolean;
}

class Lines {
  readonly #file: Deno.FsFile;
  #parts: string[] = [];
  #length = 0;

  constructor(path: string) {
    this.#file = Deno.openSync(path, { write: true, create: true, truncate: true });
  }

  add(line: string): void {
    this.#parts.push(line);
    this.#length += line.length;
    if (this.#length > FLUSH) this.#flush();
  }

  close(): void {
    this.#flush();
    this.#file.close();
  }

  #flush(): void {
    let bytes = new TextEncoder().encode(this.#parts.join(""));
    this.#parts = [];
    this.#length = 0;
    while (bytes.length > 0) bytes = bytes.subarray(this.#file.writeSync(bytes));
  }
}

/** Writes the three files into a directory. */
export function generateRecording(directory: string, size: GeneratedSize): void {
  const signals = [
    ["CPU_ENERGY", "package", "monotone", "sum"],
    ["DRAM_ENERGY", "package", "monotone", "sum"],
    ...(size.perCpu
      ? [["CPU_CYCLES_THREAD", "cpu", "monotone", "sum"], [
        "CPU_CYCLES_REFERENCE",
        "cpu",
        "monotone",
        "sum",
      ]]
      : []),
  ];
  Deno.writeTextFileSync(
    `${directory}/recording.yaml`,
    `format: joulemark-recording/1
host: node01
profile: generated
agent: monitor
start: "2024-10-24T08:00:00.000000000+0000"
topology: {packages: ${PACKAGES}, cores_per_package: ${CPUS / PACKAGES}, threads_per_core: 1}
signals:
${
      signals.map(([name, domain, behavior, agg]) =>
        `- {name: ${name}, domain: ${domain}, unit: "", aggregation: ${agg}, behavior: ${behavior}}`
      ).join("\n")
    }
`,
  );
  samples(`${directory}/samples.csv`, size, signals);
  events(`${directory}/events.csv`, size);
}

function samples(path: string, size: GeneratedSize, signals: string[][]): void {
  const lines = new Lines(path);
  const titles = signals.flatMap(([name, domain]) =>
    Array.from({ length: domain === "cpu" ? CPUS : PACKAGES }, (_, i) => `${name}@${domain}-${i}`)
  );
  lines.add("time," + titles.join(",") + "\n");
  for (let k = 0; k < size.samples; k++) {
    let line = String(k * PERIOD_S);
    for (let p = 0; p < 2 * PACKAGES; p++) line += "," + (1000 + k * 0.61035156 + p * 7);
    if (size.perCpu) {
      for (let c = 0; c < CPUS; c++) line += "," + (k * 12_500_321 + c * 1_000_003);
      for (let c = 0; c < CPUS; c++) line += "," + (k * 10_000_019 + c * 1_000_003);
    }
    lines.add(line + "\n");
  }
  lines.close();
}

function events(path: string, size: GeneratedSize): void {
  const lines = new Lines(path);
  lines.add(EVENTS_HEADER + "\n");
  const cpus = CPUS / PROCESSES;
  for (let p = 0; p < PROCESSES; p++) {
    lines.add(`0,${1000 + p},start,,${p * cpus}-${p * cpus + cpus - 1},\n`);
  }
  const end = (size.samples - 1) * PERIOD_S;
  const visits = Math.floor(size.events / (2 * PROCESSES));
  for (let v = 0; v < visits; v++) {
    const t = (v + 0.25) * end / (visits + 1);
    const region = `region ${v % 13}`;
    for (let p = 0; p < PROCESSES; p++) {
      lines.add(`${t.toFixed(6)},${1000 + p},enter,${region},,\n`);
    }
    const u = (v + 0.75) * end / (visits + 1);
    for (let p = 0; p < PROCESSES; p++) lines.add(`${u.toFixed(6)},${1000 + p},exit,${region},,\n`);
  }
  for (let p = 0; p < PROCESSES; p++) lines.add(`${end},${1000 + p},shutdown,,,\n`);
  lines.close();
}
