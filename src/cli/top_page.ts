/**
 * The page of `joulemark top`: quantities of the node, then what its processes do.
 * @module
 */
import type { Domain } from "../core/domain.ts";
import type { Host } from "../core/host.ts";
import { rawSeconds } from "../os/clock.ts";
import type { ProcessContextNow } from "../events/answers.ts";
import { Batch } from "../signals/batch.ts";
import type { Catalogue } from "../signals/catalogue.ts";

/** What is shown where the node has it: name on the page, signal, domain of its lines, factor. */
const ROWS: readonly (readonly [
  title: string,
  signal: string,
  domain: Domain,
  unit: string,
  factor: number,
])[] = [
  ["node power", "BOARD_POWER", "board", "W", 1],
  ["package power", "CPU_POWER", "package", "W", 1],
  ["memory power", "DRAM_POWER", "package", "W", 1],
  ["GPU power", "GPU_POWER", "gpu", "W", 1],
  ["frequency", "CPU_FREQUENCY_STATUS", "package", "GHz", 1e-9],
  ["temperature", "CPU_PACKAGE_TEMPERATURE", "package", "°C", 1],
  ["GPU frequency", "GPU_CORE_FREQUENCY_STATUS", "gpu", "GHz", 1e-9],
  ["GPU use", "GPU_UTILIZATION", "gpu", "%", 100],
  ["CPU use", "CPU_BUSY", "board", "%", 100],
];

/** One quantity now. */
export interface Quantity {
  readonly name: string;
  readonly domain: Domain;
  readonly unit: string;
  /** By index of the domain; null: not known. */
  readonly values: readonly (number | null)[];
  readonly simulated: boolean;
}

/** Reads the node. */
export class Draw implements Disposable {
  readonly #batch: Batch;
  readonly #rows: { row: typeof ROWS[number]; handles: number[]; simulated: boolean }[] = [];

  constructor(host: Host, catalogue: Catalogue) {
    this.#batch = new Batch(host.topology, catalogue);
    for (const row of ROWS) {
      const [, signal, domain] = row;
      const state = catalogue.info(signal)?.state;
      if (state?.ok !== true) continue;
      const handles = Array.from(
        { length: host.topology.count(domain) },
        (_, i) => this.#batch.pushSignal(signal, domain, i),
      );
      this.#rows.push({ row, handles, simulated: state.signal.quality === "simulated" });
    }
    this.#batch.open();
  }

  /** Reads all once. */
  read(): void {
    this.#batch.read(rawSeconds());
    this.#batch.settle();
  }

  values(): Quantity[] {
    return this.#rows.map(({ row: [name, , domain, unit, factor], handles, simulated }) => {
      const values = handles.map((handle) => {
        const value = this.#batch.sample(handle) * factor;
        return Number.isNaN(value) ? null : value;
      });
      return { name, domain, unit, values, simulated };
    });
  }

  [Symbol.dispose](): void {
    this.#batch[Symbol.dispose]();
  }
}

/** Lines of a page. @param width Longer ones are cut, and say so. */
export function page(
  draw: Pick<Draw, "values">,
  processes: readonly ProcessContextNow[],
  width: number,
): string[] {
  const quantities = draw.values();
  const lines = quantities.map(({ name, unit, values, simulated }) => {
    const shown = values.map((value) => value === null ? "-" : value.toFixed(value < 10 ? 2 : 1));
    return `${name.padEnd(14)}${shown.join("  ")} ${unit}${simulated ? " (simulated)" : ""}`;
  });
  if (quantities.length === 0) {
    lines.push('no power, frequency or temperature can be read here: see "joulemark doctor"');
  }
  lines.push("");
  if (processes.length === 0) lines.push('no process runs under "joulemark run" of this user');
  else lines.push("process  rank  thread   where");
  for (const { pid, rank, threads } of processes) {
    for (const { thread, regions } of threads) {
      const where = regions.length === 0 ? "-" : regions.join(" > ");
      const own = thread === pid ? "-" : String(thread);
      lines.push(`${String(pid).padEnd(9)}${(rank ?? "-").padEnd(6)}${own.padEnd(9)}${where}`);
    }
  }
  return lines.map((line) => line.length > width ? `${line.slice(0, width - 3)}...` : line);
}
