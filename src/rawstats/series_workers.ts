/**
 * Every sample of large files, written by several processes in turns.
 *
 * Differences, jobs and units go from record to record, so each process reads all of the files, which
 * is a third of the work, and writes its turns of the output. The first one has the messages.
 * @module
 */
import { AccessError } from "../core/errors.ts";
import { affinityOf } from "../os/host.ts";
import { MemoryFile } from "../os/memory/memory_file.ts";
import { endWithParent, sendSignal, starterOf, waitFor } from "../os/process.ts";
import { closeEnds, openRing, type RingEnds, RingPlace, TurnLost } from "../os/turn_ring.ts";
import { withEnds } from "../os/turn_ring.ts";
import { type SeriesRequest, type SeriesWriting, writeSeries } from "./print/print_series.ts";
import { GRAIN, type Grain, Shares, weight } from "./shares.ts";
import { Turns, WaitingSink } from "./turns.ts";

/** Less is written before another process has started. */
const MIN_BYTES = 64 << 20;
/** Each reads all: more of them take CPU time that others could use. */
const MAX_WRITERS = 4;
const SIGTERM = 15;
/** Status of a process that ended since another one had. */
const LOST = 3;

/** How the writing is done. */
export interface SeriesWorkersOptions extends Pick<SeriesWriting, "error" | "check"> {
  /** @default one a CPU, at most 4, where there is enough to read */
  readonly processes: number | undefined;
  /** Starts this program as helper, with a number to follow. */
  readonly helper: readonly string[];
  /** Takes the output. */
  write(bytes: Uint8Array): void;
  /** How many processes write. */
  note(line: string): void;
  /** A helper could not be started. */
  warn(line: string): void;
  /** @default as pays */
  readonly grain?: Grain;
}

/** What a helper is to do. */
interface Order {
  readonly request: SeriesRequest;
  readonly index: number;
  readonly count: number;
  readonly ends: RingEnds;
  readonly grain: Grain;
}

interface Helpers {
  readonly pids: readonly number[];
  readonly ends: RingEnds;
}

/** Writes all samples; the number of devices without series. */
export async function writeSeriesByAll(
  request: SeriesRequest,
  options: SeriesWorkersOptions,
): Promise<number> {
  const { error, check, write, grain = GRAIN } = options;
  const wanted = options.processes ?? worthwhile(request);
  const helpers = wanted < 2 ? undefined : await start(request, wanted, options);
  const count = helpers === undefined ? 1 : wanted;
  const shares = new Shares(0, count, request.files, grain);
  if (helpers === undefined) {
    return await writeSeries(request, { turns: Turns.alone(write), shares, error, check });
  }
  options.note(`written by ${count} processes`);
  const { pids, ends } = helpers;
  const sink = new WaitingSink(write, new RingPlace(ends), true);
  const turns = new Turns(0, count, sink, grain.values);
  let failure: unknown;
  let leftOut = 0;
  try {
    leftOut = await writeSeries(request, { turns, shares, error, check });
  } catch (error) {
    failure = error;
  }
  closeEnds(ends);
  // what was asked for is wrong: nothing that they write would be wanted
  const isOver = failure !== undefined && !(failure instanceof TurnLost);
  if (isOver) { for (const pid of pids) sendSignal(pid, SIGTERM); }
  const codes = pids.map((pid) => waitFor(pid).code);
  if (isOver) throw failure;
  const bad = codes.find((code) => code !== 0 && code !== LOST);
  if (bad !== undefined) throw ended(bad);
  // whoever reads the output has closed it, and a helper saw it first
  if (failure !== undefined || codes.includes(LOST)) throw new Deno.errors.BrokenPipe();
  return leftOut;
}

function ended(code: number): AccessError {
  return new AccessError({
    action: "write the output",
    expected: "every process to write its part",
    found: `one that ended with status ${code}: the output is cut`,
    remedy: "give --processes 1",
  });
}

function worthwhile({ files }: SeriesRequest): number {
  const bytes = files.reduce((sum, file) => sum + weight(file), 0);
  return bytes < MIN_BYTES ? 1 : Math.min(affinityOf(0).length, MAX_WRITERS);
}

/** Starts all but the first one, or none. */
async function start(
  request: SeriesRequest,
  count: number,
  { helper, warn, grain = GRAIN }: SeriesWorkersOptions,
): Promise<Helpers | undefined> {
  const { serialize } = await import("node:v8");
  const startOne = starterOf(helper);
  const ring = startOne && openRing(count);
  if (startOne === undefined || ring === undefined) return undefined;
  const pids: number[] = [];
  try {
    for (let index = 1; index < count; index++) {
      const ends = ring[index];
      using order = MemoryFile.create("joulemark-order");
      if (order === undefined) break;
      order.append(serialize({ request, index, count, ends, grain } satisfies Order));
      pids.push(withEnds(ends, () => startOne(order.fd)));
    }
  } catch (error) {
    // No more processes for this user: this one does it all.
    warn(error instanceof Error ? error.message : String(error));
  }
  ring.slice(1).forEach(closeEnds);
  if (pids.length === count - 1) return { pids, ends: ring[0] };
  for (const pid of pids) {
    sendSignal(pid, SIGTERM);
    waitFor(pid);
  }
  closeEnds(ring[0]);
  return undefined;
}

/**
 * A helper process.
 *
 * @param args Number of the descriptor of its order.
 * @param write Takes the output.
 * @returns Exit status.
 */
export async function seriesHelper(
  args: readonly string[],
  write: (bytes: Uint8Array) => void,
): Promise<number> {
  endWithParent();
  const { deserialize } = await import("node:v8");
  using file = MemoryFile.inherited(Number(args[0]));
  const { request, index, count, ends, grain }: Order = deserialize(file.readAll());
  const sink = new WaitingSink(write, new RingPlace(ends), false);
  const turns = new Turns(index, count, sink, grain.values);
  const shares = new Shares(index, count, request.files, grain);
  try {
    await writeSeries(request, { turns, shares, error() {}, check() {} });
  } catch (error) {
    if (error instanceof TurnLost) return LOST;
    throw error;
  }
  return 0;
}
