/**
 * The few calls of NVIDIA's management library that the raw stats type nvidia_gpu needs.
 *
 * @module
 */
const PATHS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/lib64"]
  .map((directory) => `${directory}/libnvidia-ml.so.1`);

const SYMBOLS = {
  init: { name: "nvmlInit_v2", parameters: [], result: "i32" },
  count: { name: "nvmlDeviceGetCount_v2", parameters: ["buffer"], result: "i32" }, // unsigned*
  handle: {
    name: "nvmlDeviceGetHandleByIndex_v2", // unsigned, nvmlDevice_t*
    parameters: ["u32", "buffer"],
    result: "i32",
  },
  memory: {
    name: "nvmlDeviceGetMemoryInfo", // nvmlDevice_t, struct of total, free, used
    parameters: ["u64", "buffer"],
    result: "i32",
  },
  power: { name: "nvmlDeviceGetPowerUsage", parameters: ["u64", "buffer"], result: "i32" },
  utilization: {
    name: "nvmlDeviceGetUtilizationRates", // nvmlDevice_t, struct of gpu, memory
    parameters: ["u64", "buffer"],
    result: "i32",
  },
} as const satisfies Deno.ForeignLibraryInterface;

/** Open NVML; calls that fail give `undefined`. */
export class Nvml {
  readonly #calls: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];
  readonly #handles: bigint[] = [];
  readonly #words = new BigUint64Array(3);
  readonly #halves = new Uint32Array(this.#words.buffer);
  readonly #bytes = new Uint8Array(this.#words.buffer);

  constructor(calls: Deno.DynamicLibrary<typeof SYMBOLS>["symbols"]) {
    this.#calls = calls;
    const count = calls.count(this.#bytes) === 0 ? this.#halves[0] : 0;
    for (let i = 0; i < count; i++) {
      if (calls.handle(i, this.#bytes) === 0) this.#handles.push(this.#words[0]);
    }
  }

  /** Number of GPUs. */
  get count(): number {
    return this.#handles.length;
  }

  /** Total, free and used bytes. */
  memory(index: number): readonly [number, number, number] | undefined {
    if (this.#calls.memory(this.#handles[index], this.#bytes) !== 0) return undefined;
    return [Number(this.#words[0]), Number(this.#words[1]), Number(this.#words[2])];
  }

  /** Power of the whole board. */
  powerMilliwatts(index: number): number | undefined {
    return this.#calls.power(this.#handles[index], this.#bytes) === 0 ? this.#halves[0] : undefined;
  }

  /** Percent of the last period in which a kernel ran. */
  utilization(index: number): number | undefined {
    if (this.#calls.utilization(this.#handles[index], this.#bytes) !== 0) return undefined;
    return this.#halves[0];
  }
}

/** NVML, where it is installed and finds a GPU. */
export function openNvml(): Nvml | undefined {
  for (const path of PATHS) {
    try {
      const { symbols } = Deno.dlopen(path, SYMBOLS);
      if (symbols.init() !== 0) return undefined;
      const nvml = new Nvml(symbols);
      return nvml.count > 0 ? nvml : undefined;
    } catch {
      // not at this place
    }
  }
}
