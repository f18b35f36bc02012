/**
 * Damage to `.cali` streams that knows their structure: ids that are others', of nobody or no
 * numbers, chains that close on themselves, lists of different length, records in the wrong order,
 * cut lines, bytes; and growth, of depth, width and number, which no single byte brings about.
 */

import type { Random } from "./random.ts";
import { escaped } from "./streams.ts";
import { NAMES, ODD_IDS, SPICE, VALUES } from "./words.ts";

/** Growth of what has grown would make the time of a case a matter of its length alone. */
const MAX_BYTES = 1 << 19;

/** Some damages, one after the other. */
export function damage(random: Random, lines: readonly string[]): string[] {
  let out = lines.slice();
  for (let n = random.below(6); n > 0; n--) {
    const way = random.once(24) ? random.pick(GROWTHS) : random.pick(WAYS);
    out = cut(way(random, out));
  }
  return out;
}

/** The first lines, as many as fit. */
function cut(lines: string[]): string[] {
  let bytes = 0;
  const end = lines.findIndex((line) => (bytes += line.length + 1) > MAX_BYTES);
  return end < 0 ? lines : lines.slice(0, end);
}

type Way = (random: Random, lines: string[]) => string[];

/** Ways to damage one or two lines. */
const WAYS: readonly Way[] = [
  changeValue,
  changeValue,
  changeValue,
  changeBytes,
  changeBytes,
  cutLine,
  moveLine,
  repeatLines,
  dropLines,
  closeCycle,
  redefine,
  renameAttribute,
  strangeField,
  insertLine,
];

/** Ways to make a stream great where none is. */
const GROWTHS: readonly Way[] = [growDepth, growWidth, growText, growRepeats, growGlobals];

/** Fields of a line, `key` and values; what is escaped stays whole. */
function fieldsOf(line: string): string[][] {
  return line.split(/(?<!\\),/).map((field) => field.split(/(?<!\\)=/));
}

function lineOf(fields: string[][]): string {
  return fields.map((field) => field.join("=")).join(",");
}

/** All ids that some line defines. */
function idsOf(lines: string[]): string[] {
  return lines.flatMap((line) => /[,]id=(\d+)/.exec(line)?.[1] ?? []);
}

function changeValue(random: Random, lines: string[]): string[] {
  if (lines.length === 0) return lines;
  const at = random.below(lines.length), fields = fieldsOf(lines[at]);
  const field = random.pick(fields);
  const place = 1 + random.below(Math.max(1, field.length - 1));
  const ids = idsOf(lines.slice(0, 200));
  const isData = field[0] === "data";
  const value = isData
    ? random.pick(VALUES)
    : random.once(2) && ids.length > 0
    ? random.pick(ids)
    : random.pick(ODD_IDS);
  switch (random.below(4)) {
    case 0:
      field.splice(place, 0, value);
      break;
    case 1:
      field.splice(place, 1);
      break;
    default:
      field[place] = value;
  }
  return lines.toSpliced(at, 1, lineOf(fields));
}

function changeBytes(random: Random, lines: string[]): string[] {
  if (lines.length === 0) return lines;
  const at = random.below(lines.length), line = lines[at], from = random.below(line.length + 1);
  const put = random.once(3) ? String.fromCharCode(random.below(256)) : random.pick(SPICE);
  return lines.toSpliced(at, 1, line.slice(0, from) + put + line.slice(from + random.below(3)));
}

function cutLine(random: Random, lines: string[]): string[] {
  if (lines.length === 0) return lines;
  const at = random.once(2) ? lines.length - 1 : random.below(lines.length);
  return lines.toSpliced(at, 1, lines[at].slice(0, random.below(lines[at].length + 1)));
}

function moveLine(random: Random, lines: string[]): string[] {
  if (lines.length === 0) return lines;
  const [line] = lines.splice(random.below(lines.length), 1);
  lines.splice(random.below(lines.length + 1), 0, line);
  return lines;
}

function repeatLines(random: Random, lines: string[]): string[] {
  const from = random.below(lines.length + 1), count = random.size(20);
  return lines.toSpliced(random.below(lines.length + 1), 0, ...lines.slice(from, from + count));
}

function dropLines(random: Random, lines: string[]): string[] {
  return lines.toSpliced(random.below(lines.length + 1), random.size(10));
}

function closeCycle(random: Random, lines: string[]): string[] {
  const ids = idsOf(lines.slice(0, 200));
  if (ids.length === 0) return lines;
  const a = random.pick(ids), b = random.once(2) ? a : random.pick(ids), attr = random.pick(ids);
  return lines.toSpliced(
    random.below(lines.length + 1),
    0,
    `__rec=node,id=${a},attr=${attr},data=1,parent=${b}`,
    `__rec=node,id=${b},attr=${random.once(2) ? a : attr},data=1,parent=${a}`,
    `__rec=ctx,ref=${a}=${b}`,
  );
}

/** An id that was an attribute becomes a value, or the other way round. */
function redefine(random: Random, lines: string[]): string[] {
  const ids = idsOf(lines.slice(0, 200));
  if (ids.length === 0) return lines;
  const id = random.pick(ids), attr = random.once(2) ? "8" : random.pick([...ids, "9", "10"]);
  return lines.toSpliced(
    random.below(lines.length + 1),
    0,
    `__rec=node,id=${id},attr=${attr},data=${random.pick(VALUES)},parent=${random.pick(ids)}`,
  );
}

function renameAttribute(random: Random, lines: string[]): string[] {
  const at = lines.findIndex((line) => line.includes(",attr=8,") && random.once(3));
  if (at < 0) return lines;
  const name = escaped(random.pick(NAMES)).replaceAll("$", "$$$$");
  return lines.toSpliced(at, 1, lines[at].replace(/data=(\\.|[^,\\])*/, `data=${name}`));
}

function strangeField(random: Random, lines: string[]): string[] {
  if (lines.length === 0) return lines;
  const at = random.below(lines.length), fields = fieldsOf(lines[at]);
  const field = random.once(2) ? [random.pick(["extra", "Ref", "id", ""]), "1"] : fields.pop()!;
  fields.splice(random.below(fields.length + 1), 0, field);
  return lines.toSpliced(at, 1, lineOf(fields));
}

function insertLine(random: Random, lines: string[]): string[] {
  const line = random.pick([
    "",
    "# comment",
    "__rec=ctx",
    "__rec=globals",
    "__rec=node",
    "__rec=",
    "__rec=ctx,",
    "__rec=ctx,ref=",
    "__rec=ctx,attr=,data=",
    "__rec=unknown,id=1",
    "__rec=node,id=12,attr=8,data=a,parent=12",
    "\0\0\0\0",
    "\u007fELF\u0002\u0001\u0001\u0000",
    "\u001f\u008b\u0008\u0000",
    "\\",
  ]);
  return lines.toSpliced(random.below(lines.length + 1), 0, line);
}

/** One chain far below the others; few records, because each prints it whole. */
function growDepth(random: Random, lines: string[]): string[] {
  const depth = 100 + random.size(12_000), first = 5_000_000, nested = random.once(4) ? 0 : 256;
  const chain = [
    `__rec=node,id=${first},attr=10,data=${20 + nested},parent=3`,
    `__rec=node,id=${first + 1},attr=8,data=region,parent=${first}`,
    `__rec=node,id=${first + 2},attr=${first + 1},data=a`,
  ];
  for (let i = 3; i < depth; i++) {
    const name = random.once(5) ? "b" : "a";
    chain.push(`__rec=node,id=${first + i},attr=${first + 1},data=${name},parent=${first + i - 1}`);
  }
  for (let n = random.below(4); n >= 0; n--) {
    chain.push(`__rec=ctx,ref=${first + 2 + random.below(depth - 2)}`);
  }
  chain.push(`__rec=ctx,ref=${first + depth - 1}`);
  return lines.toSpliced(random.below(lines.length + 1), 0, ...chain);
}

/** A record of very many references and values. */
function growWidth(random: Random, lines: string[]): string[] {
  const ids = idsOf(lines.slice(0, 200)), width = 50 + random.size(3000);
  if (ids.length === 0) return lines;
  const list = () => Array.from({ length: width }, () => random.pick(ids)).join("=");
  const data = Array.from({ length: width }, () => random.pick(VALUES)).join("=");
  const kind = random.once(4) ? "globals" : "ctx";
  return lines.toSpliced(
    random.below(lines.length + 1),
    0,
    `__rec=${kind},ref=${list()},attr=${list()},data=${data}`,
  );
}

function growText(random: Random, lines: string[]): string[] {
  if (lines.length === 0) return lines;
  const at = random.below(lines.length), line = lines[at], from = random.below(line.length + 1);
  const text = random.pick([...SPICE, "1", "a", "0", ",ref=13", "=1", "\\,", "(("]);
  const put = text.repeat(1 + random.size(100_000) / text.length);
  return lines.toSpliced(at, 1, line.slice(0, from) + put + line.slice(from));
}

/** The same few lines again and again, as a long run writes them. */
function growRepeats(random: Random, lines: string[]): string[] {
  const from = random.below(lines.length + 1), part = lines.slice(from, from + 1 + random.below(6));
  const more = Array.from({ length: random.size(2000) }, () => part).flat();
  return lines.toSpliced(from, 0, ...more);
}

/** Very many attributes, each a global or a value of its own. */
function growGlobals(random: Random, lines: string[]): string[] {
  const count = 10 + random.size(6000), first = 6_000_000;
  const property = random.pick(["513", "1612", "512", "1", "20", "276"]);
  const more = [`__rec=node,id=${first},attr=10,data=${property},parent=3`];
  const kind = random.pick(["globals", "ctx"]);
  for (let i = 1; i <= count; i++) {
    more.push(`__rec=node,id=${first + i},attr=8,data=n${i},parent=${first}`);
    more.push(`__rec=${kind},attr=${first + i},data=v${i}`);
  }
  return lines.toSpliced(random.below(lines.length + 1), 0, ...more);
}
