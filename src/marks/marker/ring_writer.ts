/**
 * The application's side of a ring file, written by `pwrite`: for programs that cannot map memory.
 *
 * Layout and order of writing: `core/events/ring_layout.ts`. It does what the C client does: the file is
 * made for this user alone and becomes valid with its magic word, areas are filled with zeros when
 * they are taken, and visits that find the ring full are folded into their region's slot.
 * @module
 */
import { KIND } from "../../core/events/event_kinds.ts";
import {
  CHUNK_NAMES,
  CHUNK_THREADS,
  CPU_UNKNOWN,
  FLAG,
  HEADER,
  NAME,
  NAME_BYTES_MAX,
  NAME_HEAP_MAX,
  NAMES_MAX,
  OTHER_NAME,
  RECORD_BYTES,
  RING_MAGIC,
  RING_RECORDS,
  RING_VERSION,
  SLOT,
  THREAD,
} from "../../core/events/ring_layout.ts";
import { rawNanoseconds } from "../../os/clock.ts";
import type { GrowingFile } from "./growing_file.ts";

const TWO_32 = 4294967296;
/** Deeper visits are counted by depth alone, as in the C client. */
const MAX_DEPTH = 64;
const HEAP_BYTES = 16384;
const encoder = new TextEncoder();

/** Process and thread that write the ring. */
export interface RingOwner {
  readonly pid: number;
  readonly tid: number;
  /** First 8 of the 16 random bytes that the kernel gives every exec. */
  readonly execId: Uint8Array;
  /** sched_getaffinity(2), HEADER.affinityBytes long. */
  readonly affinity: Uint8Array;
  /** Marks are the process's own, by GEOPM's rules; else the thread's. */
  readonly forProcess: boolean;
}

/** Folded visits of one region, as its slot holds them. */
interface Slot {
  readonly at: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  visits: number;
  ns: number;
  tail: number;
}

/** One ring with one writer. No method throws. */
export class RingWriter {
  readonly #file: GrowingFile;
  readonly #flags: number;
  readonly #cpu: number;
  readonly #numbers = new Map<string, number>();
  readonly #nameChunks: number[] = [];
  readonly #slotChunks: number[] = [];
  readonly #slots = new Map<number, Slot>();
  readonly #bytes = new Uint8Array(RECORD_BYTES);
  readonly #view = new DataView(this.#bytes.buffer);
  readonly #eight = this.#bytes.subarray(0, 8);
  readonly #four = this.#bytes.subarray(0, 4);
  #entry = 0;
  #ring = 0;
  #heap = 0;
  #heapLeft = 0;
  #heapBytes = 0;
  #head = 0;
  #tail = 0;
  #depth = 0;
  /** Exits still owed to the ring. */
  #reserved = 0;
  /** Is the visit at each depth in the ring? */
  readonly #pushed = new Uint8Array(MAX_DEPTH);
  /** Regions open, outermost first. */
  readonly #stack = new Uint32Array(MAX_DEPTH);
  #outerRegion = 0;
  #outerNs = 0;
  #folds = 0;
  #foldedEpochs = 0;
  #skippedNested = 0;
  #refused = 0;
  #otherVisits = 0;
  /** Seconds reported but not yet in the ring. */
  #overhead = 0;

  private constructor(file: GrowingFile, owner: RingOwner) {
    this.#file = file;
    this.#flags = FLAG.nanoseconds | (owner.forProcess ? FLAG.process : 0);
    this.#cpu = onlyCpu(owner.affinity);
  }

  /** Fills a file just made; `undefined` when there is no room for a ring. */
  static make(file: GrowingFile, owner: RingOwner): RingWriter | undefined {
    const writer = new RingWriter(file, owner);
    return writer.#lay(owner) ? writer : undefined;
  }

  /** Number of a name, entered in the file if it is new; 0 when there is no room. */
  region(name: string, hint: number): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const bytes = shortened(encoder.encode(name));
    const index = this.#numbers.size;
    if (index >= NAMES_MAX || !this.#roomForName(index, bytes.length)) return 0;
    const { chunk, place } = chunkOf(index, CHUNK_NAMES);
    this.#file.write(this.#heap, bytes);
    put64(this.#view, NAME.offset, this.#heap);
    this.#view.setUint32(NAME.length, bytes.length, true);
    this.#view.setUint32(NAME.hint, hint, true);
    this.#file.write(this.#nameChunks[chunk] + place * NAME.bytes, this.#bytes);
    this.#heap += bytes.length;
    this.#heapLeft -= bytes.length;
    this.#numbers.set(name, index);
    this.#put32(HEADER.names, index + 1);
    return index;
  }

  enter(region: number): void {
    const depth = this.#depth++;
    if (depth < MAX_DEPTH) this.#stack[depth] = region;
    if (region === 0) this.#put64(HEADER.otherVisits, ++this.#otherVisits);
    if (depth === 0) {
      const room = this.#room();
      this.#pushed[0] = room ? 1 : 0;
      this.#outerRegion = region;
      this.#outerNs = rawNanoseconds();
      if (!room) return;
      this.#reserved = 1;
      this.#record(this.#outerNs, KIND.enter, region);
    } else if (depth < MAX_DEPTH && this.#pushed[0] === 1 && this.#room()) {
      this.#reserved++;
      this.#pushed[depth] = 1;
      this.#record(rawNanoseconds(), KIND.enter, region);
    } else {
      if (depth < MAX_DEPTH) this.#pushed[depth] = 0;
      this.#put32(this.#entry + THREAD.skippedNested, ++this.#skippedNested);
    }
  }

  exit(region: number): void {
    const ns = rawNanoseconds();
    if (this.#depth > MAX_DEPTH) {
      this.#depth--;
      return;
    }
    // The end of an outer region ends those inside it; the monitor reads it likewise.
    const at = this.#openAt(region);
    if (at < 0) {
      // An end without a begin: the monitor counts and names it.
      if (this.#room()) this.#record(ns, KIND.exit, region);
      else this.#put32(this.#entry + THREAD.refused, ++this.#refused);
      return;
    }
    let lowest = -1;
    for (let inner = this.#depth - 1; inner > at; inner--) {
      if (this.#pushed[inner] === 0) continue;
      this.#reserved--;
      lowest = inner;
    }
    this.#depth = at;
    if (this.#pushed[at] === 1) {
      this.#reserved--;
      this.#record(ns, KIND.exit, this.#stack[at]);
      return;
    }
    if (lowest >= 0) this.#record(ns, KIND.exit, this.#stack[lowest]);
    if (at === 0) this.#fold(ns);
  }

  /** Depth at which the region was begun last, −1: it is not open. */
  #openAt(region: number): number {
    const top = this.#depth - 1;
    // A name that found no room at its begin may find some at its end.
    if (top < 0 || region === 0 || this.#stack[top] === 0) return top;
    return this.#stack.lastIndexOf(region, top);
  }

  epoch(): void {
    if (this.#room()) this.#record(rawNanoseconds(), KIND.epoch, 0);
    else this.#put32(this.#entry + THREAD.foldedEpochs, ++this.#foldedEpochs);
  }

  /** Records progress: one unit is done, or, with a number, a loop of that many units begins. */
  progress(units?: number): void {
    if (!this.#room()) return;
    const kind = units === undefined ? KIND.tprofPost : KIND.tprofInit;
    this.#record(rawNanoseconds(), kind, units ?? 0);
  }

  overhead(seconds: number): void {
    this.#overhead += seconds;
    if (!this.#room()) return;
    this.#record(rawNanoseconds(), KIND.overhead, 0, this.#overhead);
    this.#overhead = 0;
  }

  /** The process ends in good order: the monitor gets the time. */
  close(): void {
    this.#put32(this.#entry + THREAD.state, 2);
    this.#put64(HEADER.stopNs, rawNanoseconds());
    this.#put32(HEADER.state, 2);
    this.#file[Symbol.dispose]();
  }

  #lay(owner: RingOwner): boolean {
    if (this.#file.area(HEADER.bytes) !== 0) return false;
    this.#put32(HEADER.pid, owner.pid);
    this.#file.write(HEADER.execId, owner.execId);
    this.#put64(HEADER.pairNs, rawNanoseconds());
    this.#file.write(HEADER.affinity, owner.affinity);
    this.region(OTHER_NAME, 1);
    const threads = this.#file.area(CHUNK_THREADS * THREAD.bytes);
    const ring = this.#file.area(RING_RECORDS * RECORD_BYTES);
    const slots = this.#file.area(CHUNK_NAMES * SLOT.bytes);
    if (this.#numbers.size !== 1 || threads < 0 || ring < 0 || slots < 0) return false;
    this.#entry = threads;
    this.#ring = ring;
    this.#slotChunks[0] = slots;
    this.#put64(HEADER.threadChunks, threads);
    this.#put32(threads + THREAD.tid, owner.tid);
    this.#put32(threads + THREAD.state, 1);
    this.#put64(threads + THREAD.ringOffset, ring);
    this.#put32(threads + THREAD.ringRecords, RING_RECORDS);
    this.#put64(threads + THREAD.slotChunks, slots);
    this.#file.write(threads + THREAD.affinity, owner.affinity);
    this.#put32(HEADER.threads, 1);
    this.#put64(HEADER.fileBytes, this.#file.size);
    this.#put32(HEADER.state, 1);
    // The process counts from here; the magic word comes last: a file without it is not ready.
    this.#put64(HEADER.startNs, rawNanoseconds());
    const magic = encoder.encode(RING_MAGIC + "\0");
    magic[7] = RING_VERSION;
    this.#file.write(HEADER.magic, magic);
    return true;
  }

  #roomForName(index: number, length: number): boolean {
    const { chunk } = chunkOf(index, CHUNK_NAMES);
    if (this.#nameChunks[chunk] === undefined) {
      const at = this.#file.area((CHUNK_NAMES << chunk) * NAME.bytes);
      if (at < 0) return false;
      this.#nameChunks[chunk] = at;
      this.#put64(HEADER.nameChunks + 8 * chunk, at);
    }
    if (this.#heapLeft < length) {
      const size = Math.max(HEAP_BYTES, length);
      if (this.#heapBytes + size > NAME_HEAP_MAX) return false;
      const at = this.#file.area(size);
      if (at < 0) return false;
      this.#heap = at;
      this.#heapLeft = size;
      this.#heapBytes += size;
    }
    return true;
  }

  /** Is the room enough for a record and its payload, beside the exits still owed? */
  #room(): boolean {
    const want = 2 + this.#reserved;
    if (this.#head - this.#tail + want <= RING_RECORDS) return true;
    this.#file.read(this.#entry + THREAD.tail, this.#eight);
    const tail = this.#view.getUint32(4, true) * TWO_32 + this.#view.getUint32(0, true);
    // An impossible tail is taken as an attack: the ring counts as full.
    this.#tail = tail <= this.#head ? tail : this.#head - RING_RECORDS;
    return this.#head - this.#tail + want <= RING_RECORDS;
  }

  #record(ns: number, kind: number, value: number, payload?: number): void {
    put64(this.#view, 0, ns);
    this.#view.setUint32(8, kind | this.#flags << 8 | this.#cpu << 16, true);
    this.#view.setUint32(12, value, true);
    this.#file.write(this.#place(), this.#bytes);
    this.#head++;
    if (payload !== undefined) {
      this.#view.setFloat64(0, payload, true);
      put64(this.#view, 8, 0);
      this.#file.write(this.#place(), this.#bytes);
      this.#head++;
    }
    this.#put64(this.#entry + THREAD.head, this.#head);
  }

  #place(): number {
    return this.#ring + (this.#head & (RING_RECORDS - 1)) * RECORD_BYTES;
  }

  #fold(ns: number): void {
    const slot = this.#slot(this.#outerRegion);
    slot.visits++;
    slot.ns += ns - this.#outerNs;
    if (slot.tail !== this.#tail) {
      slot.tail = this.#tail;
      put64(slot.view, SLOT.first, this.#outerNs);
      slot.view.setUint32(SLOT.firstFlags, FLAG.nanoseconds, true);
      put64(slot.view, SLOT.tail, this.#tail + 1);
    }
    put64(slot.view, SLOT.ns, slot.ns);
    put64(slot.view, SLOT.visits, slot.visits);
    this.#file.write(slot.at, slot.bytes);
    this.#put32(this.#entry + THREAD.folds, ++this.#folds);
  }

  #slot(region: number): Slot {
    const known = this.#slots.get(region);
    if (known !== undefined) return known;
    const { chunk, place } = chunkOf(region, CHUNK_NAMES);
    if (this.#slotChunks[chunk] === undefined) {
      const at = this.#file.area((CHUNK_NAMES << chunk) * SLOT.bytes);
      if (at < 0) {
        // Then it is one more visit of the region that stands for all others.
        this.#put64(HEADER.otherVisits, ++this.#otherVisits);
        return this.#slot(0);
      }
      this.#slotChunks[chunk] = at;
      this.#put64(this.#entry + THREAD.slotChunks + 8 * chunk, at);
    }
    const bytes = new Uint8Array(SLOT.bytes);
    const view = new DataView(bytes.buffer);
    const at = this.#slotChunks[chunk] + place * SLOT.bytes;
    const slot = { at, bytes, view, visits: 0, ns: 0, tail: -1 };
    this.#slots.set(region, slot);
    return slot;
  }

  #put64(offset: number, value: number): void {
    put64(this.#view, 0, value);
    this.#file.write(offset, this.#eight);
  }

  #put32(offset: number, value: number): void {
    this.#view.setUint32(0, value, true);
    this.#file.write(offset, this.#four);
  }
}

/** A very long name keeps its begin and ends in a hash of the whole (FNV-1a, two ways): two stay two. */
function shortened(bytes: Uint8Array): Uint8Array {
  if (bytes.length <= NAME_BYTES_MAX) return bytes;
  let [one, other] = [0x811c9dc5, 0x9e3779b9];
  for (let i = 0; i < bytes.length; i++) {
    one = Math.imul(one ^ bytes[i], 0x01000193);
    other = Math.imul(other ^ bytes[i], 0x85ebca6b) + i | 0;
  }
  const hex = (word: number) => (word >>> 0).toString(16).padStart(8, "0");
  const short = bytes.slice(0, NAME_BYTES_MAX);
  short.set(encoder.encode(`#${hex(one)}${hex(other)}`), NAME_BYTES_MAX - 17);
  return short;
}

/** A whole number below 2^53 as u64. */
function put64(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % TWO_32, true);
  view.setUint32(at + 4, Math.floor(value / TWO_32), true);
}

/** Chunk k holds first · 2^k entries. */
function chunkOf(index: number, first: number): { chunk: number; place: number } {
  const chunk = 31 - Math.clz32(Math.floor(index / first) + 1);
  return { chunk, place: index - first * ((1 << chunk) - 1) };
}

/** The one CPU of a mask, CPU_UNKNOWN when there are more. */
function onlyCpu(mask: Uint8Array): number {
  let found: number = CPU_UNKNOWN;
  for (let cpu = 0; cpu < mask.length * 8; cpu++) {
    if (((mask[cpu >> 3] >> (cpu & 7)) & 1) === 0) continue;
    if (found !== CPU_UNKNOWN) return CPU_UNKNOWN;
    found = cpu;
  }
  return found;
}
