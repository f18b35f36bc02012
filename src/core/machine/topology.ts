/**
 * Instances of each domain on a node, and the CPUs that belong to each.
 *
 * Everything is found through CPUs, as in geopm::PlatformTopo(3): the instances inside an outer one
 * are those that its CPUs map to. CPU indices are Linux logical CPU numbers; an offline CPU keeps
 * its number and belongs only to the board's count of CPUs.
 * @module
 */
import { type Domain, DOMAINS, isInside } from "./domain.ts";

/**
 * Place of one logical CPU; `core` counts over the whole node. `null` stands for an offline CPU.
 */
export type CpuPlace = {
  readonly package: number;
  readonly core: number;
  /** The kernel's number of the package, which may have gaps. @default not known */
  readonly packageId?: number;
  /** The kernel's number of the core within its package, likewise. @default not known */
  readonly coreId?: number;
  /** The kernel's number of the die within its package. @default 0 */
  readonly dieId?: number;
} | null;

/** Lists that a topology is made from: CPU lists per instance; an empty list is legal. */
export interface TopologySpec {
  /** One entry per logical CPU, by CPU number. */
  cpus: readonly CpuPlace[];
  /** NUMA nodes with CPUs. @default the CPUs of each package */
  memory?: readonly (readonly number[])[];
  /** NUMA nodes without CPUs, by the package they hang on. @default none */
  packageIntegratedMemory?: readonly (readonly number[])[];
  /** CPUs of each GPU; without them the GPUs share all evenly. @default none */
  gpu?: readonly (readonly number[])[];
  /** CPUs of each chip of a GPU. @default as `gpu` */
  gpuChip?: readonly (readonly number[])[];
  /** CPUs of each network adapter. @default none */
  nic?: readonly (readonly number[])[];
}

/** Regular nodes, as recordings describe them. */
export interface RegularTopology {
  /** Packages of the node. */
  packages: number;
  /** Cores of each package. */
  coresPerPackage: number;
  /** CPUs of each core. */
  threadsPerCore: number;
}

/**
 * A node's domains. Immutable.
 *
 * @example
 * ```ts
 * import { PlatformTopology } from "joulemark";
 *
 * const topology = PlatformTopology.regular({
 *   packages: 1,
 *   coresPerPackage: 2,
 *   threadsPerCore: 1,
 * });
 * if (topology.count("cpu") !== 2) throw new Error("expected two CPUs");
 * ```
 */
export class PlatformTopology {
  /** CPU lists by domain and index. */
  readonly #cpus: Record<Domain, readonly (readonly number[])[]>;
  /** Index of the instance a CPU belongs to, −1 for none, by domain and CPU number. */
  readonly #indexOf: Record<Domain, Int32Array>;
  /** CPU places as given. */
  readonly places: readonly CpuPlace[];
  /** Packages by the kernel's numbers, and cores by package and number. */
  readonly #packages = new Map<number, number>();
  readonly #cores = new Map<string, number>();

  /** A node of these packages, cores and CPUs. */
  constructor(spec: TopologySpec) {
    this.places = spec.cpus;
    const packages: number[][] = [];
    const cores: number[][] = [];
    const online: number[] = [];
    spec.cpus.forEach((place, cpu) => {
      if (place === null) return;
      const { packageId, coreId } = place;
      if (packageId !== undefined) this.#packages.getOrInsert(packageId, place.package);
      if (coreId !== undefined) this.#cores.getOrInsert(`${place.package}/${coreId}`, place.core);
      online.push(cpu);
      (packages[place.package] ??= []).push(cpu);
      (cores[place.core] ??= []).push(cpu);
    });
    for (const list of [packages, cores]) {
      for (let i = 0; i < list.length; i++) list[i] ??= [];
    }
    const gpu = spec.gpu ?? [];
    this.#cpus = {
      board: [online],
      package: packages,
      core: cores,
      cpu: spec.cpus.map((place, cpu) => place === null ? [] : [cpu]),
      memory: spec.memory ?? packages,
      package_integrated_memory: spec.packageIntegratedMemory ?? [],
      nic: spec.nic ?? [],
      package_integrated_nic: [],
      gpu,
      package_integrated_gpu: [],
      gpu_chip: spec.gpuChip ?? gpu,
    };
    const indexOf = {} as Record<Domain, Int32Array>;
    for (const domain of DOMAINS) {
      const map = new Int32Array(spec.cpus.length).fill(-1);
      this.#cpus[domain].forEach((list, index) => {
        for (const cpu of list) if (cpu < map.length) map[cpu] = index;
      });
      indexOf[domain] = map;
    }
    this.#indexOf = indexOf;
  }

  /**
   * The regular rule of Linux with hyperthreads last: CPU c sits in package
   * floor((c mod P·C) / C) and core c mod P·C.
   */
  static regular(t: RegularTopology): PlatformTopology {
    const cores = t.packages * t.coresPerPackage;
    const cpus = Array.from({ length: cores * t.threadsPerCore }, (_, c) => ({
      package: Math.floor((c % cores) / t.coresPerPackage),
      core: c % cores,
    }));
    return new PlatformTopology({ cpus });
  }

  /** Number of instances of a domain; offline CPUs count. */
  count(domain: Domain): number {
    return this.#cpus[domain].length;
  }

  /** The online CPUs of one instance, ascending. */
  cpus(domain: Domain, index: number): readonly number[] {
    return this.#cpus[domain][index] ?? [];
  }

  /** The instance that a CPU belongs to, −1 when it belongs to none. */
  indexOfCpu(domain: Domain, cpu: number): number {
    return this.#indexOf[domain][cpu] ?? -1;
  }

  /**
   * The package that has this number for the kernel: `physical_package_id` of cputopology.rst, which may have gaps.
   *
   * @returns Its index, −1 for none. If no such numbers are known the number is the index.
   */
  packageOfId(id: number): number {
    const known = this.#packages.get(id);
    if (known !== undefined || this.#packages.size > 0) return known ?? -1;
    return id < this.count("package") ? id : -1;
  }

  /**
   * The core that has this number for the kernel in a package: `core_id` of cputopology.rst, which may have gaps.
   *
   * @returns Its index over the whole node, −1 for none, also if no such numbers are known.
   */
  coreOfId(packageIndex: number, id: number): number {
    return this.#cores.get(`${packageIndex}/${id}`) ?? -1;
  }

  /**
   * Indices of the `inner` instances inside one `outer` instance, ascending. Empty if the one
   * cannot be inside the other. Devices that no CPU maps to are still inside the board.
   */
  nested(inner: Domain, outer: Domain, outerIndex: number): number[] {
    if (!isInside(inner, outer) || outerIndex < 0 || outerIndex >= this.count(outer)) return [];
    if (inner === outer) return [outerIndex];
    if (outer === "board") return Array.from({ length: this.count(inner) }, (_, i) => i);
    const found = new Set<number>();
    for (const cpu of this.cpus(outer, outerIndex)) {
      const index = this.indexOfCpu(inner, cpu);
      if (index >= 0) found.add(index);
    }
    return [...found].sort((a, b) => a - b);
  }
}
