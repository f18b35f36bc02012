/**
 * A tree for `--root` whose counters only its owner may read: a zone of powercap and the registers of
 * two CPUs. Tests change them in place, as a kernel does.
 *
 * @module
 */

const ZONE = "/sys/class/powercap/intel-rapl:0";
/** Step of a register of energy: unit register 0x606 says 2^-14 J. */
const REGISTER_STEP_J = 2 ** -14;
const UNITS = 0xa0e03n;

/** A tree, and the energy of its package. */
export class ClosedTree {
  readonly root: string;
  #energyJ = 1000;

  constructor(root: string) {
    this.root = root;
    const cpu = "/sys/devices/system/cpu";
    this.#write(`${cpu}/online`, "0-1\n");
    const info: string[] = [];
    for (const n of [0, 1]) {
      this.#write(`${cpu}/cpu${n}/topology/physical_package_id`, "0\n");
      this.#write(`${cpu}/cpu${n}/topology/core_id`, `${n}\n`);
      this.#write(`${cpu}/cpu${n}/topology/thread_siblings_list`, `${n}\n`);
      info.push(`processor\t: ${n}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n`);
      const words = new BigUint64Array(0x700);
      words[0x606] = UNITS;
      this.#write(`/dev/cpu/${n}/msr`, new Uint8Array(words.buffer), 0o400);
    }
    this.#write("/proc/cpuinfo", info.join("\n"));
    this.#write(`${ZONE}/name`, "package-0\n");
    this.#write(`${ZONE}/max_energy_range_uj`, "262143328850\n");
    this.#write(`${ZONE}/energy_uj`, "0000000000\n", 0o400);
    this.addEnergy(0);
  }

  /** The package has drawn more; the files get as long as they were. */
  addEnergy(energyJ: number): void {
    this.#energyJ += energyJ;
    const text = `${Math.round(this.#energyJ * 1e6)}\n`;
    this.#change(`${ZONE}/energy_uj`, 0, new TextEncoder().encode(text));
    const words = BigUint64Array.of(BigInt(Math.round(this.#energyJ / REGISTER_STEP_J)));
    for (const n of [0, 1]) {
      this.#change(`/dev/cpu/${n}/msr`, 8 * 0x611, new Uint8Array(words.buffer));
    }
  }

  #write(path: string, content: string | Uint8Array, mode = 0o644): void {
    const whole = this.root + path;
    Deno.mkdirSync(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    Deno.writeFileSync(
      whole,
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    );
    Deno.chmodSync(whole, mode);
  }

  #change(path: string, at: number, bytes: Uint8Array): void {
    using file = Deno.openSync(this.root + path, { write: true });
    file.seekSync(at, Deno.SeekMode.Start);
    file.writeSync(bytes);
  }
}
