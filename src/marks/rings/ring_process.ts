/**
 * One process's ring file, seen from the monitor: its threads, its names, what it folded.
 *
 * Layout: `core/events/ring_layout.ts`. The file belongs to another process, so every number in it is
 * checked before it is used, and none can make the monitor allocate without bound.
 * @module
 */
import {
  CHUNK_NAMES,
  CHUNK_THREADS,
  HEADER,
  MESSAGE_PREFIX,
  NAME,
  NAME_BYTES_MAX,
  NAME_HEAP_MAX,
  NAMES_MAX,
  OLDEST_RING_VERSION,
  RECORD_BYTES,
  RING_MAGIC,
  RING_VERSION,
  THREAD,
  THREAD_CHUNKS,
  TRACKS_MAX,
} from "../../core/events/ring_layout.ts";
import type { RingMemory } from "../../core/events/ring_memory.ts";
import { EntryWords } from "./entry_words.ts";
import { ClockLimits, type Refuse } from "./clock_limits.ts";
import { cpusOf } from "./ring_values.ts";
import { RingPaths } from "./ring_paths.ts";
import { type FoldedVisits, RingSlots } from "./ring_slots.ts";
import { RingThread } from "./ring_thread.ts";
import { StampClock, wordAt } from "./stamp_clock.ts";

interface ThreadState {
  readonly thread: RingThread;
  readonly entry: number;
  readonly ringOffset: number;
  readonly ringRecords: number;
  head: number;
  /** Number of consecutive looks in which its entry said that its thread has ended, at most `OVER`. */
  over: number;
  folds: number;
  epochs: number;
  skipped: number;
  refused: number;
  readonly slots: RingSlots;
  readonly words: EntryWords;
}

/**
 * Looks at an ended process: one look reads the words at several moments, and the second one has
 * all that came before the end.
 */
const ENDED_LOOKS = 2;
/** Older rings have something else, or nothing, where paths are. */
const FIRST_WITH_PATHS = 4;
const NOTHING: readonly never[] = [];
const decoder = new TextDecoder();
/** Some thread entries at a time, of any process: nothing in it outlives a poll. */
const ENTRIES_AT_ONCE = 128;
const ENTRIES = new Uint8Array(ENTRIES_AT_ONCE * THREAD.bytes);
const ENTRIES_VIEW = new DataView(ENTRIES.buffer);
const ENTRIES_WORDS = new Uint32Array(ENTRIES.buffer);
/** Buffer for bytes of names; longer blocks are read separately. */
const NAMES_BLOCK = new Uint8Array(16384);

interface RingOpening {
  readonly refuse: Refuse;
  /** By how much the clock of the process, a number of that namespace, is ahead of ours. */
  aheadNs(pid: number, namespace: number): bigint;
  /**
   * The clock of an image of a process, whichever of its files comes first.
   *
   * @param originNs The origin by that clock.
   */
  clockOf(pid: number, execId: string, originNs: bigint): StampClock;
}

/** The rings of one process. */
export class RingProcess {
  readonly pid: number;
  readonly execId: string;
  /** Time when the process attached, ns since the origin. */
  readonly startNs: number;
  readonly namespace: number;
  readonly cpus: readonly number[];
  readonly threads: RingThread[] = [];
  /** Names with their hints, by the process's own numbers. */
  readonly names: { name: string; hint: number }[] = [];
  /** A message of its client: a word of ours, and the text after it. */
  readonly #messages: { word: string; text: string }[] = [];
  /** Number of words in the file itself that are not valid. */
  garbage = 0;
  /** Visits whose names found no room. */
  otherVisits = 0;
  /** Visits of threads that found no room: counted nowhere else. */
  lostVisits = 0;
  /** Begins and ends of spans that found no room. */
  lostSpans = 0;
  /** Values of attributes that found no room. */
  lostValues = 0;
  readonly #memory: RingMemory;
  readonly #hasPaths: boolean;
  readonly #clock: StampClock;
  readonly #limits: ClockLimits;
  /** The origin by the clock of the process. */
  readonly #originNs: bigint;
  readonly #header = new Uint8Array(HEADER.affinity);
  readonly #headerView = new DataView(this.#header.buffer);
  readonly #tracks: string[] = [""];
  readonly #states: ThreadState[] = [];
  readonly #entries = ENTRIES;
  readonly #entriesView = ENTRIES_VIEW;
  readonly #tail = new Uint8Array(8);
  readonly #tailView = new DataView(this.#tail.buffer);
  readonly #foldedEpochs: { thread: RingThread; count: number }[] = [];
  readonly #folds: FoldedVisits[] = [];
  /** Bytes of names, and their offset in the file; cleared when a look for names begins. */
  readonly #names = NAMES_BLOCK;
  #namesAt = 0;
  #namesRead = 0;
  #nameBytesSoFar = 0;
  #mostNames = NAMES_MAX;
  #takeovers = 0;
  #interrupting = 0;
  #notAttached = 0;

  private constructor(
    memory: RingMemory,
    head: Uint8Array,
    originNs: bigint,
    { refuse, aheadNs, clockOf }: RingOpening,
  ) {
    this.#memory = memory;
    this.#hasPaths = head[7] >= FIRST_WITH_PATHS;
    this.#limits = new ClockLimits(originNs, refuse);
    const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
    this.pid = view.getInt32(HEADER.pid, true);
    this.namespace = view.getUint32(HEADER.namespace, true);
    this.execId = view.getBigUint64(HEADER.execId, true).toString(16);
    const ownOriginNs = this.#originNs = originNs + aheadNs(this.pid, this.namespace);
    this.#clock = clockOf(this.pid, this.execId, ownOriginNs);
    this.startNs = Number(view.getBigInt64(HEADER.startNs, true) - ownOriginNs);
    this.#limits.startNs = this.startNs;
    this.#clock.pair(
      view.getUint32(HEADER.pairCycles, true),
      view.getUint32(HEADER.pairCycles + 4, true),
      Number(view.getBigInt64(HEADER.pairNs, true) - ownOriginNs),
    );
    this.cpus = cpusOf(head.subarray(HEADER.affinity, HEADER.affinity + HEADER.affinityBytes));
  }

  /** Opens a file that is ready; `"wait"` when it is not yet, a reason when it never will be. */
  static open(
    memory: RingMemory,
    originNs: bigint,
    refuse: Refuse = () => {},
    clockOf: RingOpening["clockOf"] = () => new StampClock(originNs),
    aheadNs: RingOpening["aheadNs"] = () => 0n,
  ): RingProcess | "wait" | { refused: string } {
    const head = new Uint8Array(HEADER.affinity + HEADER.affinityBytes);
    if (memory.read(0, head) !== head.length) return "wait";
    if (head.subarray(0, 8).every((b) => b === 0)) return "wait";
    if (decoder.decode(head.subarray(0, 7)) !== RING_MAGIC) return { refused: "not a ring file" };
    if (!(head[7] >= OLDEST_RING_VERSION && head[7] <= RING_VERSION)) {
      const expected = `${OLDEST_RING_VERSION} to ${RING_VERSION}`;
      return { refused: `ring version ${head[7]}, expected ${expected}` };
    }
    // Once more: the magic is written last, and says that the rest can be read.
    if (memory.read(0, head) !== head.length) return "wait";
    return new RingProcess(memory, head, originNs, { refuse, aheadNs, clockOf });
  }

  /** Time when the process ended in good order, ns since the origin; NaN while it runs. */
  stopNs(): number {
    if (this.#headerView.getUint32(HEADER.state, true) !== 2) return NaN;
    return Number(this.#headerView.getBigInt64(HEADER.stopNs, true) - this.#originNs);
  }

  /** Copies what is new: records to the threads, names, folds. Returns the records copied. */
  poll(): number {
    // The threads' heads first: all that their records refer to was published before them.
    let copied = 0;
    if (this.#memory.read(0, this.#header) !== this.#header.length) return 0;
    const count = Math.min(
      this.#headerView.getUint32(HEADER.threads, true),
      CHUNK_THREADS * ((1 << THREAD_CHUNKS) - 1),
    );
    const takeovers = this.#headerView.getUint32(HEADER.takeovers, true);
    const tookOver = takeovers !== this.#takeovers;
    this.#takeovers = takeovers;
    if (tookOver) { for (const state of this.#states) state.over = 0; }
    for (let first = 0; first < count;) {
      const chunk = 31 - Math.clz32(Math.floor(first / CHUNK_THREADS) + 1);
      const begin = CHUNK_THREADS * ((1 << chunk) - 1);
      const some = Math.min(
        ENTRIES_AT_ONCE,
        begin + (CHUNK_THREADS << chunk) - first,
        count - first,
      );
      // If all threads ended, only one that takes an entry over brings something new.
      if (!tookOver && this.#allEnded(first, some)) {
        first += some;
        continue;
      }
      const offset = wordAt(this.#headerView, HEADER.threadChunks + 8 * chunk) +
        (first - begin) * THREAD.bytes;
      const bytes = this.#entries.subarray(0, some * THREAD.bytes);
      if (this.#memory.read(offset, bytes) !== bytes.length) {
        this.garbage++;
        break;
      }
      for (let i = 0; i < some; i++) {
        if (first + i >= this.#states.length) this.#addThread(i, offset + i * THREAD.bytes);
        copied += this.#pollThread(this.#states[first + i], i * THREAD.bytes);
      }
      first += some;
    }
    this.#readNames();
    const other = wordAt(this.#headerView, HEADER.otherVisits);
    const lost = wordAt(this.#headerView, HEADER.lostVisits);
    this.otherVisits = this.#limits.next(this.otherVisits, other, "visits to others");
    this.lostVisits = this.#limits.next(this.lostVisits, lost, "visits without room");
    const lostSpans = wordAt(this.#headerView, HEADER.lostSpans);
    this.lostSpans = this.#limits.next(this.lostSpans, lostSpans, "spans without room");
    const lostValues = wordAt(this.#headerView, HEADER.lostValues);
    this.lostValues = this.#limits.next(this.lostValues, lostValues, "values without room");
    const marks = this.#headerView.getUint32(HEADER.interrupting, true);
    this.#interrupting = this.#limits.next(this.#interrupting, marks, "marks of signal handlers");
    const children = this.#headerView.getUint32(HEADER.notAttached, true);
    this.#notAttached = this.#limits.next(this.#notAttached, children, "processes not attached");
    return copied;
  }

  /** CPUs that a thread is bound to now, by its entry. */
  boundNow(thread: RingThread): readonly number[] {
    const state = this.#states.find((s) => s.thread === thread);
    const mask = new Uint8Array(HEADER.affinityBytes);
    if (state === undefined) return NOTHING;
    return this.#memory.read(state.entry + THREAD.affinity, mask) === mask.length
      ? cpusOf(mask)
      : NOTHING;
  }

  /** Looks for names that were published while `poll` went on; is this number one of them? */
  hasName(index: number): boolean {
    if (index < this.names.length) return true;
    this.#memory.read(0, this.#header);
    this.#readNames();
    return index < this.names.length;
  }

  /** Name of a track; "" of the program's own, and of one that makes no sense. */
  trackName(track: number): string {
    if (this.#tracks[track] !== undefined || track >= TRACKS_MAX) return this.#tracks[track] ?? "";
    const number = new Uint8Array(4);
    this.#memory.read(HEADER.trackNames + 4 * track, number);
    const name = new DataView(number.buffer).getUint32(0, true);
    return name > 0 && this.hasName(name) ? this.#tracks[track] = this.names[name].name : "";
  }

  /** The client's messages since the last call; they are returned once. */
  takeMessages(): readonly { word: string; text: string }[] {
    return this.#messages.length === 0 ? NOTHING : this.#messages.splice(0);
  }

  /** Folded visits since the last call; the caller takes them all. */
  takeFolds(): readonly FoldedVisits[] {
    return this.#folds.length === 0 ? NOTHING : this.#folds.splice(0);
  }

  /** Epochs that found no room since the last call. */
  takeFoldedEpochs(): readonly { thread: RingThread; count: number }[] {
    return this.#foldedEpochs.length === 0 ? NOTHING : this.#foldedEpochs.splice(0);
  }

  /** Nested visits and calls at a wrong moment that found no room, in all. */
  get skipped(): {
    nested: number;
    refused: number;
    interrupting: number;
    notAttached: number;
  } {
    let nested = 0, refused = 0;
    for (const s of this.#states) {
      nested += s.skipped;
      refused += s.refused;
    }
    const [interrupting, notAttached] = [this.#interrupting, this.#notAttached];
    return { nested, refused, interrupting, notAttached };
  }

  [Symbol.dispose](): void {
    this.#memory[Symbol.dispose]();
  }

  #allEnded(first: number, count: number): boolean {
    for (let i = first; i < first + count; i++) {
      const state = this.#states[i];
      if (
        state === undefined || !state.thread.ended || state.over < ENDED_LOOKS || state.folds < 0 ||
        state.thread.nextNs !== Infinity
      ) return false;
    }
    return true;
  }

  #addThread(index: number, entry: number): void {
    const at = index * THREAD.bytes;
    const view = this.#entriesView;
    const bound = view.getUint32(at + THREAD.bound, true) !== 0;
    const mask = this.#entries.subarray(
      at + THREAD.affinity,
      at + THREAD.affinity + HEADER.affinityBytes,
    );
    const thread = new RingThread(
      view.getUint32(at + THREAD.tid, true),
      bound ? cpusOf(mask) : [],
      this.#clock,
    );
    const records = view.getUint32(at + THREAD.ringRecords, true);
    const sound = records > 0 && records <= 1 << 20 && (records & (records - 1)) === 0;
    if (!sound) this.garbage++;
    const place = { memory: this.#memory, entry, clock: this.#clock, limits: this.#limits };
    if (this.#hasPaths) thread.paths = new RingPaths(place);
    this.threads.push(thread);
    this.#states.push({
      thread,
      entry,
      ringOffset: wordAt(view, at + THREAD.ringOffset),
      ringRecords: sound ? records : 0,
      head: 0,
      over: 0,
      folds: 0,
      epochs: 0,
      skipped: 0,
      refused: 0,
      slots: new RingSlots(place, thread),
      words: new EntryWords(),
    });
  }

  #pollThread(state: ThreadState, at: number): number {
    const first = at / 4;
    if (state.words.areAsBefore(ENTRIES_WORDS, first)) return 0;
    if (this.#clock.unrated) this.#refine();
    const copied = this.#takeNew(state, at);
    // A slot may have to wait, and a thread's end counts when it was seen twice.
    const isAll = state.folds >= 0 && state.over === 0 && !state.thread.ended;
    state.words.taken(ENTRIES_WORDS, first, isAll);
    return copied;
  }

  #takeNew(state: ThreadState, at: number): number {
    const view = this.#entriesView;
    const head = wordAt(view, at + THREAD.head);
    let fresh = head - state.head;
    if (fresh < 0 || fresh > state.ringRecords) {
      // Only a broken or hostile writer passes the tail; what it wrote cannot be separated.
      if (state.ringRecords > 0) this.garbage++;
      fresh = 0;
      state.head = head;
    }
    if (fresh > 0) {
      const place = state.head & (state.ringRecords - 1);
      const first = Math.min(fresh, state.ringRecords - place);
      this.#copy(state, place, first);
      if (fresh > first) this.#copy(state, 0, fresh - first);
      state.head = head;
      this.#tailView.setUint32(0, head >>> 0, true);
      this.#tailView.setUint32(4, Math.floor(head / 2 ** 32), true);
      this.#memory.write(state.entry + THREAD.tail, this.#tail);
    }
    const isOver = view.getUint32(at + THREAD.state, true) === 2;
    state.over = isOver ? Math.min(ENDED_LOOKS, state.over + 1) : 0;
    if (state.thread.ended && view.getUint32(at + THREAD.tid, true) !== state.thread.tid) {
      state.thread.ended = false;
    }
    const folds = view.getUint32(at + THREAD.folds, true);
    if (folds !== state.folds) {
      state.folds = folds;
      this.#readFolds(state, at);
    }
    state.thread.paths?.look(view, at);
    const epochs = view.getUint32(at + THREAD.foldedEpochs, true);
    if (epochs !== state.epochs) {
      const count = (epochs - state.epochs) >>> 0;
      if (this.#limits.allows(count, "epochs")) {
        this.#foldedEpochs.push({ thread: state.thread, count });
      }
      state.epochs = epochs;
    }
    const skipped = view.getUint32(at + THREAD.skippedNested, true);
    const refused = view.getUint32(at + THREAD.refused, true);
    state.skipped = this.#limits.next(state.skipped, skipped, "nested visits");
    state.refused = this.#limits.next(state.refused, refused, "refused calls");
    return fresh;
  }

  #copy(state: ThreadState, place: number, records: number): void {
    const into = state.thread.reserve(records);
    const n = this.#memory.read(state.ringOffset + place * RECORD_BYTES, into);
    if (n === into.length) state.thread.filled(records);
    else this.garbage++;
  }

  /**
   * Reads the length of a cycle, which was published before the first record that is stamped in
   * cycles.
   */
  #refine(): void {
    this.#memory.read(0, this.#header);
    const view = this.#headerView;
    const ns = this.#clock.fromClock(
      view.getUint32(HEADER.laterNs, true),
      view.getUint32(HEADER.laterNs + 4, true),
    );
    const cyclesLow = view.getUint32(HEADER.laterCycles, true);
    const cyclesHigh = view.getUint32(HEADER.laterCycles + 4, true);
    this.#clock.pair(cyclesLow, cyclesHigh, ns);
  }

  #readNames(): void {
    this.#namesRead = 0;
    const count = this.#claimedNames();
    while (this.names.length < count) {
      const index = this.names.length;
      const chunk = 31 - Math.clz32(Math.floor(index / CHUNK_NAMES) + 1);
      const first = CHUNK_NAMES * ((1 << chunk) - 1);
      const last = Math.min(count, first + (CHUNK_NAMES << chunk));
      const base = wordAt(this.#headerView, HEADER.nameChunks + 8 * chunk);
      const entries = new Uint8Array((last - index) * NAME.bytes);
      const start = base + (index - first) * NAME.bytes;
      if (base === 0 || this.#memory.read(start, entries) !== entries.length) {
        // Entries are written before their number: those beyond the end of the file never existed.
        this.#mostNames = index;
        this.garbage++;
        return;
      }
      const view = new DataView(entries.buffer);
      for (let i = index; i < last; i++) {
        const at = (i - index) * NAME.bytes;
        const length = view.getUint32(at + NAME.length, true);
        // All names together have a bound, independent of the file.
        const left = NAME_HEAP_MAX - this.#nameBytesSoFar;
        const bytes = this.#nameBytes(
          wordAt(view, at + NAME.offset),
          Math.min(length, NAME_BYTES_MAX, left),
        );
        this.#nameBytesSoFar += bytes.length;
        if (bytes.length < length) this.garbage++;
        const name = decoder.decode(bytes);
        if (name.startsWith(MESSAGE_PREFIX)) this.#receive(name);
        this.names.push({ name, hint: view.getUint32(at + NAME.hint, true) });
      }
    }
  }

  #claimedNames(): number {
    return Math.min(this.#headerView.getUint32(HEADER.names, true), this.#mostNames);
  }

  #receive(name: string): void {
    const [, word, pid, text] = /^(.*?) (\d+) (.*)$/s.exec(name.slice(MESSAGE_PREFIX.length)) ?? [];
    if (Number(pid) === this.pid) this.#messages.push({ word: MESSAGE_PREFIX + word, text });
  }

  /** The bytes of a name; those after it are read too, since most names are adjacent. */
  #nameBytes(offset: number, length: number): Uint8Array {
    if (length > NAMES_BLOCK.length) {
      const own = new Uint8Array(length);
      return own.subarray(0, Math.max(0, this.#memory.read(offset, own)));
    }
    const block = this.#names;
    let from = offset - this.#namesAt;
    if (!(from >= 0 && from + length <= this.#namesRead)) {
      this.#namesRead = Math.max(0, this.#memory.read(offset, block));
      this.#namesAt = offset;
      from = 0;
    }
    return block.subarray(from, Math.min(from + length, Math.max(from, this.#namesRead)));
  }

  #readFolds(state: ThreadState, at: number): void {
    this.#memory.read(0, this.#header);
    const names = this.#claimedNames();
    const { slots } = state, before = slots.garbage;
    if (!slots.read(this.#entriesView, at, names, this.#folds)) state.folds = -1;
    this.garbage += slots.garbage - before;
  }
}
