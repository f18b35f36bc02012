/**
 * `joulemark read`: one value now, and the catalogue of signals. After geopmread(1).
 * @module
 */
import { jsonText } from "../core/printable.ts";
import { type Domain, DOMAINS, isDomain } from "../core/machine/domain.ts";
import { UnknownNameError, UsageError } from "../core/errors.ts";
import { formatSignal } from "../core/number_format.ts";
import type { OfferedSignal, Unit } from "../core/signal.ts";
import { monotonicNanoseconds, rawSeconds, sleepUntil } from "../os/clock.ts";
import { columns } from "../rawstats/analysis/print/print_table.ts";
import { Batch } from "../sources/signals/batch.ts";
import type { Catalogue, CatalogueEntry } from "../sources/signals/catalogue.ts";
import { wholesOf } from "../sources/signals/containment.ts";
import { EXIT } from "./exit_codes.ts";
import { finished, say, terminalWidth, writeStdout } from "./io.ts";
import { misused, parseFormat } from "./command_line/options.ts";
import {
  JSON_SWITCH,
  NODE_OPTIONS,
  quietOption,
  TEXT_OR_JSON,
} from "./command_line/common_options.ts";
import { openCatalogue } from "./open_catalogue.ts";
import type { Verb } from "./command_line/verb.ts";

/** geopmread(1) waits so long between the readings that a rate needs. */
const RATE_READINGS = 8;
const RATE_PERIOD_NS = 5_000_000;

/** Units in words, as geopmread(1) has them. */
const UNIT_WORDS: Record<Unit, string> = {
  "": "none",
  s: "seconds",
  cycles: "cycles",
  Hz: "hertz",
  W: "watts",
  J: "joules",
  "°C": "celsius",
  A: "amperes",
  V: "volts",
  B: "bytes",
  "B/s": "bytes per second",
  "%": "percent",
};

/** Reads one signal, or lists them. */
export const read: Verb = {
  name: "read",
  usage: ["[options] [SIGNAL DOMAIN INDEX]"],
  about: `Reads one signal now; lists and describes signals.

Without arguments it prints the names of all signals of this node, one per line.`,
  options: [
    {
      name: "list",
      short: "l",
      value: "WORD",
      optionalValue: true,
      help: "list all known signals with domain, unit and source, or only signals whose name or " +
        "description contains WORD",
    },
    {
      name: "info",
      short: "i",
      value: "SIGNAL",
      help: "print unit, domain, behavior, aggregation and source of a signal",
    },
    {
      name: "domains",
      short: "d",
      help: "print the domains (kinds of hardware parts), and the number of parts of each " +
        "domain on this node",
    },
    JSON_SWITCH,
    TEXT_OR_JSON,
    ...NODE_OPTIONS,
    quietOption("print no reasons for missing signals on stderr"),
  ],
  notes: 'If a signal has no source on this node, its value is "nan", the reason is printed on ' +
    "stderr, and the exit status is 1. If the name is unknown, the exit status is 2.",
  examples: [
    "joulemark read CPU_ENERGY package 0",
    "joulemark read --list energy",
    "joulemark read --info CPU_POWER",
  ],
  run(options) {
    const { text, flags, words } = options;
    const json = parseFormat(options, ["text", "json"]) === "json";
    const { host, catalogue } = openCatalogue(text);
    const most = text.list === "" ? 1 : 0;
    const lists = flags.has("domains") || text.info !== undefined || text.list !== undefined;
    if (lists && words.length > most) throw misused("read", "no further words", words[most]);
    if (flags.has("domains")) {
      return print(
        json,
        DOMAINS.map((name) => ({ name, count: host.topology.count(name) })),
        (d) => d.name.padEnd(28) + d.count,
      );
    }
    if (text.info !== undefined) return info(catalogue, text.info, json);
    if (text.list !== undefined) return list(catalogue, text.list || (words[0] ?? ""), json);
    if (words.length === 0) return print(json, catalogue.availableNames(), (name) => name);
    const batch = new Batch(host.topology, catalogue);
    const request = parseRequest(words);
    return one(catalogue, batch, { ...request, json, quiet: flags.has("quiet") });
  },
};

function print<T>(json: boolean, items: readonly T[], line: (item: T) => string): number {
  return finished(json ? jsonText(items, 2) + "\n" : items.map((i) => line(i) + "\n").join(""));
}

interface Request {
  readonly name: string;
  readonly domain: Domain;
  readonly index: number;
}

/** `SIGNAL DOMAIN INDEX`, or `SIGNAL@DOMAIN-INDEX`. */
function parseRequest(words: readonly string[]): Request {
  const short = words.length === 1 ? /^(.+)@([a-z_]+)-(\d+)$/.exec(words[0]) : null;
  const [name, domain, index, ...rest] = short === null ? words : short.slice(1);
  const wrong = (target: string, expected: string, found: string) =>
    new UsageError({ action: "read", target, expected, found });
  if (domain === undefined || index === undefined || rest.length > 0) {
    const found = `${words.length} ${words.length === 1 ? "word" : "words"}`;
    throw wrong(words.join(" "), "SIGNAL DOMAIN INDEX, such as CPU_ENERGY package 0", found);
  }
  const target = `${name} ${domain} ${index}`;
  if (!isDomain(domain)) throw wrong(target, `a domain: ${DOMAINS.join(", ")}`, domain);
  if (!/^\d{1,9}$/.test(index)) throw wrong(target, "an index, a whole number from 0", index);
  return { name, domain, index: Number(index) };
}

function one(
  catalogue: Catalogue,
  batch: Batch,
  request: Request & { json: boolean; quiet: boolean },
): number {
  const { name, domain, index, json } = request;
  const handle = batch.pushSignal(name, domain, index);
  const entry = catalogue.info(name)!;
  let value = NaN;
  const readings = catalogue.resolve(name).kind === "derived" ? RATE_READINGS : 1;
  if (entry.state.ok) {
    using opened = batch;
    for (let i = 0; i < readings; i++) {
      if (i > 0) sleepUntil(monotonicNanoseconds() + RATE_PERIOD_NS);
      opened.read(rawSeconds());
      opened.settle();
    }
    value = opened.sample(handle);
  }
  const row = entry.state.ok ? entry.state.signal.row : entry.row;
  const format = row.format ?? "double", text = formatSignal(value, format);
  const isRegister = format === "raw64";
  // The bits of a register may be those of a NaN.
  const isKnown = isRegister ? text !== formatSignal(NaN, format) : value === value;
  const reason = isKnown ? undefined : why(entry, batch);
  if (json) {
    const known = isKnown ? isRegister ? text : value : null;
    writeStdout(
      jsonText({ signal: name, domain, index, value: known, unit: row.unit, reason }) + "\n",
    );
  } else writeStdout((isKnown ? text : "nan") + "\n");
  if (reason === undefined) return EXIT.done;
  if (!request.quiet) say(`${name}: ${reason}`);
  return EXIT.failed;
}

/** Why a reading gave nothing. */
function why(entry: CatalogueEntry, batch: Batch): string {
  if (!entry.state.ok) {
    const remedy = entry.state.remedy === undefined ? "" : `; ${entry.state.remedy}`;
    return `${entry.state.kind}: ${entry.state.reason}${remedy}`;
  }
  for (const { reading } of batch.readings) {
    const trouble = reading.troubles?.find((t) => t.kind !== "stall" && t.kind !== "cap");
    if (trouble !== undefined) return `${trouble.kind}: ${trouble.text}`;
  }
  return "no value at this instance";
}

function info(catalogue: Catalogue, name: string, json: boolean): number {
  const entry = catalogue.info(name);
  if (entry === undefined) throw unknownSignal(name, catalogue);
  if (json) return finished(jsonText(plain(entry), 2) + "\n");
  const { row, state } = entry;
  const lines: [string, string | undefined][] = [
    ["description", row.about],
    ["units", UNIT_WORDS[row.unit]],
    ["aggregation", row.agg],
    ["domain", state.ok ? state.signal.row.domain : row.domain],
    ["behavior", row.behavior],
    ["format", row.format ?? "double"],
    ["iogroup", entry.group],
    ["alias_for", entry.aliasFor],
    ["source", state.ok ? state.signal.source : undefined],
    ["quality", state.ok ? state.signal.quality : state.kind],
    ["resolution", state.ok ? state.signal.resolution?.toString() : undefined],
    ["wraps at", state.ok ? state.signal.wrapRange?.toString() : undefined],
    ["note", state.ok ? state.signal.note : undefined],
    ["part of", wholesOf(entry.aliasFor ?? name).join(", ")],
    ["quirks", row.quirks],
    ["reason", state.ok ? undefined : state.reason],
    ["remedy", state.ok ? undefined : state.remedy],
  ];
  let text = `${name}:\n`;
  for (const [key, value] of lines) if (value) text += `    ${key}: ${value}\n`;
  for (const c of entry.candidates ?? []) {
    text += `    ${c.chosen ? "chosen" : "not chosen"}: ${c.name} (${c.why})\n`;
  }
  return finished(text);
}

function list(catalogue: Catalogue, word: string, json: boolean): number {
  const entries = catalogue.list(word);
  if (json) return print(true, entries.map(plain), () => "");
  if (entries.length === 0) throw unknownSignal(word, catalogue);
  const rows = [["NAME", "DOMAIN", "UNIT", "BEHAVIOR", "AGGREGATION", "SOURCE"]];
  for (const { name, row, state } of entries) {
    const source = state.ok ? state.signal.source : `${state.kind}: ${state.reason}`;
    rows.push([name, row.domain, row.unit || "-", row.behavior, row.agg, source]);
  }
  return finished(columns(rows, terminalWidth()));
}

function unknownSignal(name: string, catalogue: Catalogue): UnknownNameError {
  return new UnknownNameError("signal", name, catalogue.names(), 'see "joulemark read --list"');
}

/** An entry as JSON has it. */
function plain(entry: CatalogueEntry) {
  const { name, row, state, group, aliasFor, candidates } = entry;
  const { unit, behavior, agg: aggregation, format = "double", about: description, quirks } = row;
  return {
    name,
    domain: state.ok ? state.signal.row.domain : row.domain,
    unit,
    behavior,
    aggregation,
    format,
    description,
    quirks,
    group,
    aliasFor,
    ...(state.ok ? offered(state.signal) : {
      available: false,
      quality: state.kind,
      reason: state.reason,
      remedy: state.remedy,
    }),
    candidates,
  };
}

function offered(signal: OfferedSignal) {
  const { source, quality, note, resolution, wrapRange, updatePeriodS: updatePeriod } = signal;
  return { available: true, source, quality, note, resolution, wrapRange, updatePeriod };
}
