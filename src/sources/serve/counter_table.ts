/**
 * Counters that a collector may read: a list that is fixed when it starts; each is opened once.
 *
 * The list is this file's and that of msr-safe (docs/explanation/permissions.md); no client can add
 * to it. A counter of energy is read at most once a millisecond, for any number of clients: it does
 * not change more often, and frequent readings of energy reveal the computations of others
 * (CVE-2020-8694).
 * @module
 */
import type { Host, KeptFile, Registers } from "../../core/machine/host.ts";
import {
  cellBytes,
  MAX_TEXT_BYTES,
  type Served,
  servedBy,
  type ServedTable,
} from "../../core/machine/served_values.ts";
import { allowedRegisters } from "../readers/tables/msr_allow_list.ts";

const POWERCAP = "/sys/class/powercap";
const HWMON = "/sys/class/hwmon";
const CRAY = "/sys/cray/pm_counters";
const MIN_AGE_NS = 1e6;
/** The error of errno(3) if a text does not fit its cell. */
const EMSGSIZE = 90;

/** Counters that are open. */
export class CounterTable implements Disposable {
  readonly table: ServedTable;
  readonly #files: KeptFile[] = [];
  readonly #registers = new Map<number, Registers>();
  readonly #kept = new Map<number, Kept>();

  /** Opens all that the list has and this node too. */
  constructor(host: Host) {
    const files: string[] = [];
    for (const path of countersOf(host)) {
      try {
        this.#files.push(host.keep(path));
        files.push(path);
      } catch {
        // Not here, or not for this user: then it is not in the table.
      }
    }
    for (const cpu of host.topology.cpus("board", 0)) {
      try {
        this.#registers.set(cpu, host.registers(cpu));
      } catch {
        // likewise
      }
    }
    const registers = allowedRegisters().map(({ offset }) => offset);
    this.table = { files, cpus: [...this.#registers.keys()].sort((a, b) => a - b), registers };
  }

  /** Writes the cell of an id. @returns Bytes, −1: no such id. */
  read(id: number, into: DataView, at: number, nowNs: number): number {
    const served = servedBy(this.table, id);
    if (served === undefined) return -1;
    const size = cellBytes(id);
    if (at + size > into.byteLength) return -1;
    let kept = this.#kept.get(id);
    if (kept === undefined) {
      kept = { bytes: new Uint8Array(size), atNs: -Infinity, leastAgeNs: this.#leastAge(served) };
      this.#kept.set(id, kept);
    }
    if (nowNs - kept.atNs >= kept.leastAgeNs) {
      this.#readNow(served, new DataView(kept.bytes.buffer));
      kept.atNs = nowNs;
    }
    new Uint8Array(into.buffer, into.byteOffset + at, size).set(kept.bytes);
    return size;
  }

  [Symbol.dispose](): void {
    for (const file of this.#files) file[Symbol.dispose]();
    for (const registers of this.#registers.values()) registers[Symbol.dispose]();
  }

  /** Files of a Cray node belong together by their freshness: each is read when it is asked for. */
  #leastAge(served: Served): number {
    const isFree = served.kind === "file" && this.table.files[served.file].startsWith(CRAY);
    return isFree ? 0 : MIN_AGE_NS;
  }

  #readNow(served: Served, cell: DataView): void {
    if (served.kind === "register") {
      const registers = this.#registers.get(served.cpu)!;
      cell.setInt32(0, registers.read(served.register), true);
      cell.setInt32(4, registers.low, true);
      cell.setInt32(8, registers.high, true);
      return;
    }
    const file = this.#files[served.file];
    const length = file.read();
    cell.setInt32(0, length > MAX_TEXT_BYTES ? -EMSGSIZE : length, true);
    for (let i = 0; i < Math.min(length, MAX_TEXT_BYTES); i++) cell.setUint8(4 + i, file.bytes[i]);
  }
}

/** A cell, and when it was read. */
interface Kept {
  readonly bytes: Uint8Array<ArrayBuffer>;
  atNs: number;
  readonly leastAgeNs: number;
}

/** Files of energy and power: of powercap's zones, of hwmon's chips, of a Cray node. */
function countersOf(host: Host): string[] {
  const zones = host.list(POWERCAP).filter((name) => /^(intel|amd)-rapl:\d+$/.test(name));
  const inner = zones.flatMap((zone) => {
    const children = host.list(`${POWERCAP}/${zone}`).filter((name) => name.startsWith(`${zone}:`));
    return [zone, ...children.map((child) => `${zone}/${child}`)];
  });
  const chips = host.list(HWMON).filter((name) => /^hwmon\d+$/.test(name));
  const meters = chips.flatMap((chip) => {
    const files = host.list(`${HWMON}/${chip}`);
    return files.filter((name) => /^(energy\d+_input|power\d+_(input|average))$/.test(name))
      .map((name) => `${HWMON}/${chip}/${name}`);
  });
  const cray = host.list(CRAY).filter((name) => /^[a-z0-9_]+$/.test(name));
  return [
    ...inner.map((zone) => `${POWERCAP}/${zone}/energy_uj`),
    ...meters,
    ...cray.map((name) => `${CRAY}/${name}`),
  ];
}
