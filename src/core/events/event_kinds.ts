/**
 * The one table of kinds of events: the number of each, how a ring's record carries it, and its row
 * in a recording. The ring's layout, the clients' constants, recordings and the tables in
 * docs/reference/formats/ring.md and docs/reference/formats/recording.md are made of it.
 *
 * Numbers below 32 are those of a ring's records.
 * @module
 */

/** Numbers of the kinds, by their names. They never change. */
export const KIND = {
  clock: 1,
  enter: 2,
  exit: 3,
  epoch: 4,
  tprofInit: 5,
  tprofPost: 6,
  overhead: 7,
  attributeBegin: 8,
  attributeSet: 9,
  attributeEnd: 10,
  pmOpen: 11,
  pmRecord: 12,
  pmClose: 13,
  threadEnd: 14,
  threadBegin: 15,
  spanBegin: 16,
  spanEnd: 17,
  inPath: 18,
  start: 32,
  startCommand: 33,
  threadCpus: 34,
  region: 35,
  shortVisits: 36,
  folding: 37,
  folded: 38,
  foldedLengths: 39,
  shutdown: 40,
  died: 41,
  shortSpans: 42,
  ranOutside: 43,
} as const;

/** Names of kinds. */
type EventKindName = keyof typeof KIND;

/** Number of a kind: one of {@linkcode KIND}. */
export type MarkKind = typeof KIND[keyof typeof KIND];

/** Form of a kind in a ring: the text in docs/reference/formats/ring.md. */
export interface RingRecord {
  /** Meaning of the record. */
  readonly about: string;
  /** Meaning of its `value`. @default nothing */
  readonly value?: string;
  /** Meaning of the record after it. @default there is none */
  readonly payload?: string;
}

/** Content of a row's `value` column; `recordings/row_values.ts` writes and reads it. */
export type RowValueName =
  | "cpus"
  | "hint"
  | "entryHint"
  | "epoch"
  | "number"
  | "cpu"
  | "seconds"
  | "visits"
  | "folded"
  | "lengths"
  | "path"
  | "attribute"
  | "pmOpen"
  | "pmRecord";

/** A kind's row in `events.csv`. */
export interface RecordedRow {
  /** The `event` column. */
  readonly event: string;
  /**
   * Content of the `region` column: a region's name by its handle or path, a name, or this word.
   */
  readonly region?: "region" | "path" | "name" | "command";
  /** Content of the `value` column. @default empty */
  readonly value?: RowValueName;
  /** The event belongs to the thread in the column `thread`. */
  readonly thread?: true;
  /** The `track` column, and for spans the `span` column: of a handle, or of a span's own track. */
  readonly track?: "handle" | "span";
  /** The text of docs/reference/formats/recording.md about the column `value`. */
  readonly about?: string;
}

/** One kind of event. */
export interface EventKindInfo {
  /** Number of the kind: see {@linkcode KIND}. */
  readonly code: MarkKind;
  /** Absent: no ring has it. */
  readonly ring?: RingRecord;
  /** Absent: recordings do not have it. */
  readonly row?: RecordedRow;
  /**
   * True for a summary of the past: not late, but never before an event that was emitted already.
   */
  readonly sumsUp?: true;
}

const NAME_AND_TRACK = "low 24 bits: number of the name; high 8 bits: its track";
const NAME = "number of the attribute's name";

const TABLE: Readonly<Record<EventKindName, Omit<EventKindInfo, "code">>> = {
  clock: {
    ring: { about: "clock pair", payload: "CLOCK_MONOTONIC_RAW in ns at the moment of the stamp" },
  },
  enter: {
    ring: { about: "enter: a region begins", value: NAME_AND_TRACK },
    row: {
      event: "enter",
      region: "region",
      value: "entryHint",
      thread: true,
      track: "handle",
      about:
        "begin of a region. Value: hint, or empty. The first `region` or `enter` row of a region " +
        "sets its hint",
    },
  },
  exit: {
    ring: { about: "exit: a region ends", value: NAME_AND_TRACK },
    row: {
      event: "exit",
      region: "region",
      thread: true,
      track: "handle",
      about: "end of a region",
    },
  },
  epoch: {
    ring: { about: "epoch" },
    row: {
      event: "epoch",
      value: "epoch",
      about: "an epoch begins. Value: number of the epoch, or empty for the previous number plus 1",
    },
  },
  tprofInit: {
    ring: { about: "work units are announced", value: "number of work units" },
    row: {
      event: "tprof_init",
      value: "number",
      about: "the program announces its work units. Value: number of work units",
    },
  },
  tprofPost: {
    ring: { about: "a work unit is done" },
    row: {
      event: "tprof_post",
      value: "cpu",
      about: "a work unit is done. Value: CPU that did it, or empty",
    },
  },
  overhead: {
    ring: { about: "overhead that the program reports", payload: "seconds, binary64" },
    row: {
      event: "overhead",
      value: "seconds",
      about: "the program reports a time as overhead. Value: this time in seconds",
    },
  },
  attributeBegin: {
    ring: { about: "attribute begins", value: NAME, payload: "value, see below" },
    row: {
      event: "begin",
      region: "name",
      value: "attribute",
      thread: true,
      about: "a value of an attribute begins, inside the values that began before. Value: this " +
        "value",
    },
  },
  attributeSet: {
    ring: { about: "attribute is set", value: NAME, payload: "value, see below" },
    row: {
      event: "set",
      region: "name",
      value: "attribute",
      thread: true,
      about: "a value replaces the innermost value of an attribute. Value: the new value",
    },
  },
  attributeEnd: {
    ring: { about: "attribute ends", value: NAME },
    row: {
      event: "end",
      region: "name",
      thread: true,
      about: "the innermost value of an attribute ends",
    },
  },
  pmOpen: {
    ring: { about: "pm_mpi_lib opens a log", value: "version of pm_mpi_lib × 10" },
    row: {
      event: "pm_open",
      value: "pmOpen",
      about:
        "the program opens a log of pm_mpi_lib. Value: version of the library, and the rank of " +
        "the process if it is known",
    },
  },
  pmRecord: {
    ring: { about: "a call of pm_mpi_record", payload: "step u32, substep u32; then flags" },
    row: {
      event: "pm_record",
      value: "pmRecord",
      about:
        "a call of `pm_mpi_record`. Value: `STEP SUBSTEP SYNC INITIAL`. If a fifth word has the " +
        "value 1, the row is the end of the barrier of the previous call",
    },
  },
  pmClose: {
    ring: { about: "pm_mpi_lib closes a log" },
    row: { event: "pm_close", about: "the program closes the log of pm_mpi_lib" },
  },
  threadEnd: {
    ring: { about: "thread ended", value: "thread ID" },
    row: { event: "thread_end", thread: true, about: "the thread ended, outside of all regions" },
  },
  threadBegin: {
    ring: {
      about: "thread begins",
      value: "thread ID",
      payload: "1 if the thread is bound to fewer CPUs than the process",
    },
  },
  spanBegin: {
    ring: {
      about: "span begins",
      value: "name and track, as for kind 2",
      payload: "number of the span",
    },
    row: {
      event: "enter",
      region: "name",
      thread: true,
      track: "span",
      about: "with a number under `span`: a span begins, on any thread",
    },
  },
  spanEnd: {
    ring: { about: "span ends", value: "track, or 0", payload: "number of the span" },
    row: {
      event: "exit",
      region: "name",
      thread: true,
      track: "span",
      about: "with a number under `span`: this span ends, on any thread",
    },
  },
  inPath: {
    ring: { about: "path of the thread at its next attribute", value: "number of the path" },
    row: {
      event: "in_path",
      value: "path",
      thread: true,
      about: "path of the thread at its next attribute row. Value: number of the path",
    },
  },
  start: {
    row: {
      event: "start",
      value: "cpus",
      about: "a process starts. Value: list of the CPUs that it may use",
    },
  },
  startCommand: {
    row: {
      event: "start",
      region: "command",
      value: "cpus",
      about: "the launched command starts. Value: list of the CPUs that it may use",
    },
  },
  threadCpus: {
    row: {
      event: "start",
      value: "cpus",
      thread: true,
      about: "in a row with a thread ID: list of the CPUs that this thread may use",
    },
  },
  region: {
    row: {
      event: "region",
      region: "name",
      value: "hint",
      about: "the program announces a region. Value: hint of the region, by name or number",
    },
  },
  shortVisits: {
    sumsUp: true,
    row: {
      event: "short",
      region: "region",
      value: "visits",
      thread: true,
      track: "handle",
      about:
        "several visits of an outermost region in one row, with the time of the first visit. " +
        "Value: `COUNT SECONDS`, the number of these visits and the sum of their times",
    },
  },
  folding: {
    row: {
      event: "folding",
      thread: true,
      about: "from this row on, all visits of the thread are in `folded` rows",
    },
  },
  folded: {
    sumsUp: true,
    row: {
      event: "folded",
      region: "path",
      value: "folded",
      thread: true,
      about:
        "several visits of a path in one row. Value: `PATH COUNT SUM SQUARES LEAST MOST SELF`. " +
        "PATH is the number of the path, and COUNT the number of visits. Then follow sum, sum of " +
        "squares, minimum and maximum of their lengths in ns. SELF is the time in the path without " +
        "nested paths. A SELF below 0 corrects an earlier row",
    },
  },
  foldedLengths: {
    sumsUp: true,
    row: {
      event: "lengths",
      value: "lengths",
      thread: true,
      about:
        "at the end of the process: a bucket (range of lengths) in the histogram of visit lengths. " +
        "Value: `PATH BUCKET VISITS`: number of the path, number of the bucket, and count of visits",
    },
  },
  ranOutside: {
    sumsUp: true,
    row: {
      event: "ran_outside",
      value: "seconds",
      thread: true,
      about:
        "a thread ran, or was ready to run, outside of all regions. Value: this time in seconds. " +
        "The row exists only if more threads of the run share the CPUs of this thread than " +
        "there are CPUs",
    },
  },
  shutdown: { row: { event: "shutdown", about: "the process ends normally" } },
  died: { row: { event: "died", about: "the process was killed or crashed" } },
  // Recordings have each span.
  shortSpans: { sumsUp: true },
};

/** All kinds, in order of their numbers. */
export const EVENT_KINDS: readonly (EventKindInfo & { readonly name: EventKindName })[] =
  (Object.keys(KIND) as EventKindName[]).map((name) => ({
    name,
    code: KIND[name],
    ...TABLE[name],
  }));

const infos: (EventKindInfo | undefined)[] = [];
for (const kind of EVENT_KINDS) infos[kind.code] = kind;
/** By number: what a kind is. */
export const KIND_INFO: readonly (EventKindInfo | undefined)[] = infos;

/** Rows of `events.csv` that are no events: they describe what later rows name. */
export const DESCRIBING_ROWS = {
  path: {
    event: "path",
    about:
      "describes a path. Value: `NUMBER PARENT ATTRIBUTE`. PARENT is the number of the path around it " +
      "(0: none). ATTRIBUTE may be missing",
  },
  attribute: {
    event: "attribute",
    about:
      "describes an attribute. Value: `TYPE PROPERTIES`: its type and its property bits, as in Caliper",
  },
} as const;
