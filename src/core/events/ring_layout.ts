/**
 * The ring file: how an instrumented process and the monitor share memory. Written down once, here;
 * `docs/reference/formats/ring.md` explains it and the constants in the C client are generated from it.
 *
 * One file per process, in the run's private directory. Little-endian. The process writes all of
 * it but the tails. Areas are allocated at the end of the file when they are first needed, so a
 * process with one thread and three regions uses 300 KiB.
 *
 * ```
 * 0      header, HEADER.bytes
 *          magic "JMRING\0" version   pid   state   exec id   start and stop   calibration
 *          name chunks: offsets       thread chunks: offsets   affinity mask
 * then   areas, each at the offset that some chunk table names:
 *          name chunk k     256·2^k entries of 16 bytes: offset u64, length u32, hint u32
 *          name bytes       UTF-8 as the program gave it, at most NAME_BYTES_MAX
 *          thread chunk k   8·2^k entries of THREAD.bytes: head, tail, ring, slot chunks, mask
 *          ring             RING_RECORDS records of 16 bytes, one writer
 *          slot chunk k     256·2^k slots of 64 bytes: what was folded, per region
 *          path chunk k     32·2^k paths of 64 bytes, then as many histograms: folded by path
 * ```
 *
 * A record is valid when its number is below `head`, which the writer publishes after the record
 * (release), and the monitor reads before it (the system call is the barrier). `tail` is how far
 * the monitor has read; the writer never passes tail + RING_RECORDS.
 *
 * Record: stamp u64, then kind u8, flags u8, cpu u16, then value u32 (a region's number in the name
 * table and its track, unless the kind defines another use). A kind with a payload is followed by one record whose
 * stamp is the payload.
 * @module
 */
import { EVENT_KINDS } from "./event_kinds.ts";

/**
 * Version of the layout. The reader takes older ones too: 1 had no records of threads that begin
 * and end, fewer names and threads, and its long names were cut; 2 had no tracks; 3 had no paths.
 */
export const RING_VERSION = 4;
export const OLDEST_RING_VERSION = 1;

/** First seven bytes of a ring file, before the version byte. */
export const RING_MAGIC = "JMRING\0";

/** Offsets in the file header. */
export const HEADER = {
  magic: 0,
  pid: 8,
  /** 1: attached, 2: ended in good order. */
  state: 12,
  /** First 8 of the 16 random bytes that the kernel gives every exec: getauxval(3), AT_RANDOM. */
  execId: 16,
  /** CLOCK_MONOTONIC_RAW in ns when the process attached, and when it ended in good order. */
  startNs: 24,
  stopNs: 32,
  /** Number of names published, slot 0 (`[joulemark] other`) included. */
  names: 40,
  /** Number of thread entries published. */
  threads: 44,
  /** Bytes allocated so far. */
  fileBytes: 48,
  /** Number of visits to names that found no room; they are also reported as visits of name 0. */
  otherVisits: 56,
  /** One pair of cycle counter and CLOCK_MONOTONIC_RAW ns, taken when the process attached. */
  pairCycles: 64,
  pairNs: 72,
  /** A second pair, at least a tenth of a second later; zero until then. */
  laterCycles: 80,
  laterNs: 88,
  /** Grows by one with every entry that a new thread takes over. */
  takeovers: 96,
  /** Marks of signal handlers, in the middle of a mark, that found no room; reported nowhere else. */
  interrupting: 100,
  /** Visits of threads that found no room for a ring; reported nowhere else. */
  lostVisits: 104,
  /** Tracks published, the program's own included. */
  tracks: 112,
  /**
   * Lower half of the inode of the process's namespace of process numbers, which the number is one of; 0: not known.
   */
  namespace: 116,
  /** Begins and ends of spans that found no room. */
  lostSpans: 120,
  nameChunks: 128,
  threadChunks: 256,
  /** Values of attributes, begun or set, that found no room. */
  lostValues: 336,
  /** Forked children that marked and could not make a file of their own; reported nowhere else. */
  notAttached: 376,
  /** sched_getaffinity(2) of the process: 1024 CPUs. */
  affinity: 384,
  affinityBytes: 128,
  /** By track: number of its name, 32 bits. */
  trackNames: 512,
  bytes: 4096,
} as const;

/** Offsets in a thread entry. */
export const THREAD = {
  /** Records written so far. */
  head: 0,
  tid: 8,
  /** 1: live, 2: ended. */
  state: 12,
  ringOffset: 16,
  ringRecords: 24,
  /** Grows by one with every folded visit: signals the monitor to read the slots. */
  folds: 28,
  /** Epochs that found no room in the ring. */
  foldedEpochs: 32,
  /** Nested visits that were due in the ring and found no room. */
  skippedNested: 36,
  /** Calls at a wrong moment that found no room for a record. */
  refused: 40,
  /** Set if the thread is bound to fewer CPUs than its process. */
  bound: 44,
  /** The path that it is in, and 1 if all of its visits are folded by path. */
  path: 48,
  folding: 52,
  /** Stamp of its last change of path; 0: it is in none. In cycles, unless PATH_SINCE_NS has it in ns. */
  pathSince: 56,
  /** Records read so far; the monitor's only field, on a cache line of its own. */
  tail: 64,
  slotChunks: 128,
  affinity: 256,
  pathChunks: 384,
  /** Paths published, the one outside of all regions included. */
  paths: 464,
  /** Visits whose path found no room: their time is that of the path around them. */
  lostPaths: 472,
  bytes: 512,
} as const;

/** Offsets in a path. Numbers with a point are binary64, in ns. */
export const PATH = {
  /** Visits that ended. */
  visits: 0,
  /** Lengths of the visits: sum, sum of squares, minimum and maximum. */
  ns: 8,
  squares: 16,
  least: 24,
  most: 32,
  /** Time in the path and in none below it, up to the thread's last change of path. */
  self: 40,
  /** The path around it; number of the region's name and track, as a record has it. */
  parent: 48,
  region: 52,
  /** Number of the attribute's name under which the region was begun; 0: a plain region. */
  attribute: 56,
  bytes: 64,
} as const;

/** Offsets in a slot. All values only grow, except for the last three. */
export const SLOT = {
  /** Visits folded. */
  visits: 0,
  /** Time of the visits: of those stamped in ns, and of those stamped in cycles. */
  ns: 8,
  cycles: 16,
  /** Stamp of the first visit folded since the last change of `tail`, its flags, and `tail` + 1 at that time. */
  first: 24,
  firstFlags: 32,
  tail: 40,
  bytes: 64,
} as const;

/** Offsets in a name entry. */
export const NAME = { offset: 0, length: 8, hint: 12, bytes: 16 } as const;

const KINDS_IN_RINGS = EVENT_KINDS.filter(({ ring }) => ring !== undefined);

/** Numbers that a record's kind may be: see core/events/event_kinds.ts. */
export const RING_KINDS: readonly number[] = KINDS_IN_RINGS.map(({ code }) => code);

/** Kinds that are followed by a payload record. */
export const KINDS_WITH_PAYLOAD: readonly number[] = KINDS_IN_RINGS
  .filter(({ ring }) => ring?.payload !== undefined).map(({ code }) => code);

/** Bits of a record's flags. */
export const FLAG = {
  /** The event is the process's, by GEOPM's rules; else the thread's own. */
  process: 1,
  /** The stamp is CLOCK_MONOTONIC_RAW in ns; else the cycle counter. */
  nanoseconds: 2,
  /** Flag of an exit: regions of its track that were begun later go on. */
  alone: 4,
} as const;

/** Types of an attribute's value: Caliper's numbers. A string is its number among the names. */
export const TYPE = {
  usr: 1,
  int: 2,
  uint: 3,
  string: 4,
  addr: 5,
  double: 6,
  bool: 7,
  type: 8,
} as const;

/** Bits of an attribute's properties that clients write: Caliper's, or ours if Caliper has none. */
export const PROPERTY = {
  /** Caliper's `unaligned`: a value with a stack of its own, which may change inside any region. */
  value: 1024,
  /** The thread's next record begins the region that the value names. */
  enterFollows: 1 << 30,
  /** The value is in the thread's next snapshot alone. */
  ofSnapshot: 1 << 29,
} as const;

/** Flags of a pm_mpi_lib record. */
export const PM = {
  /** The call asked for a barrier before its second line. */
  sync: 1,
  /** The call asked for a line at its start. */
  initial: 2,
  /** The barrier of the record before this one is over: no call of its own. */
  after: 4,
  /** Flag of a log's name: the real library is linked and writes that log, if it can. */
  linked: 8,
} as const;

/**
 * A client's own message to the monitor is a name that no record has, `WORD PID TEXT`: it needs no
 * room in a ring that the program keeps full. A forked child's copy of it has another's PID.
 */
export const MESSAGE_PREFIX = "[joulemark] ";
/** Remarks of the client for the report. */
export const REMARK_NAME = "[joulemark] remark";
/** The attribute whose string is the log that the next call of pm_mpi_lib opens, as a whole path. */
export const PM_LOG_NAME = "[joulemark] pm log";
/** Counts of MPI: `MPI_Send 100 8000`, calls and bytes, or `peers 3`. */
export const MPI_NAME = "[joulemark] mpi";
/** Counts of OpenMP: `barrier 100 8000`, how often and ns of all threads, or `threads 3`. */
export const OPENMP_NAME = "[joulemark] openmp";
/**
 * Values of an event: `3 0 3 4.5 11.25 tau bytes`: count, minimum, maximum, sum, squares, API,
 * name.
 */
export const VALUE_NAME = "[joulemark] value";

/**
 * Attribute that is set when the program requests a record of its context and counters: to 0, or to 1 for
 * channels of events that the program times itself.
 */
export const SNAPSHOT_NAME = "[joulemark] snapshot";
/** The attribute whose string is an attribute's name, a newline, and the layout of its bytes as JSON. */
export const LAYOUT_NAME = "[joulemark] layout";
/** The attribute whose string is an attribute's name, a key of its metadata, the key's type and its value: a line each. */
export const METADATA_NAME = "[joulemark] metadata";

export const RECORD_BYTES = 16;
/** Records per thread: 3 million events a second at a drain every 5 ms. */
export const RING_RECORDS = 16384;
/** Entries in the first chunk of names and of slots; chunk k holds 2^k times as many. */
export const CHUNK_NAMES = 256;
const NAME_CHUNKS = 9;
/** Entries in the first chunk of threads. */
export const CHUNK_THREADS = 8;
export const THREAD_CHUNKS = 10;
/** Entries in the first chunk of paths; and chunks, so that a thread has at most 16,352 paths. */
export const CHUNK_PATHS = 32;
export const PATH_CHUNKS = 9;
/** Beside the number of the path that a thread is in: `pathSince` is CLOCK_MONOTONIC_RAW in ns. */
export const PATH_SINCE_NS = 1 << 30;
/** A path's histogram: 64-bit counts, four buckets an octave from 1 ns: see core/path_stats.ts. */
export const PATH_BUCKETS = 176;
/** An enter's and exit's value: the name's number, and from this bit on its track. */
export const TRACK_SHIFT = 24;
/** Domains beyond share their dialect's track. */
export const TRACKS_MAX = 256;
/** Names beyond this share slot 0. */
export const NAMES_MAX = 130_816;
/** A longer name keeps its begin and ends in a hash of the whole, so that it stays the only one. */
export const NAME_BYTES_MAX = 1_100_000;
/** Bytes of all names of a process: what does not fit shares name 0. */
export const NAME_HEAP_MAX = 67_108_864;
/** The CPU of a record whose CPU is not known. */
export const CPU_UNKNOWN = 0xffff;
/** Name of slot 0. */
export const OTHER_NAME = "[joulemark] other";

/** Environment variable that names the run's private directory to instrumented processes. */
export const SESSION_VARIABLE = "JOULEMARK_SESSION";
/** File in it that the clients read: see SESSION. */
export const SESSION_FILE = "session";

/** Offsets in the session file. */
export const SESSION = {
  magic: 0,
  /** 1: the cycle counter of this machine may be used for stamps. */
  cycles: 8,
  /** 0: not decided yet; 1: nested visits are folded by path; 2: every visit in its order. */
  order: 12,
  bytes: 64,
} as const;

/** The session file's setting for the order of nested visits. */
export const ORDER = { undecided: 0, folded: 1, kept: 2 } as const;

/** Version of the session file. */
export const SESSION_VERSION = 1;
/** At the end of the name of a file that was given up: its process found no room. */
export const FULL_SUFFIX = ".full";
/** First seven bytes of the session file, before the version byte. */
export const SESSION_MAGIC = "JMSESS\0";

/** The constants above by their names in the clients, and texts as quoted strings. */
export function ringConstants(): [name: string, value: number | string][] {
  const list: [string, number | string][] = [["VERSION", RING_VERSION]];
  const KIND = Object.fromEntries(KINDS_IN_RINGS.map(({ name, code }) => [name, code]));
  const groups = {
    HEADER,
    THREAD,
    SLOT,
    PATH,
    NAME,
    KIND,
    FLAG,
    TYPE,
    PROPERTY,
    PM,
    SESSION,
    ORDER,
  };
  for (const [prefix, table] of Object.entries(groups)) {
    for (const [name, value] of Object.entries(table)) {
      list.push([`${prefix}_${snake(name)}`, value]);
    }
  }
  const single = {
    RECORD_BYTES,
    RING_RECORDS,
    CHUNK_NAMES,
    NAME_CHUNKS,
    CHUNK_THREADS,
    THREAD_CHUNKS,
    CHUNK_PATHS,
    PATH_CHUNKS,
    PATH_BUCKETS,
    PATH_SINCE_NS,
    TRACK_SHIFT,
    TRACKS_MAX,
    NAMES_MAX,
    NAME_BYTES_MAX,
    NAME_HEAP_MAX,
    SESSION_VERSION,
    CPU_UNKNOWN,
  };
  list.push(...Object.entries(single));
  const texts = {
    OTHER_NAME,
    REMARK_NAME,
    PM_LOG_NAME,
    MPI_NAME,
    OPENMP_NAME,
    VALUE_NAME,
    SNAPSHOT_NAME,
    LAYOUT_NAME,
    METADATA_NAME,
    FULL_SUFFIX,
  };
  for (const [name, text] of Object.entries(texts)) list.push([name, `"${text}"`]);
  return list;
}

/** The constants above as C, for the client's header. */
export function ringConstantsAsC(): string {
  const lines = ringConstants().map(([name, value]) => `#define JOULEMARK__${name} ${value}`);
  lines.push(`#define JOULEMARK__SESSION_VARIABLE "${SESSION_VARIABLE}"`);
  lines.push(`#define JOULEMARK__SESSION_FILE "${SESSION_FILE}"`);
  return lines.join("\n") + "\n";
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (c) => "_" + c).toUpperCase();
}

/** Prefix of launch notes: `run.PID`: the process with this pid was handed over. */
export const LAUNCH_PREFIX = "run.";
