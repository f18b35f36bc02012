/** A signal source made of the rows of a vector file: `tests/vectors/geopm/README.md`. */
import { aggregate, type Aggregation } from "../../../src/core/agg.ts";
import type { Domain } from "../../../src/core/machine/domain.ts";
import type { Behavior, SignalSource } from "../../../src/core/signal.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";

export type Cell = number | "NaN";

export interface VectorSignal {
  domain: Domain;
  aggregation: Aggregation;
  behavior: Behavior;
  values: Cell[][];
}

export interface VectorTopology {
  packages: number;
  cores_per_package: number;
  threads_per_core: number;
}

export function topologyOf(t: VectorTopology): PlatformTopology {
  return PlatformTopology.regular({
    packages: t.packages,
    coresPerPackage: t.cores_per_package,
    threadsPerCore: t.threads_per_core,
  });
}

export function number(cell: Cell): number {
  return cell === "NaN" ? NaN : cell;
}

export function readVectors<T>(name: string): T {
  const path = new URL(`../../vectors/geopm/${name}`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(path));
}

/** Samples are of the row that `row` points at; NaN before the first. */
export class VectorSource implements SignalSource {
  row = -1;
  readonly #topology: PlatformTopology;
  readonly #signals: Record<string, VectorSignal>;
  readonly #handles = new Map<string, number>();
  readonly #pushed: { signal: VectorSignal; indices: Int32Array }[] = [];

  constructor(topology: PlatformTopology, signals: Record<string, VectorSignal>) {
    this.#topology = topology;
    this.#signals = signals;
  }

  pushSignal(name: string, domain: Domain, index: number): number {
    const key = `${name}@${domain}-${index}`;
    const known = this.#handles.get(key);
    if (known !== undefined) return known;
    const signal = this.#signals[name];
    if (signal === undefined) throw new Error(`no signal ${name}`);
    const nested = this.#topology.nested(signal.domain, domain, index);
    const handle = this.#pushed.push({ signal, indices: Int32Array.from(nested) }) - 1;
    this.#handles.set(key, handle);
    return handle;
  }

  sample(handle: number): number {
    if (this.row < 0) return NaN;
    const { signal, indices } = this.#pushed[handle];
    const row = signal.values[this.row];
    const count = this.#topology.count(signal.domain);
    const values = Float64Array.from({ length: count }, (_, i) => number(row[i] ?? row[0]));
    return aggregate(signal.aggregation, values, indices);
  }

  behavior(name: string): Behavior {
    return this.#signals[name].behavior;
  }
}
