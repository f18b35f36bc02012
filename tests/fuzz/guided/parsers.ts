/**
 * What reads others' bytes, for the guided fuzzer and its kept corpus: each gives a result, or an error
 * that is meant for people.
 *
 * @module
 */
import { parse as parseYaml } from "@std/yaml/parse";
import { parseConfig } from "../../../src/core/config_text.ts";
import { isHumanError } from "../../../src/core/errors.ts";
import { KIND } from "../../../src/core/events/event_kinds.ts";
import {
  FLAG,
  HEADER,
  NAME,
  PATH,
  RECORD_BYTES,
  RING_MAGIC,
  RING_VERSION,
  SLOT,
  THREAD,
} from "../../../src/core/events/ring_layout.ts";
import type { RingMemory } from "../../../src/core/events/ring_memory.ts";
import { parseTable, servedBy } from "../../../src/core/machine/served_values.ts";
import { ConfigError } from "../../../src/caliper/model/config/config_error.ts";
import { parseConfigString } from "../../../src/caliper/model/config/config_string.ts";
import { RingProcess } from "../../../src/marks/rings/ring_process.ts";
import { parseEventLog } from "../../_support/event_log.ts";
import { parsePmc } from "../../../src/formats/pmc/pmc.ts";
import { parseRawStats } from "../../../src/rawstats/format/rawstats.ts";
import { describeRecording } from "../../../src/formats/recording.ts";
import { parseReport } from "../../../src/formats/report.ts";
import { parseTrace } from "../../../src/formats/trace/trace.ts";
import { readCali } from "../../../src/caliper/query/library.ts";
import { QueryError } from "../../../src/caliper/query/query_error.ts";
import { parseQuery } from "../../../src/caliper/query/parser.ts";

/** One parser, and where sound inputs for it are. */
export interface Fuzzed {
  readonly name: string;
  /** Folder below tests/, and which of its files. */
  readonly seeds: readonly [folder: string, names: RegExp] | undefined;
  /** Sound inputs beside those. */
  readonly texts: readonly (string | Uint8Array)[];
  /** @throws {Error} Of any kind, which {@linkcode isMeant} judges. */
  read(bytes: Uint8Array): void;
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** A small ring file: a name, a thread that marks and folds, a path. */
function soundRing(): Uint8Array {
  const at = { names: 1600, threads: 1700, ring: 2300, slots: 2600, paths: 2800, text: 3000 };
  const bytes = new Uint8Array(3100);
  const view = new DataView(bytes.buffer);
  const long = (place: number, value: number) => view.setBigUint64(place, BigInt(value), true);
  bytes.set(new TextEncoder().encode(RING_MAGIC));
  bytes[7] = RING_VERSION;
  view.setUint32(HEADER.names, 2, true);
  view.setUint32(HEADER.threads, 1, true);
  long(HEADER.nameChunks, at.names);
  long(HEADER.threadChunks, at.threads);
  long(at.names, at.text);
  view.setUint32(at.names + NAME.length, 4, true);
  long(at.names + NAME.bytes, at.text + 4);
  view.setUint32(at.names + NAME.bytes + NAME.length, 5, true);
  bytes.set(new TextEncoder().encode("restsolve"), at.text);
  long(at.threads + THREAD.head, 8);
  long(at.threads + THREAD.ringOffset, at.ring);
  view.setUint32(at.threads + THREAD.ringRecords, 16, true);
  view.setUint32(at.threads + THREAD.folds, 1, true);
  long(at.threads + THREAD.slotChunks, at.slots);
  view.setUint32(at.threads + THREAD.paths, 2, true);
  long(at.threads + THREAD.pathChunks, at.paths);
  for (let i = 0; i < 8; i++) {
    const record = at.ring + i * RECORD_BYTES;
    long(record, 2000 + i);
    bytes.set([i % 2 === 0 ? KIND.enter : KIND.exit, FLAG.nanoseconds], record + 8);
    view.setUint32(record + 12, 1, true);
  }
  long(at.slots + SLOT.bytes + SLOT.visits, 3);
  long(at.slots + SLOT.bytes + SLOT.ns, 500);
  long(at.paths + PATH.bytes, 4);
  return bytes;
}

/** A ring file and no more than a few looks at it. */
function readRing(bytes: Uint8Array): void {
  const memory: RingMemory = {
    read(offset, into) {
      if (!(offset >= 0) || offset >= bytes.length) return 0;
      const part = bytes.subarray(offset, offset + into.length);
      into.set(part);
      return part.length;
    },
    write() {},
    [Symbol.dispose]() {},
  };
  const process = RingProcess.open(memory, 0n);
  if (!(process instanceof RingProcess)) return;
  for (let look = 0; look < 2; look++) {
    process.poll();
    process.takeFolds();
    process.takeFoldedEpochs();
    for (const thread of process.threads) {
      for (let n = 0; thread.nextNs !== Infinity && n < 10_000; n++) thread.advance();
      thread.paths?.read(1e9, () => {});
    }
  }
}

/** What the YAML parser refuses is refused where a recording is opened. */
function readRecording(bytes: Uint8Array): void {
  let data: unknown;
  try {
    data = parseYaml(text(bytes));
  } catch {
    return;
  }
  describeRecording(data, "recording.yaml");
}

/** All of them. */
export const FUZZED: readonly Fuzzed[] = [
  {
    name: "report",
    seeds: ["golden/", /\.report$/],
    texts: [],
    read: (bytes) => void parseReport(text(bytes)),
  },
  {
    name: "trace",
    seeds: ["golden/", /trace/],
    texts: [],
    read: (bytes) => void parseTrace(text(bytes)),
  },
  {
    name: "event-log",
    seeds: ["golden/", /event|log/],
    texts: [],
    read: (bytes) => void parseEventLog(text(bytes)),
  },
  {
    name: "recording",
    seeds: ["golden/", /recording\.yaml$/],
    texts: ["format: 1\nhost: a\n"],
    read: (bytes) => readRecording(bytes),
  },
  {
    name: "rawstats",
    seeds: ["vectors/rawstats/", /\.raw$/],
    texts: [],
    read: (bytes) => void parseRawStats(bytes),
  },
  {
    name: "pmc",
    seeds: ["vectors/pmc/", /\.pmc$/],
    texts: [],
    read: (bytes) => void parsePmc(bytes),
  },
  {
    name: "cali",
    seeds: ["vectors/caliper/", /\.cali$/],
    texts: [],
    read: (bytes) => void readCali(bytes),
  },
  {
    name: "calql",
    seeds: undefined,
    texts: [
      "SELECT function,sum(time.duration) AS T UNIT s WHERE not a=1,b>2 GROUP BY f ORDER BY T DESC FORMAT table",
      "AGGREGATE percent_total(x),histogram(y,10,0,5) LET z=ratio(a,b,1e3) FORMAT json(object,pretty)",
    ],
    read: (bytes) => void parseQuery(text(bytes)),
  },
  {
    name: "cali-config",
    seeds: undefined,
    texts: [
      "runtime-report(output=stderr,profile.mpi,max_column_width=80),event-trace",
      'spot,output="a b.cali",metadata(file=x.json,keys="a,b")',
    ],
    read: (bytes) =>
      void parseConfigString(text(bytes), { mpi: false, behaviorOf: () => undefined }),
  },
  {
    name: "config",
    seeds: undefined,
    texts: ["# a\nbudget = 2 %\n[monitor]\ninterval = 60\n[x]\n = 3\n"],
    read: (bytes) => {
      parseConfig(text(bytes), { path: "c", origin: "site" }, ["run", "monitor"]);
    },
  },
  { name: "ring", seeds: undefined, texts: [soundRing()], read: readRing },
  {
    name: "collector",
    seeds: undefined,
    texts: ["joulemark-collector 1\nfile /sys/a\nregisters 0-3,7 0x611,0x10\n\n"],
    read: (bytes) => {
      const table = parseTable(text(bytes));
      if (typeof table !== "string") {
        for (const id of [0, 9, 2 ** 31, 2 ** 32 - 1]) servedBy(table, id);
      }
    },
  },
];

/** Is it an error for people, on one line but where it shows a place in a text? */
export function isMeant(error: unknown): boolean {
  // A query's mistakes are told in Caliper's words by whoever asks.
  if (error instanceof QueryError) return true;
  return isHumanError(error) && (error instanceof ConfigError || !error.message.includes("\n"));
}
