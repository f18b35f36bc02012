/**
 * The monitor: has the application started, samples beside it, and leaves the report.
 *
 * One tick: drain the rings, hand on the events up to the tick before, settle that tick, read the
 * counters of this one. Always in that order, never concurrently, and without an event loop: one
 * ppoll waits for the time, a signal, or the application's end.
 * In one file because the order of its steps is the rule that all of them share.
 * @module
 */
import { messageFor } from "../../core/errors.ts";
import { monotonicNanoseconds } from "../../os/clock.ts";
import { rawNanoseconds, realtimeNanoseconds } from "../../os/clock.ts";
import { statPath } from "../../os/files.ts";
import { absolutePath } from "../../os/home.ts";
import { affinityOf, hostName } from "../../os/host.ts";
import { releaseInherited } from "../../os/inherited.ts";
import { goFirstWithoutMemory } from "../../os/process.ts";
import { countCommand } from "../../os/devices/perf_event.ts";
import { Deadline } from "../../os/devices/deadline.ts";
import type { NewNames } from "../../os/new_names.ts";
import { neverWaitForReaders } from "../../os/user_file.ts";
import { wakeOnTime, yieldToOthers } from "../../os/wait.ts";
import { RegionTracker } from "../../marks/tracker/tracker.ts";
import { Session } from "../../job/place/session.ts";
import { Application } from "../../job/guardian/application.ts";
import { Collector } from "../../marks/rings/collector.ts";
import { AFTER_LOOP_S, Engine, profileName } from "./engine.ts";
import { type LoopFigures, NO_STEPS } from "../outputs/loop_figures.ts";
import type { MonitorOptions, MonitorPlan } from "./monitor_options.ts";
import { OwnCost } from "./own_cost.ts";
import { confineRun } from "./places.ts";
import { catalogueFor, openMachine, simulatedBy } from "./node.ts";
import type { RunRequest } from "../request/request.ts";
import { Safekeeping } from "./safekeeping.ts";
import { SlowEnergies } from "./slow_energies.ts";
import { Standstill } from "./standstill.ts";
import { NodeCpus } from "../../marks/rings/node_cpus.ts";
import { Budget } from "../../core/budget.ts";
import { ReadPace, Schedule } from "../../sources/signals/pace.ts";
import { placeInJob } from "../../job/place/run_names.ts";
import { RunReport } from "../outputs/run_report.ts";
import { BlindMarks } from "./blind_marks.ts";
import type { Simulation } from "./simulation.ts";
import { startTimeText } from "../../os/start_time.ts";
import { LiveSite } from "../outputs/live_site.ts";
import { WaitingThreads } from "./waiting_threads.ts";

/** Share of one core that the monitor may take, %. */
const DEFAULT_BUDGET = 5;
/** Budget with traces and events, % of a core: beyond twice that the guardian intervenes. */
const TRACES_BUDGET = 50;
/** Number of paths above which the report takes long: a signal may come before it is done. */
const MAX_QUICK_PATHS = 2000;
/** Scheduling after the guardian has lowered the monitor: budget.h. */
const LOWERED = "nice 19, by the guardian";
/** A source that does not answer for so long has failed. */
const BLOCKED_S = 0.25;
/** Time in which a command ends after its last process, if it is that process, ns. */
const END_NS = 2e7;
/** Standard streams. */
const STDOUT = 1, STDERR = 2;
/** Maximum time that a place for outputs may take, s: after it the place has failed. */
const WRITING_S = 5;
/** Maximum time between two looks of the loop while only a begin call can bring work, ns. */
const MAX_REST_NS = 1e9;

/**
 * Measures the command, which is started in here and waited for by its guardian.
 *
 * @returns 0 if the report was left; the command's status is the guardian's to return.
 * @throws {UsageError | UnknownNameError} On a signal or reader that cannot be; the command has
 * not been started then.
 */
export function monitor(request: RunRequest, plan: MonitorPlan, options: MonitorOptions): number {
  goFirstWithoutMemory();
  const session = new Session(plan.guardian.directory, plan.guardian.lock);
  let failed = 1;
  try {
    neverWaitForReaders();
    countCommand(plan.guardian.pid);
    session.removeOthers(options.log);
    failed = begin(request, plan, options, session).toTheEnd();
    return failed;
  } finally {
    session.release(failed === 0);
  }
}

function begin(...[request, plan, options, session]: ConstructorParameters<typeof Run>): Run {
  try {
    return new Run(request, plan, options, session);
  } catch (error) {
    const other = options.otherwise(error);
    return new Run(other.request, plan, other.options, session);
  }
}

/** Values read when the last of all processes had ended. */
interface Ended {
  readonly values: Float64Array;
  readonly timeS: number;
}

class Run {
  readonly #request: RunRequest;
  readonly #plan: MonitorPlan;
  readonly #options: MonitorOptions;
  readonly #session: Session;
  readonly #application: Application;
  readonly #originNs = rawNanoseconds();
  readonly #originExactNs = BigInt(Math.round(this.#originNs));
  readonly #cost = new OwnCost();
  readonly #host;
  readonly #catalogue;
  readonly #engine: Engine;
  readonly #site: LiveSite;
  readonly #simulation: Simulation | undefined;
  readonly #report: RunReport;
  readonly #pace: ReadPace;
  readonly #budget: Budget;
  readonly #loop: LoopFigures = { ...NO_STEPS };
  readonly #events: NodeCpus;
  #collector!: Collector;
  #slow: SlowEnergies | undefined;
  #ended: Ended | undefined;
  #commandHandle = -1;
  /** The command's start, until it is emitted. */
  #launched: { ns: number; cpus: readonly number[] } | undefined;
  /** The step that was read and waits to be settled, ns since the origin; NaN for none. */
  #openNs = NaN;
  #paused = false;
  /** The last sample. */
  #readNs = NaN;
  /** Times of the loop's last look, ns since the origin, and of its wake-up, CLOCK_MONOTONIC. */
  #lookedNs = NaN;
  #awakeNs = NaN;
  readonly #standstill = new Standstill();
  readonly #waiting: WaitingThreads;
  #launchNs = NaN;

  constructor(
    asked: RunRequest,
    plan: MonitorPlan,
    options: MonitorOptions,
    session: Session,
  ) {
    [this.#plan, this.#options, this.#session] = [plan, options, session];
    this.#application = new Application(plan.guardian, options.log);
    for (const warning of asked.warnings) options.log(warning);
    const { parts } = options;
    const machine = openMachine(asked.root, asked.collector);
    const place = placeInJob(asked, parts.job, hostName(machine), options.log);
    const { host, reportPath, quiet } = place;
    const request = this.#request = { ...asked, reportPath, quiet, quietJob: asked.quiet };
    const profile = profileName(request.profile);
    const tracker = new RegionTracker({
      topology: machine.topology,
      profile,
      recordFilter: request.recordFilter,
    });
    const table = { readers: parts.readers, without: request.without, tracker };
    this.#simulation = this.#cost.simulate(() =>
      parts.simulationFor?.(request, session.directory, machine, {
        blindCatalogue: () => options.simulateIfBlind ? catalogueFor(machine, table) : undefined,
        log: options.log,
      })
    );
    this.#waiting = new WaitingThreads(
      tracker,
      (timeS, process, thread, seconds) => {
        this.#engine.events.ranOutside(timeS, process, thread, seconds);
      },
    );
    if (this.#simulation?.isBlind === false) this.#follow(tracker, this.#simulation);
    // A request that is refused further down leaves no tree behind.
    using refused = new DisposableStack();
    refused.use(this.#simulation);
    this.#host = this.#simulation?.host ?? machine;
    this.#catalogue = catalogueFor(this.#host, table);
    const site = this.#site = new LiveSite({
      place,
      request,
      printer: options,
      keepSteps: parts.keepSteps,
      isRequeued: parts.owner.restarts !== undefined,
      zeroRawNs: Number(this.#originExactNs),
    });
    refused.defer(() => site.refuse());
    const { truthPath } = this.#simulation ?? {};
    if (truthPath !== undefined) site.willWrite(truthPath);
    const startTime = startTimeText(realtimeNanoseconds());
    this.#engine = new Engine({
      topology: this.#host.topology,
      tracker,
      table: this.#catalogue,
      host,
      profile,
      startTime,
      version: options.version,
      reportSignals: request.reportSignals,
      policy: request.policy,
      outputs: options.outputs.map((make) => make(options.values, site)),
    });
    const events = this.#simulation?.isBlind === true
      ? this.#blindMarks(this.#simulation, profile)
      : this.#engine.events;
    this.#events = new NodeCpus(this.#host.topology.count("cpu"), events);
    this.#pace = new ReadPace(request.periodS);
    // What stands in for counters costs more than they do; traces have a budget of their own.
    const isPlain = this.#simulation === undefined && request.root === "" && !request.wantsEvents;
    this.#budget = new Budget(request.budget ?? (isPlain ? DEFAULT_BUDGET : Infinity));
    plan.guardian.budget(request.budget ?? (isPlain ? DEFAULT_BUDGET : TRACES_BUDGET));
    this.#report = new RunReport({
      request,
      engine: this.#engine,
      catalogue: this.#catalogue,
      version: options.version,
      permissions: options.permissions,
      countersChecked: isPlain ? options.countersChecked : undefined,
      simulated: simulatedBy(request, this.#simulation !== undefined),
      part: place.part,
      isJobReport: (path) => parts.isJobReport?.(path, host) === true,
      owner: parts.owner,
      idle: options.idle,
      node: this.#host,
      log: options.log,
      show: options.show,
      lostLines: () => site.lost(),
      alive: () => plan.guardian.alive(monotonicNanoseconds()),
      kept: (path) => plan.guardian.lastWords(`; ${path} has the values up to the last checkpoint`),
    });
    refused.move();
  }

  #follow(tracker: RegionTracker, simulation: Simulation): void {
    simulation.follow(tracker, (work) => this.#cost.simulate(work));
  }

  /** Marks that only the simulated node gets. */
  #blindMarks(simulation: Simulation, profile: string): BlindMarks {
    const hidden = new RegionTracker({ topology: this.#host.topology, profile });
    this.#follow(hidden, simulation);
    return new BlindMarks(this.#engine.events, hidden);
  }

  toTheEnd(): number {
    try {
      const signal = this.#report.beforeRun(
        () => this.#nowNs(),
        (untilNs) => this.#application.sleepBefore(untilNs),
        this.#simulation,
      );
      if (signal !== 0) return this.#endBefore(128 + signal);
      this.#launch();
    } catch (error) {
      // The guardian starts the command without us.
      this.#options.log((error as Error).message);
      return 1;
    }
    try {
      this.#watch();
      if (this.#application.refused !== 0) return this.#endBefore(126);
      this.#finish();
    } catch (error) {
      // If the monitor fails, the application goes on and keeps its status.
      this.#options.log(`the monitor stopped: ${messageFor(error, this.#options.debug)}`);
      this.#application.waitForEnd();
      return 1;
    }
    return 0;
  }

  #launch(): void {
    this.#releaseInherited();
    this.#openCounters();
    const cpus = affinityOf(this.#application.pid);
    const run = { directory: this.#session.directory, originNs: this.#originExactNs };
    this.#collector = new Collector({
      ...run,
      ...this.#request.wantsEvents ? {} : { foldAbove: this.#budget.marksPerS },
      sink: this.#events,
      probes: this.#options.parts.probes?.({ ...run, command: this.#application.pid }),
      nowNs: () => this.#nowNs(),
      energiesSince: (process, fromS) => this.#engine.energiesSince(process, fromS),
      functionsSince: (asker) => this.#engine.functionsSince(asker),
    });
    this.#report.launched(this.#collector, cpus, this.#session.directory);
    // Counters are read before it runs: it may mark at once, and the first tick be seconds late.
    this.#session.keepOrder(this.#engine.wantsOrder);
    this.#session.sweep();
    this.#session.removeCodeCache();
    const launchNs = this.#launchNs = this.#firstStep();
    this.#launched = { ns: launchNs, cpus: cpus.length > 0 ? cpus : affinityOf(0) };
    // On a node that others fill the first look would come when a ring is full.
    this.#loop.scheduling = wakeOnTime();
    const { shownPath } = this.#report;
    const report = shownPath === undefined ? undefined : absolutePath(shownPath);
    this.#application.start(this.#plan.changes, report);
  }

  /** Closes inherited descriptors here, except those that outputs are written into. */
  #releaseInherited(): void {
    const texts = [...this.#options.values.values()].map(({ text }) => text);
    const printsText = [...texts, ...this.#options.channelTexts].some((t) => t.includes("stdout"));
    const paths = [...this.#site.written, ...this.#report.written];
    const files = paths.map((path) => statPath(path)).filter((facts) => facts !== undefined);
    const { inherited, messages, lock, socket } = this.#plan.guardian;
    releaseInherited(inherited, [STDERR, messages, lock, socket], (fd, { device, inode }) => {
      if (fd === STDOUT && (printsText || this.#site.prints || paths.includes("-"))) return true;
      return files.some((file) => file.device === device && file.inode === inode);
    });
  }

  /** Counters of the command itself must be there when it starts. */
  #openCounters(): void {
    if (this.#simulation !== undefined) return;
    try {
      this.#engine.batch.open();
    } catch (error) {
      // The command still runs; the first sample will fail likewise and log the rest.
      this.#options.log((error as Error).message);
    }
  }

  /** The step that the application begins with. @returns Its time. */
  #firstStep(): number {
    const nowNs = this.#nowNs();
    this.#openNs = this.#standstill.lookedNs = this.#readNs = nowNs;
    if (this.#simulation !== undefined) return nowNs;
    this.#readFirst(nowNs);
    return nowNs;
  }

  #watch(): void {
    const application = this.#application;
    this.#cost.beginLoop(this.#nowNs() * 1e-9);
    using deadline = new Deadline();
    this.#awakeNs = monotonicNanoseconds();
    const dithers = this.#request.dither && this.#engine.wantsDither;
    const schedule = new Schedule(this.#awakeNs, dithers ? Math.random : () => 0.5);
    const safekeeping = new Safekeeping({
      flushS: this.#request.checkpointS,
      flush: () => {
        deadline.set(WRITING_S);
        this.#site.flush();
        this.#engine.flush();
      },
      journalS: this.#report.journalS(this.#request.checkpointS),
      journal: (isUrgent) => {
        deadline.set(WRITING_S);
        this.#report.journal(this.#figures(), isUrgent ? "urgent" : "due");
      },
    });
    for (let isConfined = false, rested = false;;) {
      // Sleeping is not blocking: the bound is set again before it can end.
      const boundS = BLOCKED_S + 2 * this.#request.periodS * this.#budget.periodFactor;
      deadline.set(boundS, this.#awakeNs);
      this.#tick();
      if (rested && Number.isNaN(application.endNs)) this.#settleAfterRest();
      const { ended, hurry, refused } = application;
      const goesOn = ended === undefined || this.#collector.busy;
      if (!isConfined && this.#loop.steps > 0) {
        deadline.set(WRITING_S);
        const { readers } = this.#options.parts, { batch, reads } = this.#engine;
        const [request, site, session] = [this.#request, this.#site, this.#session];
        const run = { goesOn, request, site, session, readers, reads, batch };
        isConfined = confineRun(this.#plan.guardian, this.#report, run);
      }
      if (refused !== 0 || hurry || !goesOn) break;
      this.#site.begin();
      application.leaveLaunch();
      if (application.lowered) this.#loop.scheduling = LOWERED;
      const nowS = this.#lookedNs * 1e-9;
      this.#budget.note(nowS, this.#cost.cpuS);
      safekeeping.look(nowS, application.takeSignal(), this.#loop.scheduling);
      // Who asked for the events gets them all.
      if (!this.#request.wantsEvents) this.#collector.foldBelowNs = this.#budget.foldBelowNs;
      const periodNs = this.#request.periodS * 1e9 * this.#budget.periodFactor;
      const nowNs = monotonicNanoseconds();
      const rests = isConfined && this.#engine.hasNothingToSample &&
        Number.isNaN(application.endNs);
      const names = rests ? this.#collector.awaitMarks() : undefined;
      rested = names !== undefined;
      const dueNs = rested ? Math.min(MAX_REST_NS, safekeeping.dueS * 1e9 - this.#lookedNs) : 0;
      const restNs = Math.max(0, Math.ceil(dueNs / periodNs)) * periodNs;
      const wakeNs = schedule.next(nowNs, periodNs, this.#loop) + restNs;
      if (rested) deadline.set(boundS + restNs * 1e-9, nowNs);
      this.#sleep(wakeNs, periodNs, nowNs, names);
      if (this.#awakeNs - wakeNs > periodNs) this.#loop.late++;
      const counts = this.#paused ? undefined : this.#loop;
      schedule.pass(Math.min(this.#awakeNs, wakeNs), periodNs, counts);
    }
  }

  /** Sleeps until a moment of CLOCK_MONOTONIC, or what ends that: the application's end is noted. */
  #sleep(wakeNs: number, periodNs: number, monotonicNs: number, names?: NewNames): void {
    const application = this.#application;
    const wasRunning = Number.isNaN(application.endNs);
    this.#drainUntil(wakeNs, monotonicNs, names);
    this.#awakeNs = monotonicNanoseconds();
    // After a standstill the time is over before anything else is looked at.
    if (this.#awakeNs - wakeNs > periodNs) application.sleep(wakeNs, this.#awakeNs);
    const nowNs = this.#standstill.wokeNs = this.#nowNs();
    // A look before that would have found nothing.
    if (names !== undefined) {
      this.#standstill.lookedNs = nowNs - Math.max(0, this.#awakeNs - wakeNs);
    }
    if (!wasRunning || Number.isNaN(application.endNs)) return;
    const reportedNs = application.endNs - this.#originNs, launchNs = this.#launchNs;
    this.#standstill.noteEnd({ nowNs, periodNs, reportedNs, launchNs }, this.#loop);
  }

  /** Sleeps; if a ring has no room until then it is emptied meanwhile. */
  #drainUntil(wakeNs: number, monotonicNs: number, names?: NewNames): void {
    for (let nowNs = monotonicNs, emptiedNs = this.#awakeNs;; emptiedNs = nowNs) {
      const ringNs = emptiedNs + this.#collector.roomForNs;
      const takeNs = this.#engine.take(nowNs, this.#collector.knownNs * 1e-9, wakeNs);
      const untilNs = Math.min(wakeNs, ringNs, takeNs);
      this.#application.sleep(untilNs, nowNs, names);
      if (untilNs === wakeNs || (nowNs = monotonicNanoseconds()) < untilNs) return;
      this.#collector.drain();
    }
  }

  #tick(): void {
    this.#collector.drain();
    if (!Number.isNaN(this.#openNs)) this.#settle(false);
    // If this process was stalled after its sleep, the application may have ended meanwhile.
    const standstill = this.#standstill;
    let before = this.#lookedNs = this.#nowNs();
    if (standstill.isLong(before - standstill.wokeNs)) {
      this.#sleep(0, this.#request.periodS * 1e9, monotonicNanoseconds());
      before = this.#nowNs();
    }
    // It ended and was sampled once more. A guardian that was stopped may report it much later.
    const endNs = this.#application.endNs - this.#originNs;
    if (standstill.isBlind || (endNs <= this.#readNs && !this.#collector.busy)) return;
    this.#engine.batch.readsAll = !Number.isNaN(this.#application.endNs);
    if (this.#simulation === undefined) this.#read(before);
    const tookNs = (this.#lookedNs = this.#nowNs()) - before;
    // Stopped in the middle of it: when the counters had these values is not known.
    if (standstill.isLong(tookNs)) return;
    if (Number.isNaN(this.#application.endNs)) standstill.lookedNs = before;
    this.#openNs = this.#readNs = before;
    this.#pace.note(tookNs);
    this.#engine.batch.cpuStride = this.#loop.cpuStride = this.#pace.stride;
  }

  /** Closes the step at the end of a rest at once: what is kept of the run then knows of the rest. */
  #settleAfterRest(): void {
    if (Number.isNaN(this.#openNs) || this.#collector.awaitMarks() === undefined) return;
    this.#collector.drain();
    this.#settle(false);
  }

  /** Closes the step that was read last: its events are all known now. */
  #settle(last: boolean): void {
    const timeNs = this.#openNs;
    this.#openNs = NaN;
    const { tracker } = this.#engine, { generation } = tracker;
    this.#feed(timeNs);
    this.#waiting.look(timeNs * 1e-9);
    if (this.#simulation !== undefined && !(last && this.#standstill.isBlind)) {
      // Only now are the edges known that the simulated counters follow.
      const simulation = this.#simulation;
      this.#cost.simulate(() => {
        simulation.publish(timeNs);
        if (this.#slow === undefined) this.#readFirst(timeNs);
        else this.#read(timeNs);
      });
      if (last && !this.#application.hurry) this.#correctLast(timeNs);
    }
    if (this.#paused && tracker.finished) return this.#engine.idle(timeNs * 1e-9);
    // Without processes the application has ended, until another process starts.
    this.#paused = tracker.finished;
    // A real node's counters are read on at the end, which takes time.
    const isCorrected = this.#simulation !== undefined && this.#paused && !last && this.#endsSoon();
    if (isCorrected) this.#correctLast(timeNs);
    if (this.#paused && !this.#standstill.isBlind) this.#engine.settleEnd();
    else this.#engine.settle(last || this.#paused);
    if (tracker.generation !== generation) this.#slow?.begin(timeNs * 1e-9);
    if (!this.#paused) {
      this.#slow?.goOn();
      this.#ended = undefined;
    } else if (!isCorrected) {
      this.#slow?.end();
      this.#ended = { values: this.#engine.batch.values.slice(), timeS: timeNs * 1e-9 };
    }
    this.#loop.steps++;
  }

  /** Does the command end with its last process? The guardian reports that a moment later. */
  #endsSoon(): boolean {
    const application = this.#application, slow = this.#slow;
    if (slow === undefined || slow.isEmpty || this.#standstill.isBlind) return false;
    if (Number.isNaN(application.endNs)) application.sleep(monotonicNanoseconds() + END_NS);
    return !Number.isNaN(application.endNs) && !application.hurry;
  }

  /** Hands on what happened up to a moment. */
  #feed(limitNs: number): void {
    const launched = this.#launched;
    if (launched !== undefined) {
      this.#launched = undefined;
      // Processes that were handed over may have marked before this one's command was launched.
      this.#collector.feed(launched.ns);
      const { ns, cpus } = launched, { pid } = this.#application;
      // A command that the guardian started before this monitor was ready may have marked, too.
      const isKnown = this.#engine.tracker.processes().some((process) => process.pid === pid);
      if (!isKnown) this.#commandHandle = this.#events.startCommand(ns * 1e-9, pid, cpus);
    }
    this.#collector.feed(limitNs);
  }

  /** The command never ran: it was refused, or a signal came before. */
  #endBefore(status: number): number {
    this.#site.refuse();
    this.#close(this.#report, this.#engine, this.#simulation);
    this.#plan.guardian.refuse(status);
    return status;
  }

  #finish(): void {
    this.#cost.endLoop(this.#nowNs() * 1e-9);
    yieldToOthers();
    this.#session.close();
    // A guardian that was stopped reports late an end that was sampled in time.
    const { isBlind, endNs: blindNs } = this.#standstill;
    const isLate = this.#standstill.isLong(this.#nowNs() - this.#readNs) && !isBlind;
    const lookNs = isBlind ? blindNs : isLate ? this.#readNs + 1e3 : this.#nowNs();
    this.#collector.drain(lookNs);
    // Even after missed samples: a process that reports its end existed until then.
    const stopNs = Math.min(this.#collector.lastStopNs, this.#nowNs());
    const endNs = Math.max(lookNs, this.#collector.lastEndNs, stopNs);
    const isCut = isBlind || isLate || this.#application.hurry;
    const last = isCut || this.#paused ? undefined : this.#readEnd(endNs);
    if (!Number.isNaN(this.#openNs)) this.#settle(false);
    const isLost = isBlind && !this.#paused;
    if (isLost) this.#engine.lose(endNs * 1e-9);
    // A command that marked only at its end is known by now; its events come before its own end.
    this.#feed(endNs);
    const command = this.#engine.tracker.process(this.#commandHandle);
    if (command?.command && command.end === "running") {
      const { events } = this.#engine;
      if (this.#application.ended?.signal === 0) events.shutdown(endNs * 1e-9, this.#commandHandle);
      else events.died(endNs * 1e-9, this.#commandHandle);
    }
    let unread: readonly string[] | undefined;
    if (!this.#paused) {
      this.#openNs = endNs;
      this.#engine.batch.readsAll = true;
      if (last !== undefined) this.#engine.batch.values.set(last);
      if (isLate || last !== undefined) this.#engine.hold(endNs * 1e-9);
      else if (!isLost && this.#simulation === undefined) this.#engine.read(endNs * 1e-9);
      this.#settle(true);
    } else if (
      !isCut && last === undefined && this.#slow !== undefined && this.#ended !== undefined
    ) {
      // Energies by edges end with the processes: their totals stay without it.
      unread = this.#slow.unread;
      this.#correctPaused(this.#slow, this.#ended);
    }
    this.#loop.unread = unread ?? this.#slow?.unread ?? [];
    this.#cost.end(this.#figures());
    this.#site[Symbol.dispose]();
    const isLong = this.#engine.tracker.paths.length > MAX_QUICK_PATHS;
    // What the end of the job leaves, if that comes before the rest is done.
    if (isLong) this.#report.journal(this.#figures(), "quick");
    this.#engine.finish(isLong && this.#application.isUrged());
    this.#report.finish(this.#figures(), { ...this.#application.outcome });
    this.#close(this.#report, this.#engine, this.#collector, this.#simulation);
  }

  #read(timeNs: number): void {
    this.#engine.read(timeNs * 1e-9);
    this.#slow?.read(timeNs * 1e-9);
  }

  #readFirst(timeNs: number): void {
    this.#engine.read(timeNs * 1e-9);
    if (!this.#host.live) return;
    const slow = new SlowEnergies(this.#engine.batch);
    slow.begin(timeNs * 1e-9);
    this.#slow = slow;
  }

  /**
   * Reads the counters at the end, and on if there are slow ones: the step that waits gets their energies then.
   *
   * @returns All values at the end; `undefined`: they are still to be read.
   */
  #readEnd(endNs: number): Float64Array | undefined {
    const slow = this.#slow, { batch } = this.#engine;
    if (slow === undefined || slow.isEmpty || this.#simulation !== undefined) return undefined;
    const open = batch.values.slice(), { timeS } = batch, endS = endNs * 1e-9;
    batch.readsAll = true;
    batch.read(endS);
    slow.read(endS);
    slow.end();
    const last = batch.values.slice();
    const correct = this.#readOn(slow);
    correct(open, timeS);
    correct(last, endS);
    batch.hold(timeS);
    batch.values.set(open);
    return last;
  }

  /** The last step of a simulated node has what its slow counters show later. */
  #correctLast(timeNs: number): void {
    const slow = this.#slow, { batch } = this.#engine;
    if (slow === undefined || slow.isEmpty) return;
    const last = batch.values.slice();
    slow.end();
    this.#readOn(slow)(last, timeNs * 1e-9);
    batch.hold(timeNs * 1e-9);
    batch.values.set(last);
  }

  /** All processes ended before the command: one step more has what slow counters showed since then. */
  #correctPaused(slow: SlowEnergies, { values, timeS }: Ended): void {
    const { batch } = this.#engine;
    if (slow.isEmpty) return;
    this.#readOn(slow)(values, timeS);
    batch.values.set(values);
    this.#engine.hold(timeS + 2 * AFTER_LOOP_S);
    this.#engine.settle(true);
  }

  #readOn(slow: SlowEnergies): ReturnType<SlowEnergies["readOn"]> {
    const simulation = this.#simulation;
    return slow.readOn((untilS) => {
      if (simulation === undefined) {
        this.#application.sleep(monotonicNanoseconds() + untilS * 1e9 - this.#nowNs());
        return this.#application.hurry ? NaN : this.#nowNs() * 1e-9;
      }
      this.#cost.simulate(() => simulation.publish(untilS * 1e9));
      return untilS;
    });
  }

  #close(...parts: (Disposable | undefined)[]): void {
    for (const part of parts) part?.[Symbol.dispose]();
    this.#site.release();
  }

  /** Figures and costs of the loop. */
  #figures(): LoopFigures {
    this.#cost.note(this.#loop, this.#nowNs() * 1e-9, this.#simulation !== undefined);
    this.#loop.cpusMoved = this.#events.moved;
    this.#loop.budget = this.#budget;
    return this.#loop;
  }

  #nowNs(): number {
    return rawNanoseconds() - this.#originNs;
  }
}
