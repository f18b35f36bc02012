/**
 * Which of several processes writes which series: whole nodes where they are small, so that turns are
 * not too many, else keys or devices.
 * @module
 */
import type { RawKey } from "../formats/rawstats/schema.ts";
import type { RawFile } from "./files.ts";
import { filesByHost } from "./stats.ts";

/** How much longer text is than it is packed. */
const GZIP_FACTOR = 8;

/** Bytes of a file, as text. */
export function weight(file: RawFile): number {
  return file.path.endsWith(".gz") ? file.bytes * GZIP_FACTOR : file.bytes;
}

/** Sizes of pieces. */
export interface Grain {
  /** Nodes of fewer bytes are not shared. */
  readonly nodeBytes: number;
  /** Nodes that are not shared follow each other until they have so many. */
  readonly lotBytes: number;
  /** Values of a turn, where output is in the order of time. */
  readonly values: number;
}

/** So large that taking turns costs little, so small that all processes have work. */
export const GRAIN: Grain = { nodeBytes: 16 << 20, lotBytes: 1 << 20, values: 16_384 };

/** The processes of series. */
export class Shares {
  /** By host; not there: it is shared. */
  readonly #owners = new Map<string, number>();
  readonly #keys = new Map<string, number>();
  #counters = 0;
  #others = 0;

  /**
   * @param index Number of this process.
   * @param count Number of processes.
   */
  constructor(
    readonly index: number,
    readonly count: number,
    files: readonly RawFile[],
    { nodeBytes, lotBytes }: Grain = GRAIN,
  ) {
    let lot = 0, inLot = 0;
    for (const own of filesByHost(files)) {
      const bytes = own.reduce((sum, file) => sum + weight(file), 0);
      if (bytes >= nodeBytes) continue;
      this.#owners.set(own[0].host, lot % count);
      inLot += bytes;
      if (inLot < lotBytes) continue;
      lot++;
      inLot = 0;
    }
  }

  /** Whose a node is; `undefined`: it is shared. */
  ofNode(host: string): number | undefined {
    return this.count === 1 ? 0 : this.#owners.get(host);
  }

  /** Whose a key is, on all devices. All processes ask in the same order. */
  ofKey(host: string, type: string, { name, kind }: RawKey): number {
    const whole = this.ofNode(host);
    if (whole !== undefined) return whole;
    return this.#keys.getOrInsertComputed(`${type} ${name}`, () => {
      // counters have more to write than others
      return (kind === "event" ? this.#counters++ : this.#others++) % this.count;
    });
  }

  /** Whose a column of a device is, where a key's devices follow each other. */
  ofColumn(host: string, device: number, column: number): number {
    return this.ofNode(host) ?? (device + column) % this.count;
  }
}
