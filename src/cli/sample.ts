/**
 * `joulemark sample`: signals over time as CSV, and their statistics. After geopmsession(1).
 * @module
 */
import { type Domain, DOMAINS, isDomain } from "../core/machine/domain.ts";
import { FormatError, unusable, UsageError } from "../core/errors.ts";
import { formatSignal } from "../core/number_format.ts";
import { parseSignalList } from "../core/signal_list.ts";
import type { SignalFormat } from "../core/signal.ts";
import { SessionStats } from "../formats/session_stats.ts";
import { columnName } from "../formats/trace/trace.ts";
import { monotonicNanoseconds, rawSeconds, realtimeNanoseconds, sleepUntil } from "../os/clock.ts";
import { hostName } from "../os/host.ts";
import { probeDocument, writeDocument } from "../os/files/whole_file.ts";
import { startTimeText } from "../os/start_time.ts";
import { Batch } from "../sources/signals/batch.ts";
import type { Catalogue } from "../sources/signals/catalogue.ts";
import { EXIT } from "./exit_codes.ts";
import { say, writeStdout } from "./io.ts";
import { openCatalogue } from "./open_catalogue.ts";
import { NODE_OPTIONS, quietOption } from "./command_line/common_options.ts";
import { misused } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";

/** geopmsession(1): rates need two readings before they have a value. */
const encoder = new TextEncoder();
const SETTLE_NS = 5_000_000;
const MAX_SECONDS = 86400;

interface Column {
  readonly title: string;
  readonly handle: number;
  readonly format: SignalFormat;
}

/** The column of an index of a domain, or those of all. */
type ColumnsOf = (name: string, domain: Domain, index?: number) => Column[];

/** Samples signals over time. */
export const sample: Verb = {
  name: "sample",
  usage: ["[options]"],
  about: `Writes signals over time as CSV to stdout.`,
  options: [
    {
      name: "signals",
      value: "LIST",
      help: "SIGNAL[@DOMAIN],...: one column for each part of the domain, such as each package. " +
        "Without this option the signals are read from stdin, up to the first empty line. A " +
        'line has the form "SIGNAL DOMAIN INDEX", and the index "*" stands for all parts. Lines ' +
        "with # at the start are ignored",
    },
    {
      name: "period",
      short: "p",
      value: "S",
      help: "seconds between two rows",
    },
    {
      name: "duration",
      short: "t",
      value: "S",
      help: "seconds to run; needs --period. Without this option only one row is printed",
    },
    { name: "no-header", short: "n", help: "print rows only" },
    { name: "delimiter", short: "d", value: "C", default: ",", help: "delimiter between columns" },
    {
      name: "stats",
      value: "FILE",
      help: "write statistics of every column to FILE; -: print the statistics instead of the rows",
    },
    ...NODE_OPTIONS,
    quietOption("print no reasons for missing signals on stderr"),
  ],
  notes:
    "If a signal has no source on this node, its column is nan, and the reason is printed on " +
    "stderr.",
  examples: [
    "joulemark sample --signals CPU_POWER,TIME --period 0.1 --duration 5",
    "joulemark sample --signals CPU_ENERGY@package -p 1 -t 60 --stats cpu.yaml",
    'echo "CPU_FREQUENCY_STATUS cpu *" | joulemark sample -p 0.5 -t 10',
  ],
  run({ text, flags, words }) {
    if (words.length > 0) {
      throw misused(
        "sample",
        "options only",
        words[0],
        "give the signals after --signals, or on stdin",
      );
    }
    const plan = schedule(text.period, text.duration);
    const { host, catalogue } = openCatalogue(text);
    const batch = new Batch(host.topology, catalogue);
    const { topology } = host;
    const columnsOf: ColumnsOf = (name, domain, index) => {
      const indices = index === undefined ? [...Array(topology.count(domain)).keys()] : [index];
      const format = catalogue.info(name)?.row.format ?? "double";
      return indices.map((i) => ({
        title: columnName(name, domain, i),
        format,
        handle: batch.pushSignal(name, domain, i),
      }));
    };
    const columns = text.signals === undefined
      ? requested(readStdin(), columnsOf)
      : parseSignalList(text.signals, "sample").flatMap((s) => columnsOf(s.name, s.domain));
    if (columns.length === 0) {
      const expected = "at least one signal";
      throw new UsageError({ action: "sample", target: text.signals, expected });
    }
    const toStdout = text.stats === "-";
    const refused = text.stats === undefined || toStdout ? undefined : probeDocument(text.stats);
    if (refused !== undefined) throw refused;
    if (!flags.has("quiet")) logAbsent(columns, catalogue);
    const stats = new SessionStats(columns.map((c) => c.title));
    const firstNs = take(batch, columns, stats, plan, {
      delimiter: text.delimiter ?? ",",
      header: !flags.has("no-header"),
      silent: toStdout,
    });
    if (text.stats !== undefined) {
      const document = stats.text(hostName(host), startTimeText(firstNs));
      if (toStdout) writeStdout(document);
      else writeDocument(text.stats, document);
    }
    return EXIT.done;
  },
};

interface Plan {
  readonly periodNs: number;
  readonly rows: number;
}

function schedule(period: string | undefined, duration: string | undefined): Plan {
  const refuse = (name: string, given: string, expected: string) =>
    unusable(`--${name} ${given}`, expected);
  const seconds = (name: string, given: string | undefined) => {
    if (given === undefined) return undefined;
    const value = Number(given);
    if (given.trim() !== "" && value >= 0 && value <= MAX_SECONDS) return value;
    throw refuse(name, given, `seconds from 0 to ${MAX_SECONDS}`);
  };
  const durationS = seconds("duration", duration) ?? 0;
  const periodS = seconds("period", period);
  if (durationS === 0) return { periodNs: 0, rows: 1 };
  if (period === undefined || periodS === undefined) {
    throw new UsageError({
      target: "--duration needs --period S, the seconds between two rows",
      remedy: `for example: --period 0.1 --duration ${duration}`,
    });
  }
  if (periodS === 0) throw refuse("period", period, "seconds above 0 with --duration");
  if (periodS > durationS) {
    throw refuse("period", period, `at most the duration of ${durationS} s`);
  }
  return { periodNs: periodS * 1e9, rows: Math.ceil(durationS / periodS - 1e-9) + 1 };
}

function requested(text: string, columnsOf: ColumnsOf): Column[] {
  const columns: Column[] = [];
  for (const [i, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line.startsWith("#")) continue;
    if (line === "") break;
    const [name, domain, index, ...rest] = line.split(/\s+/);
    const all = index === "*";
    const sound = domain !== undefined && index !== undefined && rest.length === 0 &&
      isDomain(domain) && (all || /^\d{1,9}$/.test(index));
    if (!sound) {
      throw new FormatError("stdin", i + 1, {
        action: "read a request",
        expected: `SIGNAL DOMAIN INDEX with a domain of ${DOMAINS.join(", ")}`,
        found: line.slice(0, 80),
      });
    }
    columns.push(...columnsOf(name, domain, all ? undefined : Number(index)));
  }
  if (columns.length > 0) return columns;
  throw new UsageError({
    action: "sample",
    expected: '--signals LIST, or lines "SIGNAL DOMAIN INDEX" on stdin',
    found: "none",
  });
}

function readStdin(): string {
  const decoder = new TextDecoder(), buffer = new Uint8Array(65536);
  let text = "";
  for (let n; (n = Deno.stdin.readSync(buffer)) !== null;) {
    const piece = decoder.decode(buffer.subarray(0, n), { stream: true });
    text += piece;
    // The first empty line ends the requests; a user who types them need not close the stream.
    if (piece.endsWith("\n\n") || piece.startsWith("\n")) break;
  }
  return text + decoder.decode();
}

function logAbsent(columns: readonly Column[], catalogue: Catalogue): void {
  const names = new Set(columns.map((c) => c.title.replace(/-[a-z_]+-\d+$/, "")));
  for (const name of names) {
    const state = catalogue.info(name)?.state;
    if (state !== undefined && !state.ok) {
      say(`${name}: ${state.kind}: ${state.reason}`);
    }
  }
}

/** Takes all rows; the time of the first, in ns since the epoch. */
function take(
  batch: Batch,
  columns: readonly Column[],
  stats: SessionStats,
  plan: Plan,
  print: { delimiter: string; header: boolean; silent: boolean },
): bigint {
  using opened = batch;
  const values = new Float64Array(columns.length);
  const read = () => {
    const timeS = rawSeconds();
    opened.read(timeS);
    opened.settle();
    for (let i = 0; i < columns.length; i++) values[i] = opened.shown(columns[i].handle);
    return timeS;
  };
  let timeS = read();
  if (values.some((v) => v !== v)) {
    sleepUntil(monotonicNanoseconds() + SETTLE_NS);
    timeS = read();
  }
  const firstNs = realtimeNanoseconds();
  if (print.header && !print.silent) {
    writeStdout(encoder.encode(columns.map((c) => `"${c.title}"`).join(print.delimiter) + "\n"));
  }
  let nextNs = monotonicNanoseconds();
  for (let row = 0; row < plan.rows; row++) {
    if (row > 0) {
      nextNs += plan.periodNs;
      sleepUntil(nextNs);
      timeS = read();
    }
    stats.add(timeS, values);
    if (print.silent) continue;
    const cells = columns.map((c, i) => formatSignal(values[i], c.format).replace("NAN", "nan"));
    writeStdout(encoder.encode(cells.join(print.delimiter) + "\n"));
  }
  return firstNs;
}
