/**
 * The tracker: marker calls in; exact times and counts, CPU states and records out.
 *
 * Behaviour is that of geopm_prof(3) and of GEOPM's sampler of applications, as
 * docs/explanation/aggregation.md describes it. Pure: times are numbers handed in, there is no clock.
 * Nothing allocates per event once every region, thread and process has been seen.
 * @module
 */
import type { Domain } from "../../core/machine/domain.ts";
import type { EventRecord } from "../../core/events/event.ts";
import { KIND } from "../../core/events/event_kinds.ts";
import { regionHash } from "../../core/hash.ts";
import { HINT_COUNT, HINT_UNKNOWN, hintOnEntry } from "../../core/hints.ts";
import { EVENT, RecordList } from "../../core/record.ts";
import { CpuUpdate } from "./cpu_update.ts";
import type { LaneListener } from "./lanes.ts";
import { PathCpus } from "./path_cpus.ts";
import { type ProcessEnd, TrackedProcess } from "./process.ts";
import { parseRecordFilter, type RecordFilter } from "./record_filter.ts";
import { collectRecords } from "./record_log.ts";
import type { Track, Visit } from "./track.ts";
import { TrackedRun } from "./tracked_run.ts";

/** Options of a tracker: facts about its node. */
export interface TrackerOptions {
  /** Source of the number of CPUs. */
  topology: { count(domain: Domain): number };
  /** Name of the profile; its hash is in start and stop records. @default "default" */
  profile?: string;
  /** See {@linkcode parseRecordFilter}. @default none */
  recordFilter?: string;
}

export type { ProcessSummary } from "./process_list.ts";

/**
 * Tracks the regions of every process of a run.
 *
 * @example
 * ```ts
 * import { PlatformTopology, RegionTracker } from "joulemark";
 *
 * const topology = PlatformTopology.regular({
 *   packages: 1,
 *   coresPerPackage: 2,
 *   threadsPerCore: 1,
 * });
 * const tracker = new RegionTracker({ topology, profile: "example" });
 * const process = tracker.start(0, 4711, [0, 1]);
 * const region = tracker.region(0, process, "solve", 2);
 * tracker.enter(1, process, region, -1, 0);
 * tracker.exit(3, process, region, 0);
 * if (tracker.regions()[0].runtimeS !== 2) throw new Error("expected 2 s");
 * ```
 */
export class RegionTracker extends TrackedRun {
  /** Records of the last step, grouped by process in order of pid. */
  readonly records = new RecordList(64);
  /** Incremented when the run restarts: at the first process, and when it replaces the command. */
  generation = 0;
  /** Time when a process last ended, ns. */
  #lastEndNs = 0;
  /** Visits that came folded. */
  foldedVisits = 0;
  /**
   * Nested regions on CPUs.
   *
   * @ignore
   */
  readonly pathCpus: PathCpus;
  /**
   * Receivers of lanes. Set before the first process.
   *
   * @ignore
   */
  readonly lanes: LaneListener[] = [];
  readonly #profileHash: number;
  readonly #makeFilter: (() => RecordFilter) | undefined;
  readonly #update: CpuUpdate;
  /** Counts changes of CPU states, to find which came last. */
  #order = 0;
  readonly #oneCpu = new Int32Array(1);
  /** One array for each set of CPUs. */
  readonly #masks = new Map<string, Int32Array>();
  readonly #visit: Visit = { hash: 0, hint: 0, track: 0 };

  /** A tracker of a run that has not begun. */
  constructor(options: TrackerOptions) {
    super(options.topology.count("cpu"));
    this.#update = new CpuUpdate(this.cpus);
    this.pathCpus = new PathCpus(this.cpus.count);
    // GEOPM hashes the name with the quotes that its report has around it.
    this.#profileHash = regionHash(`"${options.profile ?? "default"}"`);
    this.#makeFilter = options.recordFilter === undefined
      ? undefined
      : parseRecordFilter(options.recordFilter);
  }

  // Events, in order of time.

  /** An event, in order of time. */
  receive(event: EventRecord): number {
    switch (event.kind) {
      case KIND.enter:
        this.#enter(event);
        break;
      case KIND.exit:
        this.#exit(event);
        break;
      case KIND.start:
        return this.#start(event);
      case KIND.startCommand:
        return this.processCount > 0 ? -1 : this.#connect(event, true);
      case KIND.region:
        return this.#region(event);
      case KIND.foldedLengths:
        this.regionPaths.stats.addBucket(event.path, event.number, event.visits);
        break;
      case KIND.threadEnd:
        this.#threadEnd(event);
        break;
      case KIND.threadCpus:
      case KIND.epoch:
      case KIND.tprofInit:
      case KIND.tprofPost:
      case KIND.overhead:
      case KIND.shortVisits:
      case KIND.folding:
      case KIND.folded:
      case KIND.spanBegin:
      case KIND.spanEnd:
      case KIND.shortSpans:
      case KIND.ranOutside:
      case KIND.shutdown:
      case KIND.died:
        this.#ofProcess(event);
    }
    return -1;
  }

  /** Handle of a track; 0 is the program's own. */
  track(name: string): number {
    return this.tracks.add(name);
  }

  /** Handle of a path of regions. */
  regionPath(parent: number, name: string, track: string, attribute: string): number {
    return this.paths.add(parent, name, track, attribute);
  }

  #start(event: EventRecord): number {
    const adopted = this.#adoptCommand(event.number, event.cpus, event.timeS);
    if (adopted >= 0) return adopted;
    this.#withdrawCommand(event.timeS);
    return this.#connect(event, false);
  }

  #region({ process, name, hint }: EventRecord): number {
    const p = this.#running(process);
    if (p === undefined) return -1;
    if (!(hint >= 0 && hint < HINT_COUNT)) {
      this.refusals.add("", "region with a hint out of range", "", p.pid);
      return -1;
    }
    const handle = this.table.add(name);
    p.register(handle, hint);
    return handle;
  }

  #enter(event: EventRecord): void {
    const { timeS, process, region, hint } = event;
    const p = this.#running(process);
    if (p === undefined) return;
    if (!(region >= 0 && region < this.table.length)) {
      return this.refusals.add("", "enter of an unknown region", "", p.pid);
    }
    let first = p.hintOf(region);
    if (first < 0) {
      first = hint >= 0 && hint < HINT_COUNT ? hint : HINT_UNKNOWN;
      p.register(region, first);
    }
    const track = p.stack(event.thread);
    const ns = this.#clamped(track, timeS);
    const outermost = track.depth === 0;
    const visit = this.#visit;
    visit.hash = this.table.hash(region);
    visit.hint = hintOnEntry(first);
    visit.track = event.track;
    track.enter(ns, region, visit);
    this.#moveLane(event, track);
    track.changed = ++this.#order;
    p.dirty = true;
    if (!outermost) return this.pathCpus.move(timeS, track, p.threads.length === 0);
    track.entered = this.#order;
    this.pathCpus.enter(timeS, track);
  }

  /**
   * Ends a region: the innermost one of the program's own track, as GEOPM has it; of any other
   * track, its innermost one of this name.
   */
  #exit(event: EventRecord): void {
    const { timeS, process, region } = event;
    const p = this.#running(process);
    if (p === undefined) return;
    const track = p.stack(event.thread);
    const level = event.track === 0 ? track.levelOf(0) : track.levelOf(event.track, region);
    if (level < 0) return this.refusals.add("", "exit without entry", "", p.pid);
    if (level === 0 && region !== track.region) {
      return this.refusals.add("", "exit of another region than entered", "", p.pid);
    }
    const ns = this.#clamped(track, timeS);
    const outermost = track.exit(ns, this.table.hash(region), level);
    this.#moveLane(event, track);
    track.changed = ++this.#order;
    if (outermost && track.depth > 0) {
      track.takeOver(ns, this.table.hash(track.heir));
      track.entered = this.#order;
    }
    p.dirty = true;
    if (outermost && p.counting && track === p.track) {
      p.counting = false;
      this.cpus.clearUnits(track.cpus);
    }
    if (track.depth > 0) return this.pathCpus.move(timeS, track, p.threads.length === 0);
    if (!this.pathCpus.leave(timeS, track)) this.#edgesOfExit(timeS, p, track);
  }

  /** Handles events that need a running process and are rare. */
  #ofProcess(event: EventRecord): void {
    const p = this.#running(event.process);
    if (p === undefined) return;
    switch (event.kind) {
      case KIND.threadCpus:
        if (event.thread <= 0) return;
        return this.#bind(p, event);
      case KIND.epoch:
        return this.#epoch(p, event);
      case KIND.tprofInit:
        if (!(event.number > 1)) return;
        p.counting = true;
        return this.cpus.setUnits(p.track.cpus, Math.trunc(event.number));
      case KIND.tprofPost:
        return this.#unitDone(p, event.cpu);
      case KIND.overhead: {
        p.overheadS += event.seconds;
        const ns = this.#clamped(p.track, event.timeS);
        p.track.records.push(ns, p.pid, EVENT.OVERHEAD, event.seconds);
        return;
      }
      case KIND.shortVisits:
        return this.#shortVisits(p, event);
      case KIND.folding:
        p.stack(event.thread).folds = true;
        return this.#moveLane(event, p.stack(event.thread));
      case KIND.folded:
        return this.#folded(p, event);
      case KIND.spanBegin:
      case KIND.spanEnd:
      case KIND.shortSpans:
        if (this.spanSums.add(this.times.ns(event.timeS), event)) return;
        return this.refusals.add("", "end of a span that is not open", "", p.pid);
      case KIND.ranOutside:
        return this.#ranOutside(p, event);
      case KIND.shutdown:
        return this.#shutdown(p, event);
      case KIND.died:
        this.#end(event, "died", this.#clamped(p.track, event.timeS));
    }
  }

  /** A thread may use other CPUs from here on. */
  #bind(p: TrackedProcess, { timeS, thread, process, cpus }: EventRecord): void {
    const track = p.stack(thread), isOpen = track.depth > 0;
    if (isOpen && !this.pathCpus.leave(timeS, track)) this.#edgesOfExit(timeS, p, track);
    p.bind(thread, this.#known(cpus));
    if (isOpen) this.pathCpus.enter(timeS, track);
    this.#live(timeS, track, process);
  }

  #epoch(p: TrackedProcess, { timeS, number }: EventRecord): void {
    const next = number === 0 ? p.epochs + 1 : number;
    if (!(next > p.epochs)) return this.refusals.add("", "epoch that steps back", "", p.pid);
    p.epochs = next;
    p.track.records.push(this.#clamped(p.track, timeS), p.pid, EVENT.EPOCH_COUNT, next);
  }

  #unitDone(p: TrackedProcess, cpu: number): void {
    const at = cpu < 0 ? p.track.cpus[0] ?? -1 : cpu;
    if (!this.cpus.unitDone(at)) this.refusals.add("", "work unit on an unknown CPU", "", p.pid);
  }

  #shortVisits(p: TrackedProcess, event: EventRecord): void {
    const { timeS, region, visits, seconds } = event;
    if (!(region >= 0 && region < this.table.length && visits > 0 && seconds >= 0)) {
      return this.refusals.add("", "folded visits without region, count or time", "", p.pid);
    }
    p.register(region, HINT_UNKNOWN);
    const track = p.stack(event.thread);
    // Their time is that of the first of them: others of the thread may be known already.
    const ns = track.lastNs = Math.max(track.lastNs, this.times.ns(timeS));
    const path = track.addShort(ns, event, this.table.hash(region), Math.round(seconds * 1e9));
    this.pathCpus.foldWhole(path, seconds, track);
    this.#moveLane(event, track);
    this.#foldLane(track, path, seconds, track.path);
    this.foldedVisits += visits;
  }

  /** A lane is where its track is; it lives since its first event. */
  #moveLane({ timeS, process, cpu }: EventRecord, track: Track): void {
    const { lanes } = this;
    if (lanes.length === 0) return;
    if (!track.isLane) this.#live(timeS, track, process);
    for (let i = 0; i < lanes.length; i++) lanes[i].move(timeS, track.owner, track.path, cpu);
  }

  #foldLane({ owner }: Track, path: number, seconds: number, around: number): void {
    for (const listener of this.lanes) listener.fold?.(owner, path, seconds, around);
  }

  #ranOutside(p: TrackedProcess, { timeS, thread, seconds }: EventRecord): void {
    const track = p.known(thread);
    if (track?.isLane !== true) return;
    for (const listener of this.lanes) listener.ranOutside?.(timeS, track.owner, seconds);
  }

  #live(timeS: number, track: Track, process: number): void {
    const { owner, cpus, id } = track;
    track.isLane = true;
    for (const listener of this.lanes) listener.live(timeS, owner, cpus, id, process);
  }

  #endLane(timeS: number, track: Track): void {
    if (track.isLane) { for (const listener of this.lanes) listener.end(timeS, track.owner); }
    track.isLane = false;
  }

  #folded(p: TrackedProcess, { thread, path, folded }: EventRecord): void {
    const track = p.known(thread);
    const isDivided = track !== undefined &&
      this.pathCpus.fold(path, folded.selfNs * 1e-9, track, p.threads.length === 0);
    if (track?.isLane) {
      this.#foldLane(track, path, folded.selfNs * 1e-9, track.folds ? -1 : track.path);
    }
    this.regionPaths.addFolded(path, folded, isDivided || track?.folds === true);
  }

  /**
   * Does a thread of a process live that is not its main thread?
   *
   * @ignore
   */
  hasThread(process: number, thread: number): boolean {
    const p = this.list.all[process], track = p?.known(thread);
    return p?.end === "running" && track !== undefined && track !== p.track;
  }

  /** A thread ended outside of all regions. */
  #threadEnd({ timeS, process, thread }: EventRecord): void {
    if (!this.hasThread(process, thread)) return;
    const p = this.list.all[process], track = p.known(thread)!;
    if (track.depth === 0) this.#endLane(timeS, track);
    p.retire(thread);
  }

  /** Ends a process in good order. */
  #shutdown(p: TrackedProcess, event: EventRecord): void {
    const ns = this.#clamped(p.track, event.timeS);
    p.track.records.push(ns, p.pid, EVENT.OVERHEAD, 0);
    p.track.records.push(ns, p.pid, EVENT.STOP_PROFILE, this.#profileHash);
    this.#end(event, "shutdown", ns);
  }

  // Steps.

  /** Closes the window: every event up to `timeS` has been received. */
  step(timeS: number): void {
    const ns = this.times.ns(timeS);
    this.times.step(ns, this.connected);
    this.list.noteStart();
    const { live } = this.list;
    for (let i = 0; i < live.length; i++) {
      if (!live[i].dirty) continue;
      this.#update.apply(live[i]);
      live[i].dirty = false;
    }
    this.records.length = 0;
    collectRecords(live, this.records, this.cpus);
    for (let i = 0; i < live.length; i++) live[i].foldRetired();
    this.cpus.step(ns);
    this.list.dropEnded();
  }

  #connect({ timeS, number: pid, cpus }: EventRecord, command: boolean): number {
    const isFirst = !this.connected;
    if (isFirst) this.generation++;
    // Nothing ran since the last process ended; steps after its end do not count.
    if (!isFirst && this.finished) {
      const used = Int32Array.from(this.cpus.used.keys()).filter((cpu) =>
        this.cpus.used[cpu] === 1
      );
      this.#leave(this.times.absoluteS(this.#lastEndNs), used);
    }
    const ns = this.times.ns(timeS);
    const known = this.#known(cpus);
    const process = new TrackedProcess(pid, known, ns, {
      command,
      filter: this.#makeFilter?.(),
      paths: this.regionPaths,
    });
    const handle = this.list.add(process);
    this.times.started(ns, isFirst);
    this.cpus.connect(known);
    this.#recordStart(process);
    this.pathCpus.begin(timeS, known);
    this.#live(timeS, process.track, handle);
    return handle;
  }

  /**
   * The command itself marks: it goes on, counted from its launch, on the CPUs that it has now.
   * @returns Its handle, −1 when this is another process.
   */
  #adoptCommand(pid: number, cpus: readonly number[], timeS: number): number {
    const p = this.list.command;
    if (p === undefined || p.end !== "running" || p.pid !== pid) return -1;
    p.command = false;
    const known = this.#known(cpus);
    const given = p.track.cpus.filter((cpu) => !known.includes(cpu));
    this.cpus.move(p.track.cpus, known);
    if (given.length > 0) this.pathCpus.giveUp(timeS, given, true);
    p.moveTo(known);
    this.#live(this.times.absoluteS(p.track.lastNs), p.track, 0);
    p.dirty = true;
    p.track.records.length = 0;
    this.#recordStart(p);
    return 0;
  }

  #recordStart(p: TrackedProcess): void {
    const { records, cpus } = p.track;
    records.push(p.startNs, p.pid, EVENT.START_PROFILE, this.#profileHash);
    for (const cpu of cpus) records.push(p.startNs, p.pid, EVENT.AFFINITY, cpu);
  }

  /** Another process that marks takes the place of the command that was launched. */
  #withdrawCommand(timeS: number): void {
    const p = this.list.command;
    if (p === undefined) return;
    this.#endLane(timeS, p.track);
    this.list.withdraw(p);
    this.cpus.clear();
    this.times.forgetStartup();
    this.regionPaths.restart();
  }

  #end({ timeS, process: handle }: EventRecord, end: ProcessEnd, ns: number): void {
    const p = this.list.all[handle];
    p.lastOpen = p.track.region;
    p.end = end;
    p.endNs = ns;
    this.#lastEndNs = ns;
    const tracks = [p.track, ...p.threads];
    // Otherwise its CPUs are others' by now, if these began a region since.
    const isInside = tracks.some(({ region }) => region >= 0);
    if (isInside) this.#order++;
    for (const track of tracks) {
      track.abandon(ns);
      if (isInside) track.changed = this.#order;
    }
    p.dirty = true;
    if (p.counting) this.cpus.clearUnits(p.track.cpus);
    this.cpus.disconnect(p.track.cpus);
    for (const track of tracks) {
      if (!this.pathCpus.leave(timeS, track)) this.pathCpus.hide(timeS, track);
      this.#endLane(timeS, track);
    }
    if (!this.list.finished) this.#leave(timeS, p.track.cpus);
  }

  /** CPUs on which no process lives are the application's no more. */
  #leave(timeS: number, cpus: Int32Array): void {
    if (this.pathCpus.listener === undefined) return;
    const free = cpus.filter((cpu) => this.cpus.processes[cpu] === 0);
    if (free.length > 0) this.pathCpus.giveUp(timeS, free);
  }

  /** CPUs of a track that left its last region, if no other one that may use them is open. */
  #edgesOfExit(timeS: number, p: TrackedProcess, track: Track): void {
    if (this.pathCpus.listener === undefined) return;
    const isAlone = p.threads.length === 0;
    if (isAlone || !p.isBound) {
      return this.pathCpus.show(timeS, track.cpus, isAlone ? track : undefined);
    }
    for (const cpu of track.cpus) {
      this.#oneCpu[0] = cpu;
      this.pathCpus.show(timeS, this.#oneCpu, CpuUpdate.trackAt(p, cpu));
    }
  }

  #running(handle: number): TrackedProcess | undefined {
    const p = this.list.all[handle];
    if (p?.end === "running") return p;
    if (p?.end === "withdrawn") return undefined;
    this.refusals.add("", "call of a process that is not connected", "", p?.pid ?? -1);
    return undefined;
  }

  #known(cpus: readonly number[]): Int32Array {
    const inside = cpus.filter((cpu) => cpu >= 0 && cpu < this.cpus.count);
    if (inside.length < cpus.length) {
      this.refusals.add("", "CPU that the node does not have", "", -1);
    }
    return this.#masks.getOrInsertComputed(inside.join(), () => Int32Array.from(inside));
  }

  /** Time of an event of a track: if a clock steps back, the time before it. */
  #clamped(track: Track, timeS: number): number {
    const ns = this.times.ns(timeS);
    if (ns >= track.lastNs) return track.lastNs = ns;
    this.refusals.add("", "time that steps back", "", track.id);
    return track.lastNs;
  }
}
