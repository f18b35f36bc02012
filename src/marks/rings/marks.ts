/**
 * Owners of records and their open regions: processes, their threads, and regions by track.
 * @module
 */
import type { FoldedVisits } from "./ring_slots.ts";
import { UNMATCHED } from "./processes/host_pids.ts";
import type { RingThread } from "./ring_thread.ts";
import type { OpenValues } from "./ring_values.ts";

/** The deepest nesting; a broken ring's data beyond it are left out. */
export const DEPTH_MAX = 4096;

/** One process's marks, wherever they are written: a ring file, or a script's lines. */
export interface Marks extends Disposable {
  readonly pid: number;
  /** See HEADER. @default not known */
  readonly namespace?: number;
  /** Distinguishes images of a process that followed each other by exec. */
  readonly execId: string; // "": of any image
  readonly startNs: number;
  readonly cpus: readonly number[];
  readonly threads: readonly RingThread[];
  readonly names: readonly { name: string; hint: number }[];
  readonly garbage: number;
  readonly otherVisits: number;
  readonly skipped: {
    nested: number;
    refused: number;
    interrupting?: number;
    notAttached?: number;
  };
  /** True if the process never reports its end: all that can be known is that it is gone. */
  readonly endsSilently?: boolean;
  /** Visits of threads that found no room for a ring. */
  readonly lostVisits?: number;
  /** Begins and ends of spans that found no room. */
  readonly lostSpans?: number;
  /** Values of attributes that found no room. */
  readonly lostValues?: number;
  /** Name of a track; "" of the program's own. */
  trackName?(track: number): string;
  /** CPUs that a thread is bound to now. */
  boundNow?(thread: RingThread): readonly number[];
  stopNs(): number;
  poll(): number;
  /** Does a name of this number exist? Reads new names if needed. */
  hasName(index: number): boolean;
  /** Messages of the client: see SAID_PREFIX. */
  takeMessages?(): readonly { word: string; text: string }[];
  /** Visits, and epochs, that found no room. */
  takeFolds?(): readonly FoldedVisits[];
  takeFoldedEpochs?(): readonly { thread: RingThread; count: number }[];
}

/** Regions of the sink that are open on a thread, outermost first. */
export interface OpenRegions {
  /** 0: the process's own. */
  id: number;
  readonly regions: number[];
  /** Handles of the regions' tracks, given by the sink. */
  readonly tracks: number[];
  /** Values of attributes, innermost last. */
  attributes?: OpenValues;
}

/** Spans of one name and track that ended, and are not emitted yet. */
export interface SpanSum {
  readonly name: string;
  readonly track: string;
  count: number;
  ns: number;
}

/** A span that has begun. */
export interface OpenSpan {
  readonly name: string;
  readonly track: string;
  /**
   * Time when a begin was read that was not emitted, ns since the origin, and the sum that it
   * counts in.
   */
  readonly beganNs?: number;
  readonly sum?: SpanSum;
}

/** One image of a process as the collector follows it; exec makes another one of the same process. */
export interface Follower {
  /** Process number on this host; if unmatched, the number that the process gives itself. */
  readonly pid: number;
  /** True if no process on this host matches: its records count, and its end is not awaited. */
  readonly isUnmatched: boolean;
  execId: string;
  /** Rank of the process in its MPI job, if it has one. */
  readonly rank?: string;
  readonly rings: Marks[];
  /** Open regions of its threads; the first is the process's own. */
  readonly open: OpenRegions[];
  /** Open spans of the process, by their numbers. */
  readonly spans: Map<number, OpenSpan>;
  /** The sink's handle; −1 before the sink returned it. */
  handle: number;
  /** The image before it, whose handle it takes over; and whether another one took over this one's. */
  before?: Follower;
  succeeded?: boolean;
  /**
   * Time when the process stopped in good order or was missed, ns since the origin; NaN while it
   * runs.
   */
  endNs: number;
  died: boolean;
  /** Nothing is known of how it ended. */
  silent?: boolean;
  /** Visits without a ring that were emitted. */
  lost: number;
  /** Epochs emitted so far, and those that came too fast to be told one by one. */
  epochs: number;
  waitingEpochs: number;
}

/** Is this an image of the same process? */
function isOneProcess(f: Follower, other: Follower): boolean {
  if (f.pid !== other.pid || f.isUnmatched !== other.isUnmatched) return false;
  return !f.isUnmatched || f.rings[0].namespace === other.rings[0].namespace;
}

/** Are these marks of that image of the process? Marks without an image belong to the current one. */
function isOneImage(f: Follower, { execId }: Marks): boolean {
  if (f.succeeded === true) return false;
  if (f.execId === "") f.execId = execId;
  return f.execId === execId || execId === "";
}

/** An image whose first marks these are; nothing of it was emitted yet. @param host Its number here, or `UNMATCHED`. */
export function followerOf(ring: Marks, host: number, rank: string | undefined): Follower {
  const isUnmatched = host === UNMATCHED, pid = isUnmatched ? ring.pid : host;
  return {
    pid,
    isUnmatched,
    execId: ring.execId,
    rank,
    rings: [ring],
    spans: new Map(),
    open: [{ id: 0, regions: [], tracks: [] }],
    handle: -1,
    endNs: NaN,
    died: false,
    lost: 0,
    epochs: 0,
    waitingEpochs: 0,
  };
}

/**
 * Puts an image in order with the others of its process. Files are found in no order that means anything: of two
 * images that one look finds, the second may come first.
 *
 * @param opened Its first marks.
 * @returns They are of an image that is there already.
 */
export function joinImages(
  followers: readonly Follower[],
  follower: Follower,
  opened: Marks,
): boolean {
  let before: Follower | undefined;
  let after: Follower | undefined;
  for (const f of followers) {
    if (!isOneProcess(f, follower)) continue;
    if (isOneImage(f, opened)) {
      // The first one has the start of the process.
      if (f.handle < 0 && opened.startNs < f.rings[0].startNs) f.rings.unshift(opened);
      else f.rings.push(opened);
      return true;
    }
    const startNs = f.rings[0].startNs;
    if (startNs <= opened.startNs) {
      if (before === undefined || startNs > before.rings[0].startNs) before = f;
    } else if (after === undefined || startNs < after.rings[0].startNs) after = f;
  }
  if (after !== undefined) follower.endNs = after.rings[0].startNs;
  if (before !== undefined && !(before.endNs <= opened.startNs)) {
    // The process executed something else: the same process goes on as that.
    before.endNs = opened.startNs;
    follower.before = before;
    before.succeeded = true;
  }
  if (after !== undefined && after.handle < 0) {
    after.before = follower;
    follower.succeeded = true;
  }
  return false;
}

/**
 * Records the end of a process that did not report it.
 *
 * @param bySignal A signal ended the process. @default not known
 */
export function endUnsaid(f: Follower, endNs: number, bySignal?: boolean): void {
  const isUsual = f.rings.every((ring) => ring.endsSilently);
  f.endNs = endNs;
  f.died = bySignal === true && !isUsual;
  f.silent = bySignal === undefined && !isUsual;
}

/** The run is over, and with it processes of which it is not known whether they run. */
export function endUnmatched(followers: readonly Follower[], endNs: number): void {
  for (const f of followers) if (f.isUnmatched && Number.isNaN(f.endNs)) endUnsaid(f, endNs);
}

/** A thread whose events are to be emitted. */
export interface Source {
  readonly thread: RingThread;
  readonly ring: Marks;
  readonly follower: Follower;
  /** True once the thread's CPUs were passed to the sink. */
  bound: boolean;
  /** The thread that was reported to the sink as folded by path. */
  folds?: number;
  /**
   * Time when the first waiting aggregated visits were read, while others are read in order;
   * `undefined`: none wait.
   */
  foldedNs?: number | undefined;
  /** The first of its paths that was not emitted because of the order. */
  pathsEmitted?: number;
  /** Open regions of the thread, if it has regions of its own. */
  own?: OpenRegions;
  /** Empty record of the thread before it, reused for the next one. */
  spare?: OpenRegions;
}

/** Open regions of an event's thread, or of its process: 0. */
export function openOn(source: Source, id: number): OpenRegions {
  if (id === 0) return source.follower.open[0];
  if (source.own === undefined) {
    const own = source.spare ?? { id, regions: [], tracks: [] };
    own.id = id;
    own.attributes = undefined;
    source.spare = undefined;
    source.follower.open.push(source.own = own);
  }
  return source.own;
}

/** Level of a track's innermost region, of this one or of any; −1: there is none. */
export function levelOf(open: OpenRegions, track: number, region?: number): number {
  let level = open.regions.length - 1;
  while (
    level >= 0 &&
    (open.tracks[level] !== track || (region !== undefined && open.regions[level] !== region))
  ) level--;
  return level;
}
