/**
 * Probes on instructions of programs: events of the kernel's uprobe PMU, emitted in order through one ring
 * a CPU. Truth: perf_event_open(2), linux/perf_event.h, Documentation/trace/uprobetracer.rst.
 *
 * Events are opened for all processes: inherited ones would make a child's fork(2) fail, since the
 * kernel looks for the path in the memory of the process that forks. Our processes are known by forks (a dummy
 * event with `task`), and by the caller. No return probes: they put another return address on
 * the program's stack, and an exception that comes by ends the program.
 * @module
 */
import { grown } from "../../core/grow.ts";
import { openCounter } from "../confinement/caller_rights.ts";
import { closeFile, readText } from "../files.ts";
import { cString, ERRNO, errno, errorText, libc, SYSCALLS } from "../libc.ts";
import { bindEventCalls } from "./ioctl.ts";
import { PerfRing } from "./perf_ring.ts";

const ATTR_BYTES = 128;
const SAMPLE_TID = 2n, SAMPLE_TIME = 4n, SAMPLE_CPU = 128n, SAMPLE_REGS_USER = 4096n;
const SAMPLE_IDENTIFIER = 65536n;
const FORMAT_ID = 4n;
const COMM = 1n << 9n, TASK = 1n << 13n, SAMPLE_ID_ALL = 1n << 18n, COMM_EXEC = 1n << 24n;
const USE_CLOCKID = 1n << 25n;
const CLOCK_MONOTONIC_RAW = 4;
const FD_CLOEXEC = 8n;
const SOFTWARE = 1, DUMMY = 9;
/** PERF_REG_X86_SP. */
const STACK_POINTER = 1n << 7n;
/** Data of a CPU, a power of two: a tick's worth of calls that take a microsecond each, and more. */
const DATA_BYTES = 1 << 18;
const PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS = 0x22;
const REF_COUNTER = "/sys/bus/event_source/devices/uprobe/format/ref_ctr_offset";

/** An instruction, by its place in a file. */
export interface ProbePlace {
  readonly path: string;
  readonly offset: number;
  /** File offset of the counter that the kernel raises while the point is probed; 0: none. */
  readonly semaphore?: number;
}

/** Records read from a CPU's ring, one after the other, and their length in bytes. */
export class ProbeRing implements Disposable {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(1 << 14);
  view: DataView = new DataView(this.bytes.buffer);
  /** Records from here on are yet to be taken. */
  start = 0;
  end = 0;
  readonly #ring: PerfRing;

  constructor(ring: PerfRing) {
    this.#ring = ring;
  }

  /** Copies what is new, and makes room in the ring. */
  read(): void {
    const ring = this.#ring, length = ring.look();
    if (length === 0) return;
    this.#reserve(length);
    ring.copy(ring.from, length, this.bytes, this.end);
    this.end += length;
    ring.free();
  }

  [Symbol.dispose](): void {
    this.#ring[Symbol.dispose]();
  }

  #reserve(length: number): void {
    if (this.start > 0) {
      this.bytes.copyWithin(0, this.start, this.end);
      this.end -= this.start;
      this.start = 0;
    }
    if (this.end + length <= this.bytes.length) return;
    this.bytes = grown(this.bytes, this.end + length);
    this.view = new DataView(this.bytes.buffer);
  }
}

/** Probes that are open. */
export class PerfProbes implements Disposable {
  readonly rings: readonly ProbeRing[];
  /** Places by the low half of what the kernel calls their events. */
  readonly places: ReadonlyMap<number, number>;
  readonly #fds: readonly number[];

  private constructor(rings: ProbeRing[], places: Map<number, number>, fds: number[]) {
    [this.rings, this.places, this.#fds] = [rings, places, fds];
  }

  /** Opens all, or none: why not. */
  static open(places: readonly ProbePlace[], cpus: readonly number[]): PerfProbes | string {
    const type = Number(readText("/sys/bus/event_source/devices/uprobe/type") ?? NaN);
    const number = SYSCALLS.perfEventOpen;
    if (!Number.isInteger(type)) return "this kernel has no uprobes for perf";
    const counts = places.some(({ semaphore }) => semaphore !== undefined && semaphore > 0);
    if (counts && readText(REF_COUNTER) === undefined) {
      return "this kernel raises no semaphores of points (Linux 4.20 does)";
    }
    const c = libc();
    const fds: number[] = [], rings: ProbeRing[] = [];
    const byEvent = new Map<number, number>();
    const fail = (what: string): string => {
      const why = errno();
      for (const ring of rings) ring[Symbol.dispose]();
      for (const fd of fds) closeFile(fd);
      const denied = why === ERRNO.EACCES || why === ERRNO.EPERM;
      const remedy = denied ? "; root or CAP_PERFMON may (doctor --remedy)" : "";
      return `${what}: ${denied ? "this user may place no probes" : errorText(why)}${remedy}`;
    };
    const { redirect } = bindEventCalls();
    const openEvent = (what: Uint8Array<ArrayBuffer>, cpu: number) => {
      return Number(
        openCounter(undefined, () => c.perfEventOpen(number, what, -1, cpu, -1, FD_CLOEXEC)),
      );
    };
    const paths = new Map(places.map(({ path }) => [path, textInMemory(path)]));
    for (const cpu of cpus) {
      const leader = openEvent(attributes(SOFTWARE), cpu);
      if (leader < 0) return fail("perf_event_open");
      fds.push(leader);
      const ring = PerfRing.map(leader, DATA_BYTES);
      if (ring === undefined) return fail("a ring of perf (perf_event_mlock_kb)");
      rings.push(new ProbeRing(ring));
      for (let i = 0; i < places.length; i++) {
        const probe = attributes(type, paths.get(places[i].path), places[i].offset);
        // perf_event_open(2), ref_ctr_offset: bits 32 to 63, since Linux 4.20.
        new DataView(probe.buffer).setUint32(12, places[i].semaphore ?? 0, true);
        const fd = openEvent(probe, cpu);
        if (fd < 0) return fail(`${places[i].path} +0x${places[i].offset.toString(16)}`);
        fds.push(fd);
        if (redirect(fd, leader) !== 0) {
          return fail("PERF_EVENT_IOC_SET_OUTPUT");
        }
        const state = new BigUint64Array(2); // value, id
        c.read(fd, new Uint8Array(state.buffer), 16n);
        byEvent.set(Number(state[1] & 0xffffffffn), i);
      }
    }
    return new PerfProbes(rings, byEvent, fds);
  }

  [Symbol.dispose](): void {
    for (const ring of this.rings) ring[Symbol.dispose]();
    for (const fd of this.#fds) closeFile(fd);
  }
}

/** struct perf_event_attr: of a probe on an instruction, or of the dummy that receives processes. */
function attributes(type: number, path?: bigint, offset = 0): Uint8Array<ArrayBuffer> {
  const attr = new DataView(new ArrayBuffer(ATTR_BYTES));
  const isDummy = path === undefined;
  attr.setUint32(0, type, true);
  attr.setUint32(4, ATTR_BYTES, true);
  attr.setBigUint64(8, BigInt(isDummy ? DUMMY : 0), true);
  attr.setBigUint64(16, isDummy ? 0n : 1n, true); // each one
  const sample = SAMPLE_IDENTIFIER | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU;
  attr.setBigUint64(24, sample | (isDummy ? 0n : SAMPLE_REGS_USER), true);
  attr.setBigUint64(32, FORMAT_ID, true);
  attr.setBigUint64(
    40,
    USE_CLOCKID | SAMPLE_ID_ALL | (isDummy ? COMM | TASK | COMM_EXEC : 0n),
    true,
  );
  if (path !== undefined) {
    attr.setBigUint64(56, path, true);
    attr.setBigUint64(64, BigInt(offset), true);
    attr.setBigUint64(80, STACK_POINTER, true);
  }
  attr.setInt32(92, CLOCK_MONOTONIC_RAW, true);
  return new Uint8Array(attr.buffer);
}

/** A text that the kernel can read by its address. */
function textInMemory(text: string): bigint {
  const bytes = cString(text);
  const size = BigInt(bytes.length);
  const at = libc().mmap(0n, size, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0n);
  libc().poke(at, bytes, size);
  return at;
}
