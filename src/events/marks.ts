/**
 * Whose marks they are, and what is open: processes, their threads, and regions by track.
 * @module
 */
import type { FoldedVisits } from "./ring_slots.ts";
import type { RingThread } from "./ring_thread.ts";
import type { OpenValues } from "./ring_values.ts";

/** One process's marks, wherever they are written: a ring file, or a script's lines. */
export interface Marks extends Disposable {
  readonly pid: number;
  /** Tells images of a process apart that followed each other by exec. */
  readonly execId: string; // "": of whatever the process is
  readonly startNs: number;
  readonly cpus: readonly number[];
  readonly threads: readonly RingThread[];
  readonly names: readonly { name: string; hint: number }[];
  readonly garbage: number;
  readonly otherVisits: number;
  readonly skipped: { nested: number; refused: number };
  /** It has no last word: that it is gone is all there is to know. */
  readonly endsSilently?: boolean;
  /** Visits of threads that found no room for a ring. */
  readonly lostVisits?: number;
  /** Begins and ends of spans that found no room. */
  readonly lostSpans?: number;
  /** Name of a track; "" of the program's own. */
  trackName?(track: number): string;
  /** CPUs that a thread is bound to now. */
  boundNow?(thread: RingThread): readonly number[];
  stopNs(originNs: bigint): number;
  poll(): number;
  /** Is there a name of this number? Looks for new ones where it must. */
  knowsName(index: number): boolean;
  /** What its client has to say: see SAID_PREFIX. */
  takeSaid?(): readonly { word: string; text: string }[];
  takeFolds(): readonly FoldedVisits[];
  takeFoldedEpochs(): readonly { thread: RingThread; count: number }[];
}

/** Regions of the sink that are open on a thread, outermost first. */
export interface OpenRegions {
  /** 0: the process's own. */
  readonly id: number;
  readonly regions: number[];
  /** Their tracks, the sink's handles. */
  readonly tracks: number[];
  /** Values of attributes, innermost last. */
  attributes?: OpenValues;
}

/** One image of a process as the collector follows it; exec makes another one of the same process. */
export interface Follower {
  readonly pid: number;
  execId: string;
  /** Its rank in an MPI job, where it has one. */
  readonly rank?: string;
  readonly rings: Marks[];
  /** What is open on its threads; the first is the process's own. */
  readonly open: OpenRegions[];
  /** Names and tracks of its spans that are open, by their numbers. */
  readonly spans: Map<number, { name: string; track: string }>;
  /** The sink's handle; −1 before it was told of it. */
  handle: number;
  /** The image before it, whose handle it takes over; and whether another one took over this one's. */
  before?: Follower;
  succeeded?: boolean;
  /** When it stopped in good order or was missed, ns since the origin; NaN while it runs. */
  endNs: number;
  died: boolean;
  /** Nothing is known of how it ended. */
  silent?: boolean;
  /** Visits without a ring that were told. */
  lost: number;
  /** Epochs told so far. */
  epochs: number;
}

/** Are these marks of that image of the process? Those that do not say take the one that there is. */
export function isOneImage(f: Follower, { execId }: Marks): boolean {
  if (f.succeeded === true) return false;
  if (f.execId === "") f.execId = execId;
  return f.execId === execId || execId === "";
}

/** An image whose first marks these are; nothing of it was told yet. */
export function followerOf(ring: Marks, rank: string | undefined): Follower {
  return {
    ...{ pid: ring.pid, execId: ring.execId, rank, rings: [ring], spans: new Map() },
    open: [{ id: 0, regions: [], tracks: [] }],
    ...{ handle: -1, endNs: NaN, died: false, lost: 0, epochs: 0 },
  };
}

/** A thread whose events are to be told. */
export interface Source {
  readonly thread: RingThread;
  readonly ring: Marks;
  readonly follower: Follower;
  /** The sink knows which CPUs it is bound to. */
  bound: boolean;
  /** The thread of which the sink knows that all of its visits are folded by path. */
  folds?: number;
  /** Of its paths, the first that the sink was not told of because of their order. */
  pathsTold?: number;
  /** What is open on it, where it has regions of its own. */
  own?: OpenRegions;
}

/** What is open on the thread of an event, or of its process: 0. */
export function openOn(source: Source, id: number): OpenRegions {
  if (id === 0) return source.follower.open[0];
  if (source.own === undefined) {
    source.follower.open.push(source.own = { id, regions: [], tracks: [] });
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
