/**
 * The register files of a simulated node's CPUs: `dev/cpu/N/msr`, 8-byte words at 8 × register.
 *
 * Registers and fields as in readers/tables/msr_fields.ts: an Ice Lake server, whose package
 * energy counts 2^−14 J and memory energy 2^−16 J, in 32 bits.
 * @module
 */
import { designW, type SimSpec } from "./spec.ts";
import type { TreeWriter } from "./tree_writer.ts";

const TWO_32 = 4294967296;
/** Energy units of package and memory, and of the platform, J. */
export const ENERGY_UNIT_J = [2 ** -14, 2 ** -16] as const;
export const PLATFORM_UNIT_J = 2 ** -14;
/** PU 3, EU 14, TU 10: 1/8 W, 61 µJ, 977 µs. */
const UNIT_WORD = 0xa0e03;
/** TjMax. */
const TJ_MAX_C = 100;

const TSC = 0x10, PLATFORM_INFO = 0xce, MPERF = 0xe7, APERF = 0xe8, PERF_STATUS = 0x198;
const THERM_STATUS = 0x19c, TEMPERATURE_TARGET = 0x1a2, TURBO = 0x1ad, PACKAGE_THERM = 0x1b1;
const POWER_UNIT = 0x606, PKG_LIMIT = 0x610, PKG_INFO = 0x614, DRAM_INFO = 0x61c;
const ENERGY = [0x611, 0x619] as const;
const UNCORE_LIMIT = 0x620, UNCORE = 0x621, PLATFORM_ENERGY = 0x64d;
const LAST = PLATFORM_ENERGY;

/** Parts of a file that change: clocks and temperatures; energies. */
const CLOCKS = [TSC, PACKAGE_THERM] as const;
const ENERGIES = [ENERGY[0], PLATFORM_ENERGY] as const;

/** Keeps the register files up to date. */
export class RegisterFiles {
  readonly #writer: TreeWriter;
  readonly #paths: string[];
  readonly #files: Uint8Array[];
  readonly #views: DataView[];
  readonly #clocks: Uint8Array[];
  readonly #energies: Uint8Array[];

  constructor(spec: SimSpec, cpus: number, writer: TreeWriter) {
    this.#writer = writer;
    this.#paths = Array.from({ length: cpus }, (_, cpu) => `/dev/cpu/${cpu}/msr`);
    this.#files = this.#paths.map(() => new Uint8Array((LAST + 1) * 8));
    this.#views = this.#files.map((file) => new DataView(file.buffer));
    const part = ([from, to]: readonly [number, number]) => (file: Uint8Array) =>
      file.subarray(from * 8, (to + 1) * 8);
    this.#clocks = this.#files.map(part(CLOCKS));
    this.#energies = this.#files.map(part(ENERGIES));
    const ratio = Math.round(spec.baseHz / 1e8);
    const tdp = Math.min(0x7fff, Math.round(designW(spec) * 8));
    const dram = Math.round((spec.dramIdleW + spec.dramDynamicW) * 8) & 0x7fff;
    for (let cpu = 0; cpu < cpus; cpu++) {
      this.#set(cpu, PLATFORM_INFO, ratio << 8, 8 << 8);
      this.#set(cpu, TEMPERATURE_TARGET, TJ_MAX_C << 16);
      this.#set(cpu, TURBO, Math.round(ratio * 1.4));
      this.#set(cpu, POWER_UNIT, UNIT_WORD);
      // Long-term limit at the thermal design power, on; window 1 s.
      this.#set(cpu, PKG_LIMIT, tdp | 1 << 15 | 0x0a << 17, Math.round(tdp * 1.2) | 1 << 15);
      this.#set(cpu, PKG_INFO, tdp | (tdp >> 1) << 16, Math.round(tdp * 1.2) & 0x7fff);
      this.#set(cpu, DRAM_INFO, dram, dram);
      this.#set(cpu, UNCORE_LIMIT, 24 | 8 << 8);
      this.#set(cpu, UNCORE, 20);
    }
  }

  /** Writes all files whole. */
  layOut(): void {
    this.#files.forEach((file, cpu) => this.#writer.put(this.#paths[cpu], file, 0o600));
  }

  setEnergy(cpu: number, meter: number, raw: number): void {
    this.#set(cpu, ENERGY[meter], raw);
  }

  setPlatformEnergy(cpu: number, raw: number): void {
    this.#set(cpu, PLATFORM_ENERGY, raw);
  }

  /** Counters may pass 2^32. @param hz Frequency now. */
  setClocks(cpu: number, tsc: number, mperf: number, aperf: number, hz: number): void {
    this.#setWide(cpu, TSC, tsc);
    this.#setWide(cpu, MPERF, mperf);
    this.#setWide(cpu, APERF, aperf);
    this.#set(cpu, PERF_STATUS, Math.round(hz / 1e8) << 8, 0x1800);
  }

  setTemperature(cpu: number, coreC: number, packageC: number): void {
    const below = (celsius: number) => Math.min(127, Math.max(0, Math.round(TJ_MAX_C - celsius)));
    this.#set(cpu, THERM_STATUS, 0x88000000 | below(coreC) << 16);
    this.#set(cpu, PACKAGE_THERM, below(packageC) << 16);
  }

  writeClocks(cpu: number): void {
    this.#writer.patch(this.#paths[cpu], CLOCKS[0] * 8, this.#clocks[cpu]);
  }

  writeEnergies(cpu: number): void {
    this.#writer.patch(this.#paths[cpu], ENERGIES[0] * 8, this.#energies[cpu]);
  }

  #set(cpu: number, register: number, low: number, high = 0): void {
    this.#views[cpu].setUint32(register * 8, low, true);
    this.#views[cpu].setUint32(register * 8 + 4, high, true);
  }

  #setWide(cpu: number, register: number, value: number): void {
    this.#set(cpu, register, value % TWO_32, Math.floor(value / TWO_32));
  }
}
