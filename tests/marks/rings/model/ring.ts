/**
 * The ring protocol, small: a thread marks and ends, another one takes its entry over, and the monitor
 * drains and reads what was folded. docs/reference/formats/ring.md, "Writing", "Folding", "Threads", "Reading".
 *
 * Left out against src/marks/client/joulemark.h.in and src/marks/rings/ring_process.ts: clock pairs (so the ring
 * keeps no room for them), nested visits, names. A visit's length is a power of two of its own, so that a
 * sum tells which visits are in it.
 *
 * @module
 */
import { explore, type Explored, type Operation } from "./explorer.ts";

/** Seeded mistakes; each must be found. */
export const RING_MISTAKES = [
  "head before the record",
  "head without release order",
  "no look at the tail",
  "no room kept for the exit",
  "tail before the copy",
  "visits before their time",
  "folds not counted",
  "heir begins at 0",
  "heir does not announce itself",
  "takeover told before the heir's entry",
  "heir's entry not looked at",
  "end believed at once",
] as const;
export type RingMistake = typeof RING_MISTAKES[number];

type Steps<T = void> = Generator<Operation, T, number>;

const RECORDS = 3;
/** Words of the header, the entry, the slot and the client; two words a record behind them. */
const W = {
  takeovers: 0,
  head: 1,
  tid: 2,
  state: 3,
  folds: 4,
  tail: 5,
  visits: 6,
  ns: 7,
  ended: 8,
  done: 9,
  ring: 10,
} as const;
const KIND = { enter: 1, exit: 2, end: 3, begin: 4 } as const;
const LIVE = 1, ENDED = 2;

/** What is explored. */
export interface RingScene {
  /** The monitor copies, and never makes room: nothing is lost then either. @default false */
  readonly neverFrees?: boolean;
  /** Visits of the first thread, and of its heir. */
  readonly visits: readonly [number, number];
  /** Their numbers; the kernel may give one out again. */
  readonly tids: readonly [number, number];
}

/** A thread of the client. */
interface Thread {
  head: number;
  tail: number;
  reserved: number;
  announce: boolean;
  readonly tid: number;
  readonly mistake: RingMistake | undefined;
}

function* put(t: Thread, kind: number, value: number): Steps {
  const at = W.ring + 2 * (t.head % RECORDS);
  t.head++;
  const isReleased = t.mistake !== "head without release order";
  const publish = { kind: isReleased ? "release" : "store", word: W.head, value: t.head } as const;
  if (t.mistake === "head before the record") yield publish;
  yield { kind: "store", word: at, value: t.head };
  yield { kind: "store", word: at + 1, value: (kind * 100 + value) * 100 + t.head };
  if (t.mistake !== "head before the record") yield publish;
}

function* hasRoom(t: Thread, records: number): Steps<boolean> {
  if (t.head - t.tail + records + t.reserved <= RECORDS) return true;
  t.tail = yield { kind: "load", word: W.tail };
  if (t.mistake === "no look at the tail") t.tail = t.head;
  if (!t.announce) return t.head - t.tail + records + t.reserved <= RECORDS;
  if (t.head - t.tail + records + 1 > RECORDS) return false;
  [t.announce, t.reserved] = [false, 0];
  yield* put(t, KIND.begin, t.tid);
  return true;
}

function* fold(t: Thread, visit: number): Steps {
  const ns = yield { kind: "load", word: W.ns };
  const visits = yield { kind: "load", word: W.visits };
  const folds = yield { kind: "load", word: W.folds };
  const time = { kind: "store", word: W.ns, value: ns + 2 ** visit } as const;
  if (t.mistake !== "visits before their time") yield time;
  yield { kind: "release", word: W.visits, value: visits + 1 };
  if (t.mistake === "visits before their time") yield time;
  if (t.mistake !== "folds not counted") {
    yield { kind: "release", word: W.folds, value: folds + 1 };
  }
}

function* mark(t: Thread, first: number, count: number): Steps {
  for (let visit = first; visit < first + count; visit++) {
    const records = t.mistake === "no room kept for the exit" ? 1 : 2;
    const isTold = yield* hasRoom(t, records);
    if (!isTold) {
      yield* fold(t, visit);
      continue;
    }
    t.reserved = 1;
    yield* put(t, KIND.enter, visit);
    t.reserved = 0;
    // Where its room was kept it needs no other look.
    if (records === 2 || (yield* hasRoom(t, 1))) yield* put(t, KIND.exit, visit);
    else yield* fold(t, visit);
  }
}

function* end(t: Thread, word: number): Steps {
  if (!t.announce && (yield* hasRoom(t, 2))) yield* put(t, KIND.end, t.tid);
  yield { kind: "release", word: W.state, value: ENDED };
  // The lock of the list of ended threads: its heir goes on with its head.
  yield { kind: "release", word, value: t.head + 1 };
}

function* firstThread({ visits, tids }: RingScene, mistake: RingMistake | undefined): Steps {
  const t = { head: 0, tail: 0, reserved: 0, announce: false, tid: tids[0], mistake };
  yield* mark(t, 0, visits[0]);
  yield* end(t, W.ended);
}

function* heir({ visits, tids }: RingScene, head: number, mistake?: RingMistake): Steps {
  const takeover = { kind: "release", word: W.takeovers, value: 1 } as const;
  const tail = yield { kind: "load", word: W.tail };
  const announce = mistake !== "heir does not announce itself";
  const t = {
    head: mistake === "heir begins at 0" ? 0 : head,
    tail,
    tid: tids[1],
    mistake,
    reserved: announce ? RECORDS : 0,
    announce,
  };
  if (mistake === "takeover told before the heir's entry") yield takeover;
  yield { kind: "store", word: W.tid, value: t.tid };
  yield { kind: "store", word: W.state, value: LIVE };
  if (mistake !== "takeover told before the heir's entry") yield takeover;
  yield* mark(t, visits[0], visits[1]);
  yield* end(t, W.done);
}

/** The heir waits for an entry whose owner has ended; how far its ring was, the owner's state says. */
function* heirOf(scene: RingScene, mistake: RingMistake | undefined): Steps {
  // What a lock would give: any value but 0.
  const ended = yield { kind: "load", word: W.ended };
  if (ended === 0) yield { kind: "at", local: "" };
  yield* heir(scene, ended - 1, mistake);
}

/** What the monitor knows. */
interface Seen {
  takeovers: number;
  head: number;
  folds: number;
  /** Visits of the slot, and their time; visits of the ring, one bit each. */
  visits: number;
  ns: number;
  told: number;
  /** The visit that has begun, −1: none. */
  open: number;
  /** The thread whose records these are. */
  tid: number;
  ended: boolean;
  /** So many looks in a row its entry said so, at most 2: what one look reads is of several moments. */
  over: number;
  /** The application has ended: this is the last look. */
  last: boolean;
}

const NOTHING_SEEN: Seen = {
  takeovers: 0,
  head: 0,
  folds: 0,
  visits: 0,
  ns: 0,
  told: 0,
  open: -1,
  tid: 0,
  ended: false,
  over: 0,
  last: false,
};

function* take(s: Seen, scene: RingScene, b: number): Steps {
  const kind = Math.floor(b / 10000), value = Math.floor(b / 100) % 100;
  if (kind === KIND.enter) {
    const owner = scene.tids[value < scene.visits[0] ? 0 : 1];
    if (s.open >= 0) yield { kind: "wrong", what: "a visit begins in another one" };
    if (owner !== s.tid) yield { kind: "wrong", what: "a visit of another thread" };
    s.open = value;
  } else if (kind === KIND.exit) {
    if (s.open !== value) yield { kind: "wrong", what: "a visit ends that did not begin" };
    if (s.told & 1 << value) yield { kind: "wrong", what: "a visit is told twice" };
    s.told |= 1 << value;
    s.open = -1;
  } else if (kind === KIND.end) s.ended = true;
  else if (kind === KIND.begin) [s.tid, s.ended] = [value, false];
}

function* drain(s: Seen, scene: RingScene, head: number, mistake?: RingMistake): Steps {
  const tail = { kind: "store", word: W.tail, value: head } as const;
  if (head < s.head || head - s.head > RECORDS) {
    yield { kind: "wrong", what: "head passed the tail" };
  }
  if (mistake === "tail before the copy") yield tail;
  const copied: number[] = [];
  for (let i = s.head; i < head; i++) {
    const a = yield { kind: "load", word: W.ring + 2 * (i % RECORDS) };
    const b = yield { kind: "load", word: W.ring + 2 * (i % RECORDS) + 1 };
    if (a !== i + 1 || b % 100 !== i + 1) {
      yield { kind: "wrong", what: "not the record of its place" };
    }
    copied.push(b);
  }
  s.head = head;
  if (mistake !== "tail before the copy" && scene.neverFrees !== true) yield tail;
  for (const b of copied) yield* take(s, scene, b);
}

function* look(s: Seen, scene: RingScene, mistake: RingMistake | undefined): Steps {
  const takeovers = yield { kind: "load", word: W.takeovers };
  const isNew = takeovers !== s.takeovers;
  s.takeovers = takeovers;
  if (isNew) s.over = 0;
  const isLooked = mistake !== "heir's entry not looked at";
  if (s.ended && (s.over === 2 || !isLooked) && !isNew) return;
  const head = yield { kind: "load", word: W.head };
  const tid = yield { kind: "load", word: W.tid };
  const state = yield { kind: "load", word: W.state };
  const folds = yield { kind: "load", word: W.folds };
  if (s.ended && tid !== s.tid) s.ended = false;
  s.over = state !== ENDED ? 0 : mistake === "end believed at once" ? 2 : Math.min(2, s.over + 1);
  if (head !== s.head) yield* drain(s, scene, head, mistake);
  if (folds === s.folds) return;
  s.folds = folds;
  const visits = yield { kind: "load", word: W.visits };
  const ns = yield { kind: "load", word: W.ns };
  if (visits <= s.visits) return;
  [s.visits, s.ns] = [visits, ns];
}

function* monitor(scene: RingScene, local: string, mistake: RingMistake | undefined): Steps {
  const s: Seen = local === ""
    ? { ...NOTHING_SEEN, tid: scene.tids[0] }
    : { ...NOTHING_SEEN, ...JSON.parse(local) };
  if (s.last) return;
  const done = yield { kind: "load", word: W.done };
  yield* look(s, scene, mistake);
  yield { kind: "at", local: JSON.stringify({ ...s, last: done > 0 }) };
}

/** Explores a scene. */
export function exploreRing(scene: RingScene, mistake?: RingMistake): Explored {
  const words = Array.from({ length: W.ring + 2 * RECORDS }, () => 0);
  [words[W.tid], words[W.state]] = [scene.tids[0], LIVE];
  const all = 2 ** (scene.visits[0] + scene.visits[1]) - 1;
  return explore(words, [
    () => firstThread(scene, mistake),
    () => heirOf(scene, mistake),
    (local) => monitor(scene, local, mistake),
  ], ([, , local]) => {
    const { told, ns, visits, open } = JSON.parse(local) as Seen;
    if (open >= 0) return "a visit is half told";
    if ((told & ns) !== 0) return "a visit is told and folded";
    if ((told | ns) !== all) return "a visit is lost";
    const folded = [...ns.toString(2)].filter((bit) => bit === "1").length;
    return folded === visits ? undefined : "visits and their time differ";
  });
}
