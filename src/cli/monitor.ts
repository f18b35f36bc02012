/**
 * `joulemark monitor`: raw stats of the node over time.
 * @module
 */
import { counted } from "../core/counted.ts";
import { listOf } from "../core/names.ts";
import { AccessError, isHumanError, UnknownNameError } from "../core/errors.ts";
import { RawWriter } from "../rawstats/format/writer.ts";
import type { Domain } from "../core/machine/domain.ts";
import { openMetricsText, prometheusText } from "../formats/metrics.ts";
import { rawSeconds, realtimeNanoseconds } from "../os/clock.ts";
import { nodeMetrics } from "../run/outputs/metrics.ts";
import { parseMetricsAddress } from "../run/outputs/metrics_address.ts";
import { MetricsServer } from "../run/outputs/metrics_server.ts";
import { openMachine } from "../run/session/node.ts";
import { Batch } from "../sources/signals/batch.ts";
import { pushQuantities } from "../sources/signals/quantities.ts";
import { openCatalogue } from "./open_catalogue.ts";
import { Confiner } from "../os/confinement/confine.ts";
import { giveBackProgramPages } from "../os/memory/program_pages.ts";
import { confineCode } from "../os/inherited.ts";
import { readText } from "../os/files.ts";
import { LIBRARY_DIRECTORIES } from "../os/devices/library.ts";
import type { Places } from "../os/confinement/landlock.ts";
import type { MachineHost } from "../os/host.ts";
import { RawMachine } from "../os/raw_machine.ts";
import type { Listener } from "../os/socket.ts";
import { OLD_RAW_TYPES, RAW_TYPES } from "../sources/readers/raw/all.ts";
import { RawCollection } from "../rawstats/daemon/collection.ts";
import { isJobId, jobsIn, RawMonitor } from "../rawstats/daemon/loop.ts";
import { MarkServer } from "../rawstats/daemon/mark_server.ts";
import { listenForMarks } from "../rawstats/daemon/socket.ts";
import { RawStore } from "../rawstats/daemon/store.ts";
import { EXIT } from "./exit_codes.ts";
import { finished, say, writeStdout } from "./io.ts";
import { COLLECTOR, quietOption, ROOT } from "./command_line/common_options.ts";
import { misused, type ParsedOptions, parseSeconds } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

const DEFAULT_INTERVAL = 300;

/** Collects raw stats over time. */
export const monitor: Verb = {
  name: "monitor",
  usage: ["--dir DIR [--interval S] [options]", "--once [--mark TEXT] [options]"],
  about: `Records raw stats of the node over time, in the format of hpcperfstats.

The monitor writes the file DIR/HOST/current. The file has a second name, DIR/HOST/SECONDS: its
start time in seconds since 1970. The monitor starts a new file at midnight and on SIGHUP. SIGTERM
ends the monitor. After a restart the monitor continues the file of today, and writes a mark: a line
%gap with the time without records. "joulemark mark" adds other marks.`,
  options: [
    { name: "dir", value: "DIR", help: "directory of the files" },
    { name: "interval", value: "S", default: "300", help: "seconds between two records" },
    { name: "jobid", value: "ID", help: "job ID of all records" },
    {
      name: "jobid-file",
      value: "FILE",
      help: "read the job ID from the first word of FILE before each record; several IDs are " +
        "separated by commas",
    },
    { name: "types", value: "LIST", help: "record only these types of counters, such as cpu,mem" },
    {
      name: "program-counters",
      help: "configure the hardware counters (MSR and PCI devices) and record them; other tools " +
        "cannot use these counters then",
    },
    { name: "once", help: "print header and one record on standard output" },
    { name: "mark", value: "TEXT", help: "with --once: write this mark into the record" },
    {
      name: "metrics",
      value: "ADDRESS",
      help: "export power, energy, frequency and temperature to Prometheus on [HOST:]PORT or " +
        "unix:PATH",
    },
    ROOT,
    COLLECTOR,
    quietOption("print only errors on stderr"),
  ],
  examples: [
    "joulemark monitor --once",
    "joulemark monitor --interval 60 --dir /var/log/joulemark",
    "joulemark monitor --dir stats --types cpu,mem,intel_rapl --jobid-file job",
  ],
  async run(options) {
    check(options);
    const types = typesOf(options.text.types, options.flags.has("quiet"));
    const root = options.text.root ?? "";
    const host = openMachine(root, options.text.collector);
    const program = options.flags.has("program-counters");
    using collection = new RawCollection(new RawMachine(host, { program }), types);
    if (program) {
      for (const failed of collection.program()) {
        say(`cannot program ${failed}: its counters stay unchanged`);
      }
    }
    if (options.flags.has("once")) return once(collection, host, options, types);
    return await run(collection, options, types);
  },
};

const usage = (expected: string, found: string) => misused("monitor", expected, found);

function check({ text, flags, words }: ParsedOptions): void {
  if (words.length > 0) throw usage("options only", words[0]);
  if (text.jobid !== undefined && text["jobid-file"] !== undefined) {
    throw usage("--jobid or --jobid-file", "both");
  }
  const ids = text.jobid?.split(",") ?? [];
  const wrong = ids.find((id) => !isJobId(id));
  if (wrong !== undefined) throw usage("--jobid: ids without blanks, at most 79 characters", wrong);
  if (flags.has("once")) {
    if (text.dir !== undefined || text.interval !== undefined) {
      throw usage("--once alone", "--dir or --interval beside it");
    }
  } else if (text.dir === undefined) throw usage("--dir DIR, or --once", "neither");
  else if (text.mark !== undefined) throw usage("--mark with --once", "--mark without");
  if (text.metrics !== undefined) parseMetricsAddress(text.metrics);
}

/** @throws {UnknownNameError} If a name is in no table. */
function typesOf(list: string | undefined, quiet: boolean): ReadonlySet<string> | undefined {
  if (list === undefined) return undefined;
  const known = new Set(RAW_TYPES.map((type) => type.name));
  const names = listOf(list);
  if (names.length === 0) throw usage("--types with at least one name", "none");
  return new Set(names.flatMap((name) => {
    if (known.has(name)) return name;
    const today = OLD_RAW_TYPES.get(name);
    if (today === undefined) {
      throw new UnknownNameError(
        "raw stats type",
        name,
        known,
        `available: ${[...known].join(", ")}`,
      );
    }
    if (!quiet) say(`${name} is called ${today.join(" or ")} here`);
    return today;
  }));
}

/** Microseconds since the epoch. */
function now(): number {
  return Number(realtimeNanoseconds() / 1000n);
}

function once(
  collection: RawCollection,
  host: MachineHost,
  { text }: ParsedOptions,
  types: ReadonlySet<string> | undefined,
): number {
  const fixedTimeS = host.facts.time;
  const timeUs = fixedTimeS === undefined ? now() : Math.round(fixedTimeS * 1e6);
  const file = text["jobid-file"];
  const listed = file === undefined ? [] : jobsIn(readText(file) ?? "").jobs;
  const jobs = text.jobid ?? (listed.join(",") || "-");
  const writer = new RawWriter();
  const marks = text.mark === undefined ? [] : [text.mark];
  collection.record(writer, { timeUs, jobs, marks, isFirst: true }, types);
  writeStdout(collection.header());
  return finished(writer.bytes);
}

async function run(
  collection: RawCollection,
  { text, flags }: ParsedOptions,
  types: ReadonlySet<string> | undefined,
): Promise<number> {
  const intervalSeconds = text.interval === undefined
    ? DEFAULT_INTERVAL
    : parseSeconds("--interval", text.interval);
  const file = text["jobid-file"];
  const log = flags.has("quiet") ? () => {} : say;
  const { listener: marks, directory: socket } = listenForMarks(log);
  using listener = marks;
  using store = new RawStore(text.dir!, collection.hostname);
  const monitor = new RawMonitor(collection, store, {
    jobId: text.jobid,
    jobIdFile: file === undefined ? undefined : () => readText(file),
    types,
    log,
  });
  try {
    monitor.start(now());
  } catch (error) {
    if (isHumanError(error)) throw error;
    throw new AccessError({
      action: "write to",
      target: store.directory,
      found: error instanceof Error ? error.message.split("\n")[0] : String(error),
      remedy: "choose another with --dir",
      cause: error,
    });
  }
  const recorded = collection.types.filter((name) => types?.has(name) ?? true);
  log(`${counted(recorded.length, "type")} every ${intervalSeconds} s to ${store.directory}`);
  using metrics = openMetrics(text, collection.hostname);
  // The host's directory may be removed, and is made again.
  const written = [directoryOf(store.directory), ...socket === undefined ? [] : [socket]];
  const confiner = new Confiner(
    confineCode(),
    placesOf(text, written),
    "sources are opened again at each record, some of them by root alone",
  );
  if (!await confiner.settle()) {
    throw new AccessError({
      action: "confine the monitor",
      expected: "an answer of every thread of the runtime",
      found: "no answer of one thread within 10 s",
      remedy: "start the monitor again when the node is less busy",
    });
  }
  const { calls, paths } = confiner;
  if (calls !== "filtered") log(`system calls are not filtered: ${calls}`);
  if (typeof paths === "string") log(`paths are ${paths}`);
  const resources = { listener, metrics: metrics?.server };
  await loop(monitor, resources, intervalSeconds * 1e6);
  return EXIT.done;
}

/**
 * Places that records still open: the kernel's files, devices of the types, the databases of user
 * names, the directories of outputs, and that of the job's file, which may come and go.
 */
function placesOf(text: ParsedOptions["text"], written: string[]): Places {
  const needs = RAW_TYPES.flatMap((type) => type.needs.files);
  const { root = "", metrics = "" } = text, file = text["jobid-file"];
  return {
    reads: [
      "/proc",
      "/sys",
      "/etc",
      "/var/lib/sss",
      ...LIBRARY_DIRECTORIES,
      ...(root === "" ? [] : [root]),
      ...(file === undefined ? [] : [directoryOf(file)]),
    ],
    devices: needs.filter((path) => path.startsWith("/dev/")),
    // Sockets are removed at the end.
    own: [...written, ...(metrics.startsWith("unix:") ? [directoryOf(metrics.slice(5))] : [])],
    outputs: [],
  };
}

function directoryOf(path: string): string {
  return path.replace(/[^/]*$/, "") || ".";
}

/** The node's facts, read at each request. @throws {AccessError} */
function openMetrics(
  text: ParsedOptions["text"],
  host: string,
): { server: MetricsServer } & Disposable | undefined {
  if (text.metrics === undefined) return undefined;
  const { host: node, catalogue } = openCatalogue(text);
  const resources = new DisposableStack();
  const batch = resources.use(new Batch(node.topology, catalogue));
  const count = (domain: Domain) => node.topology.count(domain);
  const quantities = pushQuantities(batch, { table: catalogue, count });
  batch.open();
  const server = resources.use(
    new MetricsServer(parseMetricsAddress(text.metrics), text.metrics, (isOpen) => {
      batch.read(rawSeconds());
      batch.settle();
      const families = nodeMetrics(quantities, host, (handle) => batch.shown(handle));
      return isOpen ? openMetricsText(families) : prometheusText(families);
    }),
  );
  return { server, [Symbol.dispose]: () => resources.dispose() };
}

/** Ticks at multiples of the interval since the epoch, so that all nodes tick together. */
async function loop(
  monitor: RawMonitor,
  { listener, metrics }: { listener: Listener; metrics: MetricsServer | undefined },
  intervalUs: number,
): Promise<void> {
  using server = new MarkServer(listener, (mark) => monitor.mark(mark, now()));
  let ended = false;
  let rotates = false;
  let isLean = false;
  const end = () => {
    ended = true;
    listener.ring();
  };
  const rotate = () => {
    rotates = true;
    listener.ring();
  };
  const handlers = [["SIGTERM", end], ["SIGINT", end], ["SIGHUP", rotate]] as const;
  for (const [signal, handler] of handlers) Deno.addSignalListener(signal, handler);
  let next = Math.ceil((now() + 1) / intervalUs) * intervalUs;
  while (!ended) {
    // a clock that was set back must not make the wait longer than an interval
    const most = Math.min(Math.min(next - now(), intervalUs) / 1000, metrics?.waitMs ?? Infinity);
    await server.wait(most, metrics?.descriptors);
    server.serve();
    metrics?.serve(performance.now() / 1000);
    if (rotates) {
      rotates = false;
      monitor.rotate(now());
    }
    const time = now();
    if (time >= next || next - time > intervalUs) {
      if (time >= next) monitor.tick(time);
      // The start is over, and what it needed.
      if (!isLean) giveBackProgramPages();
      isLean = true;
      next = Math.ceil((now() + 1) / intervalUs) * intervalUs;
    }
  }
  for (const [signal, handler] of handlers) Deno.removeSignalListener(signal, handler);
}
