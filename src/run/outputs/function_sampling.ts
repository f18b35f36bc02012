/**
 * The live side of `--functions`: events on the command that waits to be started, files of the machine, and
 * turns that empty the rings.
 * @module
 */
import { parseCpuList } from "../../core/machine/cpu_list.ts";
import { LAUNCH_PREFIX } from "../../core/events/ring_layout.ts";
import { guardian } from "../../job/guardian/guardian.ts";
import { cpuSeconds, rawNanoseconds } from "../../os/clock.ts";
import {
  commandProcess,
  openPerfEvent,
  PERF_READ,
  PerfCounter,
  type PerfEventSpec,
  PROCESSES_KEEP_EVENTS,
  THREADS_KEEP_EVENTS,
} from "../../os/devices/perf_event.ts";
import { HandedEvents, LAST } from "../../os/devices/handed_events.ts";
import { PerfSampling, type RefusedCall } from "../../os/devices/perf_sampling.ts";
import { ringsOf, TimerSampling } from "../../os/devices/timer_sampling.ts";
import {
  closeFile,
  listDirectory,
  O,
  openFile,
  readOpenText,
  readPieces,
  readText,
} from "../../os/files.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { codeFileOf, openCodeFile, ownText } from "../../os/files/code_files.ts";
import { affinityOf } from "../../os/host.ts";
import { ERRNO, errorText } from "../../os/libc.ts";
import { ownVdso } from "../../os/memory/vdso.ts";
import { busyModules } from "../../profile/function_data.ts";
import { kernelLines } from "../../profile/jit_map.ts";
import { OWN_MACHINE } from "../../profile/machine.ts";
import { Modules } from "../../profile/modules.ts";
import { FrameNames } from "../../profile/names.ts";
import type { ProcessCode } from "../../profile/processes.ts";
import { FRAME, Profile, type StackCost } from "../../profile/profile.ts";
import { type Sampling, samplingAttribute, switchAttribute } from "../../profile/records.ts";
import type { TimerFacts } from "../recordings/function_rows.ts";
import type { FunctionOptions } from "./function_options.ts";

/** Rings are emptied at least so often, ns. */
const TURN_NS = 100e6;
/** More often only for samples of the rate: those of switches may be more than the monitor can read, ns. */
const SWITCHES_TURN_NS = 5e6;
/** Processes of a launch begin within this time of each other, ns; so long the monitor looks often. */
const JOINING_NS = 2e9, JOIN_NS = 5e6;
/** Size of a sample without the stack, bytes. */
const SAMPLE_BYTES = 80 + 8 * OWN_MACHINE.sampled.length;
/** CPU time for lines and inlined functions, which may take long. */
const LINES_S = 2;
/** Share of the CPU time in a library's own code from which on its debug file is worth 0.1 s and more. */
const OWN_SHARE = 0.01;
const KERNEL_SYMBOLS = "/proc/kallsyms";
const ONLINE_CPUS = "/sys/devices/system/cpu/online";
/** PERF_COUNT_SW_TASK_CLOCK of the command on any CPU. */
const CPU_TIME: PerfEventSpec = { type: 1, config: 1, cpu: -1, commands: true };

/** Samples of the command and all that it starts. */
export class FunctionSampling {
  readonly profile: Profile;
  readonly names: FrameNames;
  readonly withKernel: boolean;
  readonly #source: PerfSampling | TimerSampling;
  /** Events of other processes of the launch. */
  readonly #handed: HandedEvents | undefined;
  /** Processes whose events came, and those of them without room. */
  readonly #joined = new Set<number>();
  readonly #refused = new Set<number>();
  /** Other processes of the launch begin up to here, as far as is known. */
  #joinUntilNs = NaN;
  readonly #modules: Modules;
  #kernelSymbols: number;
  /** Bytes of one CPU's samples in a time. */
  readonly #bytesPerNs: number;
  /** Begin of the last turn, and of the next. */
  #turnedNs = 0;
  #nextNs = 0;
  /** Lines are read up to this CPU time of the monitor. */
  #linesUntilS = 0;
  /** Modules whose own code took a part of the time that is worth a look. */
  #busyModules: ReadonlySet<number> = new Set();
  /** CPU time on any CPU; absent: samples come from every CPU. */
  readonly #cpuTime: PerfCounter | undefined;
  /** Event that lets each thread keep its events, and one that lets each process; below 0: none. */
  #threadsKeep = -1;
  #processesKeep = -1;
  /** CPU time on CPUs without samples, ns. */
  elsewhereNs = 0;
  /** Length of the command's begin without samples: the monitor was not ready, ns. */
  missedNs = 0;
  /** When the events were open, CLOCK_MONOTONIC_RAW in ns. */
  readonly #openedNs = rawNanoseconds();
  /** Why waiting threads have no stacks; empty: they have, or are not asked for. */
  withoutWaits = "";

  private constructor(
    source: PerfSampling | TimerSampling,
    sampling: Sampling,
    debugDirectories: readonly string[],
    cpuTime?: PerfCounter,
  ) {
    this.#source = source;
    if (source instanceof PerfSampling) {
      this.#handed = openHanded(samplingAttribute(sampling, OWN_MACHINE));
    }
    this.withKernel = sampling.withKernel;
    this.#bytesPerNs = (sampling.stackBytes + SAMPLE_BYTES) / sampling.periodNs;
    this.#modules = new Modules(OWN_MACHINE, openCodeFile, ownVdso(), (process, name) => {
      return codeFileOf(openOf(process, name));
    });
    this.profile = new Profile(this.#modules, sampling);
    const isTimer = source instanceof TimerSampling;
    this.profile.processes.read = isTimer ? (id) => ringOwner(id, processNow(id)) : processNow;
    // Later, without capabilities, the kernel shows zeros.
    this.#kernelSymbols = sampling.withKernel ? openFile(KERNEL_SYMBOLS, O.RDONLY) : -1;
    this.names = new FrameNames(this.profile, {
      open: openCodeFile,
      debugDirectories,
      mayReadLines: (module, areOfSystem) =>
        cpuSeconds() < this.#linesUntilS && (!areOfSystem || this.#busyModules.has(module)),
      kernelSymbols: () => this.#readKernelSymbols(),
      jitMap: (process) => ownText(`/tmp/perf-${process}.map`),
    });
    this.profile.onEnd = (process) => this.names.keep(process);
    this.#cpuTime = cpuTime;
  }

  /** Opens the events; otherwise says why there are none, with what helps. */
  static open(options: FunctionOptions): FunctionSampling | string {
    const { hz, stackBytes, debugDirectories, offCpu, event } = options;
    if (event === "timer") return FunctionSampling.#byTimer(options);
    const pid = commandProcess(), cpus = affinityOf(pid);
    const isPart = parseCpuList(readText(ONLINE_CPUS) ?? "").length > cpus.length;
    const processesKeep = openPerfEvent(PROCESSES_KEEP_EVENTS);
    let why = "";
    for (const withKernel of [true, false]) {
      for (const withBuildIds of [true, false]) {
        const sampling = {
          periodNs: 1e9 / hz,
          stackBytes,
          withKernel,
          withBuildIds,
          offCpu,
          event,
        };
        // It comes before the events of a CPU.
        const cpuTime = isPart ? openCpuTime(withKernel) : undefined;
        const attribute = samplingAttribute(sampling, OWN_MACHINE);
        // Where threads leave a CPU is in the kernel.
        const waits = offCpu && withKernel
          ? PerfSampling.open(pid, cpus, attribute, switchAttribute(sampling, OWN_MACHINE))
          : "this user may not sample the kernel";
        const perf = waits instanceof PerfSampling
          ? waits
          : PerfSampling.open(pid, cpus, attribute);
        if (perf instanceof PerfSampling) {
          const made = new FunctionSampling(perf, sampling, debugDirectories, cpuTime);
          made.#processesKeep = processesKeep;
          if (!offCpu || waits instanceof PerfSampling) return made;
          made.withoutWaits = typeof waits === "string" ? waits : reasonOf(waits);
          return made;
        }
        why = reasonOf(perf);
        cpuTime?.[Symbol.dispose]();
      }
    }
    closeFile(processesKeep);
    return why;
  }

  static #byTimer({ hz, stackBytes, debugDirectories, event }: FunctionOptions) {
    const { directory } = guardian() ?? {};
    const source = directory === undefined ? undefined : TimerSampling.open(directory);
    if (source === undefined) return `the rings have no place in ${directory}`;
    const plain = { withKernel: false, withBuildIds: false, offCpu: false };
    const sampling = { ...plain, periodNs: Math.round(1e9 / hz), stackBytes, event };
    return new FunctionSampling(source, sampling, debugDirectories);
  }

  /** Number of processes of the launch that other runs started, and whose functions are not sampled. */
  get otherProcesses(): number {
    // A library samples them all.
    if (this.#source instanceof TimerSampling) return 0;
    const names = listDirectory(guardian()?.directory ?? "");
    const pids = names.filter((name) => name.startsWith(LAUNCH_PREFIX))
      .map((name) => Number(name.slice(LAUNCH_PREFIX.length)));
    return pids.filter((pid) => !this.#joined.has(pid) || this.#refused.has(pid)).length;
  }

  /** All samples up to here were taken, CLOCK_MONOTONIC_RAW in ns. */
  get takenNs(): number {
    return this.#source.takenNs;
  }

  /** Had samples no room to wait for the annotations of their time? */
  get wasFull(): boolean {
    return this.#source.wasFull;
  }

  /** Rings of threads that sample themselves; `undefined`: the kernel samples. */
  get timers(): TimerFacts | undefined {
    if (!(this.#source instanceof TimerSampling)) return undefined;
    const { found, unread, isStopped } = this.#source;
    return { found, unread, isStopped };
  }

  /** Other events on the command are opened later: each thread keeps its own. */
  keepEvents(): void {
    if (this.#source instanceof PerfSampling) {
      this.#threadsKeep = openPerfEvent(THREADS_KEEP_EVENTS);
    }
  }

  /**
   * Empties the rings where their turn has come.
   *
   * @param knownNs Annotations up to here are known, CLOCK_MONOTONIC_RAW: later samples wait.
   * @param wakeNs Next step of the loop, CLOCK_MONOTONIC. A turn that would come before it is taken up to half a
   *   turn early, so that the process does not wake once more for it.
   * @returns The next turn, CLOCK_MONOTONIC in ns.
   */
  take(nowNs: number, knownNs: number, wakeNs: number): number {
    this.#join(nowNs);
    if (this.missedNs === 0) this.#beginLate();
    const earlyNs = this.#nextNs < wakeNs ? (this.#nextNs - this.#turnedNs) / 2 : 0;
    if (nowNs >= this.#nextNs - earlyNs) {
      this.#source.take(knownNs, this.profile);
      this.#nextNs = nowNs + this.#turnNs(nowNs - this.#turnedNs);
      this.#turnedNs = nowNs;
    }
    return nowNs < this.#joinUntilNs ? Math.min(this.#nextNs, nowNs + JOIN_NS) : this.#nextNs;
  }

  #turnNs(sinceNs: number): number {
    const { ringBytes, fullest } = this.#source;
    return turnNs({ bytes: ringBytes, bytesPerNs: this.#bytesPerNs, fullest, sinceNs });
  }

  /** The guardian may have started the command before it had events, which then wait for its execve(2). */
  #beginLate(): void {
    const { startedNs = NaN } = guardian() ?? {};
    if (!(startedNs < this.#openedNs && this.#source instanceof PerfSampling)) return;
    this.missedNs = rawNanoseconds() - startedNs;
    // Records of its mappings and threads never come.
    this.profile.processes.lost++;
    this.#source.enable();
  }

  /** Takes events that other processes of the launch hand over before they begin. */
  #join(nowNs: number): void {
    if (this.#handed === undefined) return;
    if (Number.isNaN(this.#joinUntilNs)) this.#joinUntilNs = nowNs + JOINING_NS;
    for (const { pid, cpu, fd } of this.#handed.take()) {
      this.#joined.add(pid);
      this.#joinUntilNs = nowNs + JOINING_NS;
      // Its ring may be smaller than the others.
      this.#nextNs = nowNs;
      if (cpu === LAST) closeFile(fd);
      else if (fd < 0 || !this.#add(cpu, fd)) this.#refused.add(pid);
    }
  }

  #add(cpu: number, fd: number): boolean {
    return this.#source instanceof PerfSampling && this.#source.add(cpu, fd);
  }

  #readKernelSymbols(): string {
    const fd = this.#kernelSymbols;
    this.#kernelSymbols = -1;
    if (fd < 0) return "";
    const { trie } = this.profile, addresses: number[] = [];
    for (let node = 1; node < trie.count; node++) {
      if (trie.module(node) === FRAME.kernel) addresses.push(trie.address(node));
    }
    return kernelLines(readPieces(fd), addresses);
  }

  /** The command has ended: takes what is left. */
  finish(): StackCost[] {
    this.#source.take(Infinity, this.profile);
    this.#linesUntilS = cpuSeconds() + LINES_S;
    const counts = this.#source.counts(),
      sampledNs = [...counts.values()].reduce((a, b) => a + b, 0);
    const costs = this.profile.finish(counts);
    this.#busyModules = busyModules(this.profile.trie, costs, OWN_SHARE);
    if (this.#cpuTime?.read() === PERF_READ.OK) {
      this.elsewhereNs = Math.max(0, this.#cpuTime.total[0] - sampledNs);
    }
    if (this.#source instanceof TimerSampling) this.profile.facts.lost = this.#source.dropped;
    this.#source[Symbol.dispose]();
    return costs;
  }

  [Symbol.dispose](): void {
    this.#cpuTime?.[Symbol.dispose]();
    this.#handed?.[Symbol.dispose]();
    closeFile(this.#threadsKeep);
    closeFile(this.#processesKeep);
    closeFile(this.#kernelSymbols);
    this.#modules[Symbol.dispose]();
  }
}

/** Bytes of a ring, and how fast they are used. */
export interface RingFill {
  readonly bytes: number;
  /** Bytes of samples in a time, ns. */
  readonly bytesPerNs: number;
  /** Part of the fullest ring that was in use now, after this time. */
  readonly fullest: number;
  readonly sinceNs: number;
}

/** Time to the next turn, ns: the ring has room for a turn that comes half of its time too late. */
export function turnNs({ bytes, bytesPerNs, fullest, sinceNs }: RingFill): number {
  const ofAllNs = Math.max(SWITCHES_TURN_NS, sinceNs / fullest / 1.5);
  return Math.min(TURN_NS, bytes / bytesPerNs / 1.5, ofAllNs);
}

/** Lets other processes of a launch hand their events over; where that cannot be, they are not sampled. */
function openHanded(attribute: Uint8Array<ArrayBuffer>): HandedEvents | undefined {
  const { directory, isShared } = guardian() ?? {};
  if (directory === undefined || !isShared) return undefined;
  const handed = HandedEvents.open(directory);
  try {
    // Who finds the file may rely on the socket.
    if (handed !== undefined) writeDocument(`${directory}/sampling`, attribute);
    return handed;
  } catch {
    handed?.[Symbol.dispose]();
    return undefined;
  }
}

function openCpuTime(withKernel: boolean): PerfCounter | undefined {
  const spec = Object.assign({ userOnly: !withKernel }, CPU_TIME), fd = openPerfEvent(spec);
  return fd < 0 ? undefined : new PerfCounter(fd, spec);
}

/** Opens a file of a process, which the guardian may do; the monitor may not once it is confined. */
function openOf(process: number, name: string): number {
  return guardian()?.openOf(process, name) ?? openFile(`/proc/${process}/${name}`, O.RDONLY);
}

function processNow(process: number): ProcessCode | undefined {
  const fd = openOf(process, "maps"), name = readText(`/proc/${process}/comm`)?.trimEnd();
  const maps = fd < 0 ? undefined : readOpenText(fd, "maps");
  return maps === undefined || maps === "" || name === undefined ? undefined : { name, maps };
}

/** In a container of its own numbers a process may have that of another one, which has no such ring. */
function ringOwner(process: number, code: ProcessCode | undefined): ProcessCode | undefined {
  return code?.maps.includes(`/${ringsOf(process)}`) ? code : undefined;
}

function reasonOf({ errno, call }: RefusedCall): string {
  switch (errno) {
    case ERRNO.EACCES:
    case ERRNO.EPERM:
      return call === "mmap"
        ? "other programs of this user have used up the memory for perf. End them, or ask for a " +
          "larger kernel.perf_event_mlock_kb"
        : "this user may not use perf. Ask an administrator for sysctl kernel.perf_event_paranoid=2";
    case ERRNO.EMFILE:
      return "too few free file descriptors. Raise ulimit -n";
  }
  return `${call}: ${errorText(errno)}`;
}
