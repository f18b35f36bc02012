/**
 * Every interleaving of some processes over shared words, one state at a time.
 *
 * A process is a generator of operations. Its stores go to a buffer of its own and become visible at any
 * time in any order, as on aarch64: two to one word in their order, a release store after all that came
 * before it, at most three at a time. Loads happen in their order. What a process does next depends on what it has read so far, or
 * on the local state that it tells by `at`: two ways to the same state are one.
 *
 * @module
 */

/** What a process does next. */
export type Operation =
  | { readonly kind: "load"; readonly word: number }
  | { readonly kind: "store" | "release"; readonly word: number; readonly value: number }
  /** Goes on when the word has that value: a lock, never a part of the ring. */
  | { readonly kind: "await"; readonly word: number; readonly value: number }
  /** Its local state is this now, whatever it read before. */
  | { readonly kind: "at"; readonly local: string }
  /** Something that must not be, has been seen. */
  | { readonly kind: "wrong"; readonly what: string };

/** A process: gets the values that its loads read. */
export type Process = Generator<Operation, void, number>;

/** Makes a process anew; must do the same for the same values, and begin from any local state. */
export type Program = (local: string) => Process;

/** What was found. */
export interface Explored {
  readonly states: number;
  /** The first mistake, if there is one. */
  readonly wrong: string | undefined;
  /** The steps that lead to it: process, and what it does or what becomes visible. */
  readonly steps: readonly string[];
}

/** A point of a process: reached by a local state and the values read since. */
interface Point {
  readonly id: number;
  readonly local: string;
  readonly read: readonly number[];
  readonly operation: Operation | undefined;
  readonly next: Map<number, Point>;
}

/** Points of one process, made when they are reached. */
class Points {
  readonly #program: Program;
  readonly #starts = new Map<string, Point>();
  readonly #all: Point[] = [];

  constructor(program: Program) {
    this.#program = program;
  }

  at(id: number): Point {
    return this.#all[id];
  }

  start(local: string): Point {
    let point = this.#starts.get(local);
    if (point === undefined) this.#starts.set(local, point = this.#make(local, []));
    return point;
  }

  /** After its operation; loads have a value, others read 0. */
  after(point: Point, value: number): Point {
    let next = point.next.get(value);
    if (next === undefined) {
      next = point.operation?.kind === "at"
        ? this.start(point.operation.local)
        : this.#make(point.local, [...point.read, value]);
      point.next.set(value, next);
    }
    return next;
  }

  #make(local: string, read: readonly number[]): Point {
    const process = this.#program(local);
    let result = process.next();
    for (const value of read) result = process.next(value);
    const operation = result.done ? undefined : result.value;
    const point = { id: this.#all.length, local, read, operation, next: new Map() };
    this.#all.push(point);
    return point;
  }
}

/** Word, value, and whether all before it has to be visible: three numbers a store. */
type Buffer = readonly number[];

interface State {
  /** The state before it, and what happened. */
  readonly before?: State;
  readonly step?: string;
  readonly words: readonly number[];
  readonly points: readonly number[];
  readonly buffers: readonly Buffer[];
}

const STATES_MAX = 3_000_000;
/** Stores of a process that may wait at a time. */
const STORES_MAX = 3;

/**
 * Explores all states from the first one on.
 *
 * @param words Shared words at the beginning.
 * @param finish Looks at the words and the last local states when no process can go on: what is wrong.
 */
export function explore(
  words: readonly number[],
  programs: readonly Program[],
  finish: (locals: readonly string[], words: readonly number[]) => string | undefined,
): Explored {
  const processes = programs.map((program) => new Points(program));
  const first: State = {
    words,
    points: processes.map((points) => points.start("").id),
    buffers: processes.map(() => []),
  };
  const seen = new Set([keyOf(first)]);
  const stack = [first];
  while (stack.length > 0) {
    const state = stack.pop()!;
    const following = successors(state, processes);
    if (typeof following === "string") {
      return { states: seen.size, wrong: following, steps: stepsTo(state) };
    }
    if (following.length === 0) {
      const locals = state.points.map((id, p) => processes[p].at(id).local);
      const isOver = state.points.every((id, p) => processes[p].at(id).operation === undefined);
      const wrong = isOver ? finish(locals, state.words) : "a process waits for ever";
      if (wrong !== undefined) return { states: seen.size, wrong, steps: stepsTo(state) };
    }
    for (const next of following) {
      const key = keyOf(next);
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > STATES_MAX) throw new Error(`more than ${STATES_MAX} states`);
      stack.push(next);
    }
  }
  return { states: seen.size, wrong: undefined, steps: [] };
}

function stepsTo(state: State): string[] {
  const steps: string[] = [];
  for (let one: State | undefined = state; one?.step !== undefined; one = one.before) {
    steps.push(one.step);
  }
  return steps.reverse();
}

function keyOf({ words, points, buffers }: State): string {
  return `${words.join()};${points.join()};${buffers.map((buffer) => buffer.join()).join("|")}`;
}

/** States one step away, or what is wrong in this one. */
function successors(state: State, processes: readonly Points[]): State[] | string {
  const following: State[] = [];
  for (let p = 0; p < processes.length; p++) {
    const point = processes[p].at(state.points[p]);
    const operation = point.operation;
    if (operation?.kind === "wrong") return operation.what;
    const stepped = operation === undefined ? undefined : step(state, p, operation);
    if (stepped !== undefined) {
      const next = processes[p].after(point, stepped.value);
      const points = state.points.map((id, i) => i === p ? next.id : id);
      const words = operation!.kind === "at" ? operation!.local : JSON.stringify(operation);
      const only = {
        ...stepped.state,
        points,
        before: state,
        step: `${p}: ${words} ${stepped.value}`,
      };
      // Nobody else sees it, and nothing that others do changes it: no need to try it later as well.
      if (isPrivate(operation!)) return [only];
      following.push(only);
    }
    following.push(...becomeVisible(state, p));
  }
  return following;
}

/** A store is seen by others when it leaves the buffer. */
function isPrivate({ kind }: Operation): boolean {
  return kind === "store" || kind === "release" || kind === "at";
}

/** One operation of a process; `undefined`: it has to wait. */
function step(
  state: State,
  p: number,
  operation: Operation,
): { state: State; value: number } | undefined {
  switch (operation.kind) {
    case "load":
      return { state, value: valueFor(state, p, operation.word) };
    case "await": {
      const isThere = valueFor(state, p, operation.word) === operation.value;
      return isThere ? { state, value: 0 } : undefined;
    }
    case "store":
    case "release": {
      if (state.buffers[p].length === 3 * STORES_MAX) return undefined;
      const last = operation.kind === "release" ? 1 : 0;
      const buffers = state.buffers.map((buffer, i) => {
        return i === p ? [...buffer, operation.word, operation.value, last] : buffer;
      });
      return { state: { ...state, buffers }, value: 0 };
    }
    default:
      return { state, value: 0 };
  }
}

/** A process sees its own stores at once. */
function valueFor({ words, buffers }: State, p: number, word: number): number {
  const buffer = buffers[p];
  for (let i = buffer.length - 3; i >= 0; i -= 3) if (buffer[i] === word) return buffer[i + 1];
  return words[word];
}

/** Stores of a process that may become visible now. */
function becomeVisible(state: State, p: number): State[] {
  const buffer = state.buffers[p];
  const following: State[] = [];
  const earlier = new Set<number>();
  for (let i = 0; i < buffer.length; i += 3) {
    const mayPass = !earlier.has(buffer[i]) && (buffer[i + 2] === 0 || i === 0);
    earlier.add(buffer[i]);
    if (!mayPass) continue;
    const words = state.words.map((value, word) => word === buffer[i] ? buffer[i + 1] : value);
    const rest = [...buffer.slice(0, i), ...buffer.slice(i + 3)];
    const buffers = state.buffers.map((other, q) => q === p ? rest : other);
    const step = `${p}: word ${buffer[i]} becomes ${buffer[i + 1]}`;
    following.push({ words, points: state.points, buffers, before: state, step });
  }
  return following;
}
