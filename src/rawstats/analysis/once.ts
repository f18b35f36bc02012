/**
 * Records of one node that several files hold, each once: copies of a file, a file beside its packed
 * form, an earlier copy of a longer one.
 *
 * A line is known by host, time, type and device. If copies differ, the order of their files decides:
 * more records first, then the earlier first record, then the smaller values.
 * @module
 */
import type { FormatError } from "../../core/errors.ts";
import { type RawColumns, type RawDevice, RawValues } from "../format/columns.ts";
import { type RawHandler, type RawHead, RawScanner } from "../format/scanner.ts";
import { SeenTimes } from "../format/seen_times.ts";
import { piecesFor, type RawFile, scanRawFile } from "./files.ts";
import type { RawNode } from "./node.ts";

/** Content that was found more than once. */
export interface RawCopies {
  /** Record groups, and their lines. */
  records: number;
  lines: number;
  /** Lines whose values were not the same. */
  differing: number;
}

/** One statistics line, and the number of the file that it came from. */
export interface HeldLine {
  readonly device: RawDevice;
  readonly values: RawValues;
  readonly file: number;
}

/** A record group as one file, or several, have it. */
export interface HeldRecord {
  readonly head: RawHead;
  readonly marks: readonly string[];
  readonly lines: readonly HeldLine[];
  /** Number of the file. */
  readonly file: number;
}

/** The receiver of lines between the records. */
export type HeldHandler = Pick<RawHandler, "schema" | "property" | "error">;

/** Files whose times overlap, together; other files one by one. */
function meeting(files: readonly RawFile[]): RawFile[][] {
  const groups: RawFile[][] = [];
  let lastUs = -Infinity;
  for (const file of files) {
    const own = file.lastUs ?? NaN;
    if (file.firstUs <= lastUs) groups.at(-1)!.push(file);
    else groups.push([file]);
    if (own > lastUs) lastUs = own;
  }
  return groups;
}

/** Hands a node its files, in the order of time, every record once. */
export async function scanRawNode(
  files: readonly RawFile[],
  node: RawNode,
  error: (error: FormatError) => void,
): Promise<RawCopies> {
  const copies: RawCopies = { records: 0, lines: 0, differing: 0 };
  const seen = new SeenTimes();
  for (const group of meeting(files)) {
    const handler = node.startFile(error);
    if (group.length === 1) {
      await scanRawFile(group[0], {
        ...handler,
        copy(lines) {
          copies.records++;
          copies.lines += lines;
        },
      }, seen);
      continue;
    }
    let from = -1;
    for await (const { head, marks, lines } of recordsOnce(group, handler, { copies, seen })) {
      handler.record!(head);
      for (const mark of marks) handler.mark!(mark);
      for (const { device, values, file } of lines) {
        // Devices are numbered within their file.
        if (file !== from) node.differ.startFile();
        from = file;
        handler.row!(device, values);
      }
    }
  }
  return copies;
}

/** The records of some files in the order of time, each once. */
async function* recordsOnce(
  files: readonly RawFile[],
  handler: HeldHandler,
  { copies, seen }: { readonly copies: RawCopies; readonly seen: SeenTimes },
): AsyncGenerator<HeldRecord> {
  const sources = files.map((file, i) => recordsOf(file, i, handler, copies));
  const heads = await Promise.all(sources.map(async (source) => (await source.next()).value));
  let lastUs = -Infinity;
  for (;;) {
    let timeUs = Infinity;
    for (const record of heads) {
      if (record !== undefined && record.head.timeUs < timeUs) timeUs = record.head.timeUs;
    }
    if (timeUs === Infinity) return;
    const same: HeldRecord[] = [];
    for (const [i, source] of sources.entries()) {
      if (heads[i]?.head.timeUs !== timeUs) continue;
      same.push(heads[i]!);
      heads[i] = (await source.next()).value;
    }
    if (!seen.add(timeUs)) {
      // A record that one file has late, and another one had in its place.
      copies.records += same.length;
      copies.lines += same.reduce((sum, { lines }) => sum + lines.length, 0);
      continue;
    }
    const record = same.length === 1 ? same[0] : joined(same, files, copies);
    yield { ...record, head: { ...record.head, backwards: timeUs < lastUs } };
    lastUs = timeUs;
  }
}

/**
 * Column indices of one type's keys in another file, −1: not there; `null`: they have the same
 * indices. By both.
 */
const places = new WeakMap<RawColumns, WeakMap<RawColumns, Int32Array | null>>();

function placesIn(from: RawColumns, to: RawColumns): Int32Array | null {
  const known = places.getOrInsertComputed(from, () => new WeakMap());
  return known.getOrInsertComputed(to, () => {
    const names = to.schema.keys.map(({ name }) => name);
    const at = Int32Array.from(from.schema.keys, ({ name }) => names.indexOf(name));
    return at.length === names.length && at.every((place, i) => place === i) ? null : at;
  });
}

/** Do two copies of a line differ in a key that both have? Files may have keys in an order of their own. */
function differ(a: HeldLine, b: HeldLine): boolean {
  const at = placesIn(a.device.columns, b.device.columns);
  if (at === null) return a.values.compare(b.values) !== 0;
  return at.some((place, i) => place >= 0 && a.values.exact(i) !== b.values.exact(place));
}

/** The name of a line within its record. */
function nameOf({ device }: HeldLine): string {
  return `${device.columns.schema.type} ${device.name}`;
}

/** The order of the records of two files: below 0 if the first one goes before. */
function orderOf(a: HeldRecord, b: HeldRecord, files: readonly RawFile[]): number {
  const [mine, theirs] = [files[a.file], files[b.file]];
  const byFile = theirs.records - mine.records || mine.firstUs - theirs.firstUs;
  if (byFile !== 0) return byFile;
  const others = new Map(b.lines.map((line) => [nameOf(line), line]));
  for (const line of a.lines) {
    const other = others.get(nameOf(line));
    if (other === undefined || !differ(line, other)) continue;
    return line.values.compare(other.values) || -1;
  }
  return 0;
}

/** One record out of its copies. */
function joined(
  all: readonly HeldRecord[],
  files: readonly RawFile[],
  copies: RawCopies,
): HeldRecord {
  const same = [...all].sort((a, b) => orderOf(a, b, files));
  const lines = new Map<string, HeldLine>();
  const { lines: linesBefore } = copies;
  for (const record of same) {
    for (const line of record.lines) {
      const before = lines.get(nameOf(line));
      if (before === undefined) lines.set(nameOf(line), line);
      else {
        copies.lines++;
        if (differ(before, line)) copies.differing++;
      }
    }
  }
  // Parts of a record, by types say, are no copies.
  if (copies.lines > linesBefore) copies.records += same.length - 1;
  // Lines of one file follow each other.
  const ordered = [...lines.values()].sort((a, b) => a.file - b.file);
  const marks = [...new Set(same.flatMap((record) => record.marks))];
  return { ...same[0], marks, lines: ordered };
}

/** The records of one file, kept as long as their piece. */
async function* recordsOf(
  file: RawFile,
  number: number,
  handler: HeldHandler,
  copies: RawCopies,
): AsyncGenerator<HeldRecord, undefined> {
  const times = new SeenTimes();
  let ready: HeldRecord[] = [];
  let now: { head: RawHead; marks: string[]; lines: HeldLine[]; file: number } | undefined;
  const own: RawHandler = {
    property: (name, value) => handler.property?.(name, value),
    schema: (columns: RawColumns) => handler.schema?.(columns),
    error: (error) => handler.error(error),
    record(head) {
      if (now !== undefined) ready.push(now);
      now = { head, marks: [], lines: [], file: number };
    },
    mark: (text) => void now!.marks.push(text),
    row: (device, values) => void now!.lines.push({ device, values: values.copy(), file: number }),
    copy(lines) {
      copies.records++;
      copies.lines += lines;
    },
  };
  const scanner = new RawScanner(file.path, own, () => times);
  for await (const piece of piecesFor(scanner, file, own)) {
    scanner.push(piece);
    yield* ready;
    ready = [];
  }
  scanner.end();
  yield* ready;
  if (now !== undefined) yield now;
}
