/**
 * CPU times, context switches, processes and interrupts from /proc/stat.
 *
 * Truth: proc(5), Documentation/filesystems/proc.rst section 1.8. One real line:
 * `cpu0 74608 2520 24433 1117073 6176 0 1054 0 0 0` (user nice system idle iowait irq softirq
 * steal guest guest_nice, in hundredths of a second). iowait may step back by a little.
 * @module
 */
import { errorText } from "../../os/libc.ts";
import { Counters, STEP } from "../../core/machine/counter.ts";
import type { Host, KeptFile, Reader } from "../../core/machine/host.ts";
import { HIGH_WEIGHT, NumberScanner, SCAN } from "../../core/parse_number.ts";
import type { Offer, OfferedSignal, SignalReading, SignalRow } from "../../core/signal.ts";
import { Troubled } from "./readings/troubled.ts";

const PATH = "/proc/stat";
/** sysconf(_SC_CLK_TCK): 100 on every Linux that we run on. */
const TICK_S = 0.01;

const TIMES = ["USER", "NICE", "SYSTEM", "IDLE", "IOWAIT", "IRQ", "SOFTIRQ", "STEAL"] as const;
const ABOUT: Record<typeof TIMES[number], string> = {
  USER: "Time of the CPU in user mode",
  NICE: "Time of the CPU in user mode at low priority",
  SYSTEM: "Time of the CPU in the kernel",
  IDLE: "Idle time of the CPU",
  IOWAIT: "Idle time of the CPU while an I/O operation is in progress",
  IRQ: "Time of the CPU in interrupts",
  SOFTIRQ: "Time of the CPU in soft interrupts",
  STEAL: "Time that the hypervisor gave to other virtual machines",
};

/** Lines of one number for the node. */
const LINES = [
  ["ctxt", "CONTEXT_SWITCHES", "Number of context switches since boot", true],
  ["processes", "PROCESSES", "Number of processes started since boot", true],
  ["intr", "INTERRUPTS", "Number of interrupts since boot", true],
  ["softirq", "SOFT_INTERRUPTS", "Number of soft interrupts since boot", true],
  ["procs_running", "RUNNING", "Number of threads that could run", false],
  ["procs_blocked", "BLOCKED", "Number of threads that wait for I/O", false],
] as const;

/** The reader of /proc/stat. */
export const procstat: Reader = {
  name: "PROCSTAT",
  about: "CPU time of the node, context switches and processes, as the kernel counts them.",
  needs: { files: [PATH], libraries: [], capabilities: [] },
  signals: [
    ...TIMES.map((name): SignalRow => ({
      name: `PROCSTAT::${name}_TIME`,
      domain: "cpu",
      unit: "s",
      behavior: "monotone",
      agg: "sum",
      about: ABOUT[name],
      source: `${PATH}, line cpuN`,
    })),
    ...LINES.map(([line, name, about, counts]): SignalRow => ({
      name: `PROCSTAT::${name}`,
      domain: "board",
      unit: "",
      behavior: counts ? "monotone" : "variable",
      agg: "sum",
      format: "integer",
      about,
      source: `${PATH}, line ${line}`,
    })),
  ],
  probe(host): Offer {
    const access = host.probe(PATH);
    if (!access.ok) return access;
    const signals = procstat.signals.map((row): OfferedSignal => ({
      row,
      source: PATH,
      quality: "measured",
      resolution: row.unit === "s" ? TICK_S : 1,
    }));
    return { ok: true, signals };
  },
  open: (host, wanted) => new ProcStatReading(host, wanted),
};

class ProcStatReading extends Troubled implements SignalReading {
  readonly #file: KeptFile;
  readonly #cpus: number;
  readonly #scanner = new NumberScanner();
  /** First column of each time, −1 if not requested. */
  readonly #times = new Int32Array(TIMES.length).fill(-1);
  /** Column of each line of the node. */
  readonly #lines = new Int32Array(LINES.length).fill(-1);
  readonly #timeCounters: Counters[];
  readonly #lineCounters: Counters[];

  constructor(host: Host, wanted: readonly OfferedSignal[]) {
    super();
    this.#file = host.keep(PATH);
    this.#cpus = host.topology.count("cpu");
    let column = 0;
    for (const { row } of wanted) {
      const time = TIMES.findIndex((name) => row.name === `PROCSTAT::${name}_TIME`);
      if (time >= 0) this.#times[time] = column;
      else this.#lines[LINES.findIndex(([, name]) => row.name === `PROCSTAT::${name}`)] = column;
      column += row.domain === "cpu" ? this.#cpus : 1;
    }
    const kind = { range: Infinity, base: HIGH_WEIGHT };
    this.#timeCounters = TIMES.map(() => new Counters(this.#cpus, kind));
    this.#lineCounters = LINES.map(() => new Counters(1, kind));
  }

  readInto(out: Float64Array, timeS: number): void {
    out.fill(NaN);
    const length = this.#file.read();
    if (length <= 0) {
      this.noted.add(
        "PROCSTAT",
        "error",
        `${PATH}: ${length === 0 ? "empty" : errorText(-length)}`,
      );
      return;
    }
    const bytes = this.#file.bytes;
    for (let i = 0; i < length;) {
      // "cpu" is the sum over all; "cpu0" and so on are what counts.
      const digit = bytes[i + 3] - 48;
      if (bytes[i] === 99 && bytes[i + 1] === 112 && bytes[i + 2] === 117) {
        if (digit >= 0 && digit <= 9) this.#cpuLine(out, timeS, i + 3, length);
      } else this.#nodeLine(out, timeS, i, length);
      while (i < length && bytes[i] !== 10) i++;
      i++;
    }
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  #cpuLine(out: Float64Array, timeS: number, at: number, length: number): void {
    const scanner = this.#scanner;
    const bytes = this.#file.bytes;
    if (scanner.integer(bytes, length, at) !== SCAN.OK) return;
    const cpu = scanner.low;
    if (cpu >= this.#cpus) return;
    for (let k = 0; k < TIMES.length; k++) {
      if (scanner.integer(bytes, length, scanner.next) !== SCAN.OK) return;
      const column = this.#times[k];
      if (column < 0) continue;
      const counters = this.#timeCounters[k];
      out[column + cpu] = counters.update(cpu, scanner.high, scanner.low, timeS) * TICK_S;
    }
  }

  #nodeLine(out: Float64Array, timeS: number, at: number, length: number): void {
    for (let k = 0; k < LINES.length; k++) {
      const column = this.#lines[k];
      if (column < 0) continue;
      const [word, name, , counts] = LINES[k];
      if (!this.#startsWith(word, at)) continue;
      const scanner = this.#scanner;
      if (scanner.integer(this.#file.bytes, length, at + word.length) !== SCAN.OK) return;
      if (!counts) {
        out[column] = scanner.value;
        return;
      }
      out[column] = this.#lineCounters[k].update(0, scanner.high, scanner.low, timeS);
      if (this.#lineCounters[k].step === STEP.RESET) {
        this.noted.add(`PROCSTAT::${name}`, "reset", "went backwards; nothing was added");
      }
      return;
    }
  }

  #startsWith(word: string, at: number): boolean {
    const bytes = this.#file.bytes;
    for (let k = 0; k < word.length; k++) if (bytes[at + k] !== word.charCodeAt(k)) return false;
    return bytes[at + word.length] === 32;
  }
}
