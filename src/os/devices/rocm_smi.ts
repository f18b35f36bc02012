/**
 * AMD's ROCm SMI library, loaded when it exists.
 *
 * Truth: rocm_smi.h. Every function returns an rsmi_status_t, 0 for success; a device is its index.
 * Symbols are optional: with a library of another version only figures are missing.
 * @module
 */
import { confined, findLibrary, type FoundLibrary, loadLibrary } from "./library.ts";
import type { GpuLibrary, NotOpen } from "./library.ts";
import { HELPER_TEXTS } from "./library_helper.ts";

const BY_DEVICE = { parameters: ["u32", "buffer"], result: "i32", optional: true } as const;
const BY_SENSOR = { parameters: ["u32", "u32", "buffer"], result: "i32", optional: true } as const;

const SYMBOLS = {
  rsmi_init: { parameters: ["u64"], result: "i32", optional: true }, // uint64_t flags
  rsmi_shut_down: { parameters: [], result: "i32", optional: true },
  rsmi_num_monitor_devices: { parameters: ["buffer"], result: "i32", optional: true }, // uint32_t*
  rsmi_dev_pci_id_get: BY_DEVICE, // uint64_t*: domain 63:32, bus 15:8, device 7:3, function 2:0
  rsmi_dev_energy_count_get: {
    parameters: ["u32", "buffer", "buffer", "buffer"], // uint64_t*, float* µJ a count, uint64_t* ns
    result: "i32",
    optional: true,
  },
  rsmi_dev_power_ave_get: BY_SENSOR, // sensor, uint64_t* µW
  rsmi_dev_current_socket_power_get: BY_DEVICE, // uint64_t* µW
  rsmi_dev_power_cap_get: BY_SENSOR, // sensor, uint64_t* µW
  rsmi_dev_busy_percent_get: BY_DEVICE, // uint32_t*
  rsmi_dev_temp_metric_get: {
    parameters: ["u32", "u32", "i32", "buffer"], // sensor, metric, int64_t* m°C
    result: "i32",
    optional: true,
  },
  rsmi_dev_memory_usage_get: {
    parameters: ["u32", "i32", "buffer"], // memory type, uint64_t* bytes
    result: "i32",
    optional: true,
  },
} as const satisfies Deno.ForeignLibraryInterface;

type Symbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

/** rsmi_status_t: not there in this library or on this device. */
const NOT_SUPPORTED = 2;

const TEXTS: Record<number, string> = {
  1: "invalid argument",
  2: "not supported by this GPU or library",
  3: "the device's file cannot be read",
  4: "no permission",
  6: "internal error",
  8: "the driver is not loaded or gives no GPU",
  10: "the figure is not there",
  14: "no data",
  16: "busy",
};

/** Meaning of a status, in few words. */
export function rocmText(status: number): string {
  return TEXTS[status] ?? HELPER_TEXTS[status] ?? `ROCm SMI error ${status}`;
}

/** Figures of a device, in the library's own units. */
export const ROCM_QUERIES = [
  ...["energyCounts", "averageMicrowatts", "socketMicrowatts", "capMicrowatts"] as const,
  ...["busyPercent", "edgeMillicelsius", "vramUsedBytes"] as const,
];
/** Name of a query. */
export type RocmQuery = typeof ROCM_QUERIES[number];

/** One device. */
export interface RocmDevice {
  readonly index: number;
  /** PCI address as sysfs writes it: `0000:c1:00.0`; "" if unknown. */
  readonly busId: string;
  /** Microjoules of one count of its energy; NaN if it has none. */
  readonly energyUnit: number;
}

const words = new Uint32Array(2);
const bytes = new Uint8Array(words.buffer);
const unit = new Float32Array(1);
const unitBytes = new Uint8Array(unit.buffer);
const stamp = new Uint8Array(8);

type Call = (index: number) => number;

/** Queries answer an rsmi_status_t. */
export type Rocm = GpuLibrary<RocmDevice, RocmQuery, number>;

/** The open library. */
export class RocmLibrary implements Rocm {
  readonly devices: readonly RocmDevice[];
  low = 0;
  high = 0;
  readonly #symbols: Symbols;

  constructor(readonly path: string, symbols: Symbols) {
    this.#symbols = symbols;
    const count = symbols.rsmi_num_monitor_devices?.(bytes) === 0 ? words[0] : 0;
    this.devices = Array.from({ length: count }, (_, index) => this.#device(index));
  }

  text(status: number): string {
    return rocmText(status);
  }

  isGone(): boolean {
    return false;
  }

  query(name: RocmQuery): Call {
    const s = this.#symbols;
    const energy = s.rsmi_dev_energy_count_get;
    const average = s.rsmi_dev_power_ave_get;
    const socket = s.rsmi_dev_current_socket_power_get;
    const cap = s.rsmi_dev_power_cap_get;
    const busy = s.rsmi_dev_busy_percent_get;
    const temperature = s.rsmi_dev_temp_metric_get;
    const memory = s.rsmi_dev_memory_usage_get;
    const calls: Record<RocmQuery, Call | null> = {
      energyCounts: energy && ((i) => energy(i, bytes, unitBytes, stamp)),
      averageMicrowatts: average && ((i) => average(i, 0, bytes)),
      socketMicrowatts: socket && ((i) => socket(i, bytes)),
      capMicrowatts: cap && ((i) => cap(i, 0, bytes)),
      busyPercent: busy && ((i) => {
        words[1] = 0;
        return busy(i, bytes);
      }),
      edgeMillicelsius: temperature && ((i) => temperature(i, 0, 0, bytes)),
      vramUsedBytes: memory && ((i) => memory(i, 0, bytes)),
    };
    const call = calls[name];
    return call === null ? unavailable : (i) => this.#take(call(i));
  }

  /** rsmi_shut_down. */
  [Symbol.dispose](): void {
    this.#symbols.rsmi_shut_down?.();
  }

  #take(status: number): number {
    this.low = words[0];
    this.high = words[1];
    return status;
  }

  #device(index: number): RocmDevice {
    const s = this.#symbols;
    const hex = (value: number, width: number) => value.toString(16).padStart(width, "0");
    const busId = s.rsmi_dev_pci_id_get?.(index, bytes) !== 0
      ? ""
      : `${hex(words[1], 4)}:${hex((words[0] >>> 8) & 0xff, 2)}:` +
        `${hex((words[0] >>> 3) & 31, 2)}.${words[0] & 7}`;
    const known = s.rsmi_dev_energy_count_get?.(index, bytes, unitBytes, stamp) === 0;
    return { index, busId, energyUnit: known && unit[0] > 0 ? unit[0] : NaN };
  }
}

function unavailable(): number {
  return NOT_SUPPORTED;
}

/** The open library, or why there is none. */
export type OpenedRocm = { readonly ok: true; readonly library: Rocm } | NotOpen;

/** Newest first; Debian's own has a number of its own. */
const NAMES = [
  "librocm_smi64.so.7",
  "librocm_smi64.so.6",
  "librocm_smi64.so.5",
  "librocm_smi64.so.1",
  "librocm_smi64.so",
];
const VARIABLE = "JOULEMARK_ROCM_SMI";
/** Path of the library; the user's own path goes first. */
export function findRocm(given = Deno.env.get(VARIABLE)): FoundLibrary {
  return findLibrary(NAMES, given, Deno.env.get("LD_LIBRARY_PATH"));
}

/**
 * Opens the library again.
 *
 * @param given Its whole path. @default JOULEMARK_ROCM_SMI, else the usual places
 */
export function loadRocm(given = Deno.env.get(VARIABLE)): OpenedRocm {
  const loaded = loadLibrary(findRocm(given), given || "librocm_smi64.so", SYMBOLS);
  if (!loaded.ok) return loaded;
  const { path, symbols } = loaded;
  const init = symbols.rsmi_init;
  if (init === null) return { ok: false, kind: "unusable", reason: `${path} has no rsmi_init` };
  const status = confined(() => init(0n));
  if (status === 0) return { ok: true, library: confined(() => new RocmLibrary(path, symbols)) };
  return { ok: false, kind: "unusable", reason: `${path}: ${rocmText(status)}` };
}
