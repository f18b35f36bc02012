/**
 * NVIDIA's management library, loaded when it exists.
 *
 * Truth: "NVML API Reference Guide", nvml.h. Every function answers an nvmlReturn_t, 0 for success.
 * A device handle is a pointer; here it is a 64-bit number that the library wrote into a buffer, so
 * path-scoped FFI is enough. In a library of another version functions may be missing: each symbol is
 * optional, and a missing one is "not supported".
 * @module
 */
import { fromBytes } from "../libc.ts";
import { confined, findLibrary, type FoundLibrary, loadLibrary } from "./library.ts";
import type { GpuLibrary, NotOpen } from "./library.ts";
import { HELPER_TEXTS } from "./library_helper.ts";

const BY_DEVICE = { parameters: ["u64", "buffer"], result: "i32", optional: true } as const;
const BY_KIND = { parameters: ["u64", "i32", "buffer"], result: "i32", optional: true } as const;
const TEXT = { parameters: ["u64", "buffer", "u32"], result: "i32", optional: true } as const;

const SYMBOLS = {
  nvmlInit_v2: { parameters: [], result: "i32", optional: true },
  nvmlInit: { parameters: [], result: "i32", optional: true },
  nvmlShutdown: { parameters: [], result: "i32", optional: true },
  nvmlDeviceGetCount_v2: { parameters: ["buffer"], result: "i32", optional: true }, // unsigned*
  nvmlDeviceGetHandleByIndex_v2: {
    parameters: ["u32", "buffer"], // index, nvmlDevice_t*
    result: "i32",
    optional: true,
  },
  nvmlSystemGetDriverVersion: { parameters: ["buffer", "u32"], result: "i32", optional: true },
  nvmlDeviceGetName: TEXT,
  nvmlDeviceGetUUID: TEXT,
  nvmlDeviceGetPciInfo_v3: BY_DEVICE, // nvmlPciInfo_t*, 68 bytes
  nvmlDeviceGetMigMode: {
    parameters: ["u64", "buffer", "buffer"], // unsigned* current, unsigned* pending
    result: "i32",
    optional: true,
  },
  nvmlDeviceGetTotalEnergyConsumption: BY_DEVICE, // unsigned long long*, mJ
  nvmlDeviceGetPowerUsage: BY_DEVICE, // unsigned*, mW
  nvmlDeviceGetEnforcedPowerLimit: BY_DEVICE, // unsigned*, mW
  nvmlDeviceGetPowerManagementLimit: BY_DEVICE, // unsigned*, mW
  nvmlDeviceGetClockInfo: BY_KIND, // nvmlClockType_t, unsigned*, MHz
  nvmlDeviceGetMaxClockInfo: BY_KIND,
  nvmlDeviceGetTemperature: BY_KIND, // nvmlTemperatureSensors_t, unsigned*, °C
  nvmlDeviceGetUtilizationRates: BY_DEVICE, // struct { unsigned gpu, memory; }*, percent
  nvmlDeviceGetMemoryInfo: BY_DEVICE, // struct { unsigned long long total, free, used; }*
  nvmlDeviceGetCurrentClocksThrottleReasons: BY_DEVICE, // unsigned long long*, bits
  nvmlDeviceGetPerformanceState: BY_DEVICE, // nvmlPstates_t*
  nvmlDeviceGetFieldValues: BY_KIND, // int n, nvmlFieldValue_t[n]
} as const satisfies Deno.ForeignLibraryInterface;

type Symbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** nvmlReturn_t, if it steers what we do. */
export const NVML = {
  SUCCESS: 0,
  NOT_SUPPORTED: 3,
  NO_PERMISSION: 4,
  FUNCTION_NOT_FOUND: 13,
  GPU_IS_LOST: 15,
} as const;

const TEXTS: Record<number, string> = {
  1: "not initialised",
  2: "invalid argument",
  3: "not supported by this GPU",
  4: "no permission",
  6: "not found",
  9: "the NVIDIA driver is not loaded",
  12: "the library does not work",
  13: "not in this version of the library",
  15: "the GPU fell off the bus",
  18: "driver and library are of different versions",
  999: "unknown error",
};

/** The text of nvmlErrorString, in few words. */
export function nvmlText(status: number): string {
  return TEXTS[status] ?? HELPER_TEXTS[status] ?? `NVML error ${status}`;
}

/** One GPU. */
export interface NvmlDevice {
  readonly handle: bigint;
  readonly name: string;
  readonly uuid: string;
  /** PCI address as sysfs writes it: `0000:07:00.0`; "" if unknown. */
  readonly busId: string;
  /** Is it split into instances (Multi-Instance GPU)? */
  readonly mig: boolean;
}

const words = new Uint32Array(12);
const bytes = new Uint8Array(words.buffer);
const further = new Uint8Array(8);
const HIGH_WEIGHT = 4294967296;

/** nvmlFieldValue_t: id at 0, scope at 4, return code at 28 and value at 32; 40 bytes. */
const FIELD_STATUS = 7;
const FIELD_VALUE = 8;

/** Figures of a device, in the library's own units. */
export const NVML_QUERIES = [
  ...["energyMj", "powerMw", "powerInstantMw", "modulePowerMw", "enforcedLimitMw"] as const,
  ...["limitMw", "coreMhz", "memoryMhz", "coreMaxMhz", "gpuPercent", "memoryPercent"] as const,
  ...["celsius", "memoryCelsius", "memoryUsedBytes", "memoryTotalBytes"] as const,
  ...["throttleBits", "performanceState"] as const,
];
/** Name of a query. */
export type NvmlQuery = typeof NVML_QUERIES[number];

/** Calls that answer one unsigned, or one unsigned long long. */
const PLAIN: Partial<Record<NvmlQuery, readonly [symbol: keyof Symbols, words: 1 | 2]>> = {
  energyMj: ["nvmlDeviceGetTotalEnergyConsumption", 2],
  powerMw: ["nvmlDeviceGetPowerUsage", 1],
  enforcedLimitMw: ["nvmlDeviceGetEnforcedPowerLimit", 1],
  limitMw: ["nvmlDeviceGetPowerManagementLimit", 1],
  gpuPercent: ["nvmlDeviceGetUtilizationRates", 1],
  throttleBits: ["nvmlDeviceGetCurrentClocksThrottleReasons", 2],
  memoryTotalBytes: ["nvmlDeviceGetMemoryInfo", 2],
  performanceState: ["nvmlDeviceGetPerformanceState", 1],
};

/** Calls with a kind: NVML_CLOCK_GRAPHICS 0, NVML_CLOCK_MEM 2, NVML_TEMPERATURE_GPU 0. */
const OF_KIND: Partial<Record<NvmlQuery, readonly [symbol: keyof Symbols, kind: number]>> = {
  coreMhz: ["nvmlDeviceGetClockInfo", 0],
  memoryMhz: ["nvmlDeviceGetClockInfo", 2],
  coreMaxMhz: ["nvmlDeviceGetMaxClockInfo", 0],
  celsius: ["nvmlDeviceGetTemperature", 0],
};

/** Field identifiers NVML_FI_DEV_MEMORY_TEMP and NVML_FI_DEV_POWER_INSTANT; scope 1: the module. */
const FIELDS: Partial<Record<NvmlQuery, readonly [id: number, scope: number]>> = {
  memoryCelsius: [82, 0],
  powerInstantMw: [186, 0],
  modulePowerMw: [186, 1],
};

/** Words of an answer that hold the figure, if they are not the first. */
const AT: Partial<Record<NvmlQuery, number>> = { memoryPercent: 1, memoryUsedBytes: 4 };

type Call = (handle: bigint) => number;

/** Queries answer an nvmlReturn_t. */
export interface Nvml extends GpuLibrary<NvmlDevice, NvmlQuery, bigint> {
  readonly driverVersion: string;
}

/** The open library. */
export class NvmlLibrary implements Nvml {
  readonly driverVersion: string;
  readonly devices: readonly NvmlDevice[];
  low = 0;
  high = 0;
  readonly #symbols: Symbols;

  constructor(readonly path: string, symbols: Symbols) {
    this.#symbols = symbols;
    this.driverVersion = symbols.nvmlSystemGetDriverVersion === null ? "" : text((buffer) => {
      return symbols.nvmlSystemGetDriverVersion!(buffer, buffer.length);
    });
    this.devices = this.#list();
  }

  query(name: NvmlQuery): Call {
    const s = this.#symbols;
    const field = FIELDS[name];
    if (field !== undefined) return this.#fieldCall(field[0], field[1]);
    const kind = OF_KIND[name];
    if (kind !== undefined) {
      const call = s[kind[0]] as Symbols["nvmlDeviceGetClockInfo"];
      if (call === null) return missing;
      return (handle) => this.#take(call(handle, kind[1], bytes), 0, 1);
    }
    const base = name === "memoryPercent"
      ? "gpuPercent"
      : name === "memoryUsedBytes"
      ? "memoryTotalBytes"
      : name;
    const [symbol, width] = PLAIN[base]!;
    const call = s[symbol] as Symbols["nvmlDeviceGetPowerUsage"];
    if (call === null) return missing;
    const at = AT[name] ?? 0;
    return (handle) => this.#take(call(handle, bytes), at, width);
  }

  text(status: number): string {
    return nvmlText(status);
  }

  isGone(status: number): boolean {
    return status === NVML.GPU_IS_LOST;
  }

  /** nvmlShutdown. */
  [Symbol.dispose](): void {
    this.#symbols.nvmlShutdown?.();
  }

  #take(status: number, at: number, width: 1 | 2): number {
    this.low = words[at];
    this.high = width === 2 ? words[at + 1] : 0;
    return status;
  }

  #fieldCall(id: number, scope: number): Call {
    const call = this.#symbols.nvmlDeviceGetFieldValues;
    if (call === null) return missing;
    return (handle) => {
      words.fill(0);
      words[0] = id;
      words[1] = scope;
      const status = call(handle, 1, bytes);
      if (status !== NVML.SUCCESS) return status;
      if (words[FIELD_STATUS] !== NVML.SUCCESS) return words[FIELD_STATUS];
      return this.#take(status, FIELD_VALUE, 1);
    };
  }

  #list(): NvmlDevice[] {
    const s = this.#symbols;
    const count = s.nvmlDeviceGetCount_v2?.(bytes) === NVML.SUCCESS ? words[0] : 0;
    const found: NvmlDevice[] = [];
    for (let i = 0; i < count; i++) {
      // A GPU that is closed to this user is left out; the others keep working.
      if (s.nvmlDeviceGetHandleByIndex_v2?.(i, bytes) !== NVML.SUCCESS) continue;
      const handle = BigInt(words[1]) * BigInt(HIGH_WEIGHT) + BigInt(words[0]);
      const of = (symbol: "nvmlDeviceGetName" | "nvmlDeviceGetUUID") => {
        const call = s[symbol];
        return call === null ? "" : text((buffer) => call(handle, buffer, buffer.length));
      };
      found.push({
        handle,
        name: of("nvmlDeviceGetName"),
        uuid: of("nvmlDeviceGetUUID"),
        busId: this.#busId(handle),
        mig: s.nvmlDeviceGetMigMode?.(handle, bytes, further) === NVML.SUCCESS && words[0] === 1,
      });
    }
    return found;
  }

  /** nvmlPciInfo_t: the old bus id of 16 bytes, then domain, bus and device as unsigned. */
  #busId(handle: bigint): string {
    const info = new Uint32Array(32);
    const call = this.#symbols.nvmlDeviceGetPciInfo_v3;
    if (call === null || call(handle, new Uint8Array(info.buffer)) !== NVML.SUCCESS) return "";
    const hex = (value: number, width: number) => value.toString(16).padStart(width, "0");
    return `${hex(info[4], 4)}:${hex(info[5], 2)}:${hex(info[6], 2)}.0`;
  }
}

function missing(): number {
  return NVML.FUNCTION_NOT_FOUND;
}

function text(call: (buffer: Uint8Array<ArrayBuffer>) => number): string {
  const buffer = new Uint8Array(96);
  return call(buffer) === NVML.SUCCESS ? fromBytes(buffer) : "";
}

/** The open library, or why there is none. */
export type OpenedNvml = { readonly ok: true; readonly library: Nvml } | NotOpen;

const NAME = "libnvidia-ml.so.1";
/** The user's own path of the library. */
const VARIABLE = "JOULEMARK_NVML";

/** Path of the library; the user's own path goes first. */
export function findNvml(given = Deno.env.get(VARIABLE)): FoundLibrary {
  return findLibrary(NAME, given, Deno.env.get("LD_LIBRARY_PATH"));
}

/**
 * Opens the library again.
 *
 * @param given Its whole path. @default JOULEMARK_NVML, else the usual places
 */
export function loadNvml(given = Deno.env.get(VARIABLE)): OpenedNvml {
  const loaded = loadLibrary(findNvml(given), given || NAME, SYMBOLS);
  if (!loaded.ok) return loaded;
  const { path, symbols } = loaded;
  const init = symbols.nvmlInit_v2 ?? symbols.nvmlInit;
  if (init === null) return { ok: false, kind: "unusable", reason: `${path} has no nvmlInit` };
  const status = confined(() => init());
  if (status !== NVML.SUCCESS) {
    const kind = status === NVML.NO_PERMISSION ? "forbidden" : "unusable";
    return { ok: false, kind, reason: `${path}: ${nvmlText(status)}` };
  }
  return { ok: true, library: confined(() => new NvmlLibrary(path, symbols)) };
}
