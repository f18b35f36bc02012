/**
 * The guided fuzzer: `deno task fuzz PARSER SECONDS`, or `all SECONDS` for each one in turn. Seconds of CPU
 * time: it may run beside other work.
 *
 * The parsers are bundled and instrumented by istanbul (from npm, at fuzzing time only); an input that
 * reaches a branch or statement in a new order of magnitude is kept and changed further. What is kept in the
 * end, of short inputs, covers what they reached: tests/fuzz/corpus/PARSER.kept, which
 * tests/fuzz/corpus_test.ts reads each time. An input whose error is not meant for people is made small and
 * written to PARSER.found.
 */
import { cpuUsage } from "node:process";
import { Random } from "../random.ts";
import { readCorpus, writeCorpus } from "./corpus.ts";
import { mutated } from "./mutate.ts";
import type { Fuzzed } from "./parsers.ts";

const HERE = new URL(".", import.meta.url);
const TESTS = new URL("../../", HERE);
const INSTRUMENTER = "npm:istanbul-lib-instrument@6.0.3";
/** Inputs larger than that are slow to change and hard to read. */
const BYTES_MAX = 8192;
const KEPT_MAX = 40;
/** Of an input that is kept. */
const KEPT_BYTES = 2048;
const SLOW_MS = 1000;
const SLOW = "takes longer than a second";
/** CPU time of this process, ms: what a busy machine gives others counts neither as fuzzed nor as slow. */
const cpuMs = () => {
  const { user, system } = cpuUsage();
  return (user + system) / 1000;
};
/** Counters of the instrumented code; as many as it has. */
const COUNTERS = "__fuzzCounters";

interface Instrumented {
  readonly FUZZED: readonly Fuzzed[];
  isMeant(error: unknown): boolean;
}

interface Kept {
  readonly bytes: Uint8Array;
  /** Counters and their orders of magnitude that it reached. */
  readonly reached: readonly number[];
}

/** The bundle, its counters in one array: as istanbul writes them they are objects, and slow to look at. */
async function instrument(): Promise<{ program: Instrumented; counters: Uint8Array }> {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-fuzz-" });
  const bundled = `${dir}/bundled.js`;
  const { code, stderr } = new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "bundle",
        "--quiet",
        "--no-lock",
        "--config",
        new URL("../airgap/deno.json", TESTS).pathname,
      ],
      ...["--output", bundled, new URL("parsers.ts", HERE).pathname],
    ],
  }).outputSync();
  if (code !== 0) throw new Error(`Cannot bundle: ${new TextDecoder().decode(stderr)}`);
  const { createInstrumenter } = await import(INSTRUMENTER);
  const instrumenter = createInstrumenter({ esModules: true, compact: false });
  const text: string = instrumenter.instrumentSync(Deno.readTextFileSync(bundled), bundled);
  const places = new Map<string, number>();
  const counted = text.replace(
    /cov_\w+\(\)\.([sfb])\[(\d+)\](?:\[(\d+)\])?\+\+/g,
    (_all, kind: string, n: string, branch = "") => {
      const key = `${kind}${n}/${branch}`;
      if (!places.has(key)) places.set(key, places.size);
      return `${COUNTERS}[${places.get(key)}]++`;
    },
  );
  const counters = new Uint8Array(places.size);
  (globalThis as Record<string, unknown>)[COUNTERS] = counters;
  const path = `${dir}/counted.js`;
  Deno.writeTextFileSync(path, counted);
  return { program: await import(`file://${path}`), counters };
}

/** 1, 2, 3, 4–7, 8–15, 16–31, 32–127 and more: as AFL has them. */
const ORDER = Uint8Array.from({ length: 256 }, (_, n) => {
  return n < 4 ? n : n < 8 ? 4 : n < 16 ? 5 : n < 32 ? 6 : n < 128 ? 7 : 8;
});

class Fuzzer {
  readonly #parser: Fuzzed;
  readonly #counters: Uint8Array;
  readonly #isMeant: (error: unknown) => boolean;
  /** Orders of magnitude reached, a bit each. */
  readonly #reached: Uint16Array;
  readonly #queue: Kept[] = [];
  readonly found = new Map<string, Uint8Array>();
  runs = 0;

  constructor(parser: Fuzzed, program: Instrumented, counters: Uint8Array) {
    [this.#parser, this.#counters, this.#isMeant] = [parser, counters, program.isMeant];
    this.#reached = new Uint16Array(counters.length);
  }

  get reached(): number {
    return this.#reached.reduce((sum, bits) => sum + (bits === 0 ? 0 : 1), 0);
  }

  get kept(): number {
    return this.#queue.length;
  }

  /** What went wrong with an input. Code is compiled at first: what is slow is slow a second time. */
  #mistake(bytes: Uint8Array): string | undefined {
    const found = this.#tried(bytes);
    return found === SLOW ? this.#tried(bytes) : found;
  }

  #tried(bytes: Uint8Array): string | undefined {
    this.#counters.fill(0);
    this.runs++;
    const start = cpuMs();
    try {
      this.#parser.read(bytes);
    } catch (error) {
      if (!this.#isMeant(error)) {
        const { name, stack = "" } = error as Error;
        const place = /^ +at .*$/m.exec(stack)?.[0].trim() ?? String(error);
        return `${name} ${place.replace(/file:\S*\/|\/\S*\//, "")}`;
      }
    }
    const tookMs = cpuMs() - start;
    return tookMs > SLOW_MS ? SLOW : undefined;
  }

  /** Tries an input, and keeps it where it reached something new. */
  try(bytes: Uint8Array): void {
    const mistake = this.#mistake(bytes);
    if (mistake !== undefined) {
      if (!this.found.has(mistake)) this.found.set(mistake, this.#small(bytes, mistake));
      return;
    }
    let isNew = false;
    for (let i = 0; i < this.#counters.length; i++) {
      const bit = this.#counters[i] === 0 ? 0 : 1 << ORDER[this.#counters[i]];
      if ((this.#reached[i] & bit) !== bit) {
        this.#reached[i] |= bit;
        isNew = true;
      }
    }
    if (!isNew) return;
    const reached: number[] = [];
    this.#counters.forEach((count, i) => count > 0 && reached.push(i * 16 + ORDER[count]));
    this.#queue.push({ bytes, reached });
  }

  /** Inputs that reach something new are changed the most. */
  turn(random: Random): void {
    const late = random.once(2) ? this.#queue.length >> 1 : 0;
    const at = late + random.below(this.#queue.length - late);
    const other = this.#queue[random.below(this.#queue.length)].bytes;
    this.try(mutated(random, this.#queue[at].bytes, other).subarray(0, BYTES_MAX));
  }

  /** Stretches are left out as long as the same goes wrong. */
  #small(bytes: Uint8Array, mistake: string): Uint8Array {
    for (let length = bytes.length >> 1; length >= 1; length >>= 1) {
      for (let at = 0; at + length <= bytes.length;) {
        const less = new Uint8Array([...bytes.subarray(0, at), ...bytes.subarray(at + length)]);
        if (this.#mistake(less) === mistake) bytes = less;
        else at += length;
      }
    }
    return bytes;
  }

  /** A few short inputs that together reach most of what was reached: each time the one that adds most. */
  cover(): Uint8Array[] {
    const left = new Set(this.#queue.flatMap(({ reached }) => reached));
    const cover: Uint8Array[] = [];
    const short = this.#queue.filter(({ bytes }) => bytes.length <= KEPT_BYTES);
    while (cover.length < KEPT_MAX) {
      let best: Kept | undefined, most = 0;
      for (const one of short) {
        const adds = one.reached.reduce((sum, place) => sum + (left.has(place) ? 1 : 0), 0);
        if (adds > most) [best, most] = [one, adds];
      }
      if (best === undefined) break;
      for (const place of best.reached) left.delete(place);
      cover.push(best.bytes);
    }
    return cover;
  }
}

function* filesBelow(at: URL, names: RegExp): Generator<Uint8Array> {
  let entries: Deno.DirEntry[] = [];
  try {
    entries = [...Deno.readDirSync(at)];
  } catch {
    // no such folder yet
  }
  for (const { name, isDirectory } of entries) {
    const url = new URL(name + (isDirectory ? "/" : ""), at);
    if (isDirectory) yield* filesBelow(url, names);
    else if (names.test(name) && Deno.statSync(url).size < 4 * BYTES_MAX) {
      yield Deno.readFileSync(url);
    }
  }
}

/** Fuzzes one parser. @returns How many inputs went wrong in a new way. */
function fuzz(
  parser: Fuzzed,
  { program, counters }: Awaited<ReturnType<typeof instrument>>,
  { seconds, seed }: { seconds: number; seed: number },
): number {
  const fuzzer = new Fuzzer(parser, program, counters);
  fuzzer.try(new Uint8Array(0));
  for (const text of parser.texts) {
    fuzzer.try(typeof text === "string" ? new TextEncoder().encode(text) : text);
  }
  if (parser.seeds !== undefined) {
    for (const bytes of filesBelow(new URL(parser.seeds[0], TESTS), parser.seeds[1])) {
      fuzzer.try(bytes.subarray(0, BYTES_MAX));
    }
  }
  for (const bytes of readCorpus(parser.name)) fuzzer.try(bytes);
  const [before, end] = [fuzzer.reached, cpuMs() + seconds * 1000];
  for (let n = 0; cpuMs() < end; n++) fuzzer.turn(new Random(seed, n));
  console.log(
    `${parser.name}: ${seconds} s of CPU time, ${fuzzer.runs} inputs, ${before} places reached at first, ` +
      `${fuzzer.reached} in the end, ${fuzzer.kept} kept, ${fuzzer.found.size} found (seed ${seed})`,
  );
  writeCorpus(parser.name, fuzzer.cover());
  if (fuzzer.found.size > 0) {
    for (const mistake of fuzzer.found.keys()) console.log(`  ${mistake}`);
    const before = readCorpus(parser.name, "found");
    writeCorpus(parser.name, [...before, ...fuzzer.found.values()], "found");
  }
  return fuzzer.found.size;
}

const [name = "all", seconds = "60", seed = String(Date.now() % 1_000_000)] = Deno.args;
const instrumented = await instrument();
const chosen = instrumented.program.FUZZED.filter((one) => name === "all" || one.name === name);
if (chosen.length === 0) {
  const names = instrumented.program.FUZZED.map((one) => one.name).join(", ");
  console.error(`fuzz: expected all, or one of ${names}, found ${name}`);
  Deno.exit(2);
}
let found = 0;
for (const parser of chosen) {
  found += fuzz(parser, instrumented, { seconds: Number(seconds), seed: Number(seed) });
}
Deno.exit(found > 0 ? 1 : 0);
