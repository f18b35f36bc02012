/**
 * Temperatures of a simulated node's packages: they follow the power slowly.
 * @module
 */
import { NumberFile } from "./number_file.ts";
import type { SimSpec } from "./spec.ts";
import type { TreeWriter } from "./tree_writer.ts";

const AMBIENT_C = 28;
const CELSIUS_PER_WATT = 0.25;
const TIME_CONSTANT_S = 4;

/** The temperatures of all packages. */
export class Temperatures {
  readonly #writer: TreeWriter;
  readonly #celsius: Float64Array;
  readonly #joules: Float64Array;
  #files: NumberFile[] = [];

  constructor(spec: SimSpec, writer: TreeWriter) {
    this.#writer = writer;
    this.#celsius = new Float64Array(spec.packages).fill(AMBIENT_C + CELSIUS_PER_WATT * spec.idleW);
    this.#joules = new Float64Array(spec.packages);
  }

  /** Zones as x86_pkg_temp_thermal makes them, in millidegrees. */
  layOut(): void {
    this.#files = Array.from(this.#celsius, (celsius, pkg) => {
      const dir = `/sys/class/thermal/thermal_zone${pkg}`;
      this.#writer.put(`${dir}/type`, "x86_pkg_temp\n");
      const file = new NumberFile(this.#writer, `${dir}/temp`);
      file.make(Math.round(celsius) * 1000);
      return file;
    });
  }

  /** @param joules Energy of the package so far. @param seconds Since the last call. */
  follow(pkg: number, joules: number, seconds: number): void {
    const watts = (joules - this.#joules[pkg]) / seconds;
    this.#joules[pkg] = joules;
    const target = AMBIENT_C + CELSIUS_PER_WATT * watts;
    const decay = Math.exp(-seconds / TIME_CONSTANT_S);
    this.#celsius[pkg] = target + (this.#celsius[pkg] - target) * decay;
  }

  celsius(pkg: number): number {
    return this.#celsius[pkg];
  }

  show(): void {
    for (let pkg = 0; pkg < this.#files.length; pkg++) {
      this.#files[pkg].write(Math.round(this.#celsius[pkg]) * 1000);
    }
  }
}
