/**
 * Visits folded by path, small: a thread begins and ends one visit, while the monitor looks where it is and
 * what its paths have. docs/reference/formats/ring.md, "Paths" and "Reading"; src/marks/rings/ring_paths.ts.
 *
 * @module
 */
import { explore, type Explored, type Operation } from "./explorer.ts";

/** Seeded mistakes; each must be found. */
export const PATH_MISTAKES = [
  "position before the visit",
  "position without release order",
  "time after the position",
] as const;
export type PathMistake = typeof PATH_MISTAKES[number];

type Steps = Generator<Operation, void, number>;

/** Words: the clock, the thread's position, time of the path outside and of the visit's, visits, its end. */
const W = { clock: 0, path: 1, since: 2, outside: 3, inside: 4, visits: 5, done: 6 } as const;
const WORDS = 7;
const TICKS = 3;

function* clock(): Steps {
  for (let now = 2; now <= TICKS; now++) yield { kind: "release", word: W.clock, value: now };
}

function* move(path: number, now: number, mistake: PathMistake | undefined): Steps {
  const isReleased = mistake !== "position without release order";
  yield { kind: "store", word: W.path, value: path };
  yield { kind: isReleased ? "release" : "store", word: W.since, value: now };
}

/** It has been outside since 1. No two of its looks at the clock, nor one of the monitor's, are the same. */
function* thread(local: string, mistake: PathMistake | undefined): Steps {
  if (local !== "") return;
  const begin = 3 * (yield { kind: "load", word: W.clock }) + 1;
  yield { kind: "store", word: W.outside, value: begin - 1 };
  yield* move(1, begin, mistake);
  const end = 3 * (yield { kind: "load", word: W.clock }) + 2;
  const time = { kind: "store", word: W.inside, value: end - begin } as const;
  if (mistake !== "time after the position") yield time;
  if (mistake === "position before the visit") yield* move(0, end, mistake);
  yield { kind: "release", word: W.visits, value: 1 };
  if (mistake !== "position before the visit") yield* move(0, end, mistake);
  if (mistake === "time after the position") yield time;
  yield { kind: "release", word: W.done, value: 1 };
  yield { kind: "at", local: JSON.stringify([begin, end]) };
}

interface Seen {
  /** Position and figures as they were read last. */
  since: number;
  outside: number;
  inside: number;
  visits: number;
  /** What was told in the end: times, and when. */
  told: readonly [outside: number, inside: number];
  now: number;
  last: boolean;
}

function* look(s: Seen): Steps {
  s.now = 3 * (yield { kind: "load", word: W.clock }) + 3;
  let path = yield { kind: "load", word: W.path };
  let since = yield { kind: "load", word: W.since };
  let isOpen = true;
  if (since !== s.since) {
    s.since = since;
    s.visits = yield { kind: "load", word: W.visits };
    s.outside = yield { kind: "load", word: W.outside };
    s.inside = yield { kind: "load", word: W.inside };
    path = yield { kind: "load", word: W.path };
    since = yield { kind: "load", word: W.since };
    isOpen = since === s.since;
  }
  const openTicks = isOpen && s.now > since ? s.now - since : 0;
  s.told = path === 0 ? [s.outside + openTicks, s.inside] : [s.outside, s.inside + openTicks];
}

function* monitor(local: string): Steps {
  const s: Seen = local !== "" ? JSON.parse(local) : {
    since: 0,
    outside: 0,
    inside: 0,
    visits: 0,
    told: [0, 0],
    now: 0,
    last: false,
  };
  if (s.last) return;
  const done = yield { kind: "load", word: W.done };
  yield* look(s);
  if (s.told[0] + s.told[1] > 6 * TICKS + 6) yield { kind: "wrong", what: "time from nowhere" };
  yield { kind: "at", local: JSON.stringify({ ...s, last: done > 0 }) };
}

/** Explores it: after the last look all is told, and nothing twice. */
export function explorePaths(mistake?: PathMistake): Explored {
  const words = Array.from({ length: WORDS }, () => 0);
  [words[W.clock], words[W.since]] = [1, 1];
  return explore(words, [
    clock,
    (local) => thread(local, mistake),
    monitor,
  ], ([, times, local]) => {
    const [begin, end] = JSON.parse(times) as [number, number];
    const { told, visits, now } = JSON.parse(local) as Seen;
    if (visits !== 1) return "the visit is not told";
    if (told[1] !== end - begin) return "the visit's time is wrong";
    const outside = begin - 1 + Math.max(0, now - end);
    return told[0] === outside ? undefined : "the time outside is wrong";
  });
}
