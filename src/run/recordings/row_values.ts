/**
 * The `value` column of `events.csv`, by what it holds: written from an event's record and read back
 * into one. core/events/event_kinds.ts lists the values of each kind. docs/reference/formats/recording.md.
 * @module
 */
import { cpusOf, formatCpuList } from "../../core/machine/cpu_list.ts";
import type { EventRecord } from "../../core/events/event.ts";
import type { RowValueName } from "../../core/events/event_kinds.ts";
import { HINTS, parseHint } from "../../core/hints.ts";

/** A field of a row that is read. */
export interface Cell {
  text(): string;
  /** `undefined`: it is no number. */
  number(): number | undefined;
  isEmpty(): boolean;
}

/** Writer and reader of a value. Rows look up paths and attributes' types. */
export interface RowValue {
  /** Name of the value in errors. @default "value" */
  readonly label?: string;
  write(event: EventRecord): string;
  /** @returns False if the text makes no sense. */
  read(cell: Cell, event: EventRecord): boolean;
}

/** All of them. */
export const ROW_VALUES: Readonly<Record<RowValueName, RowValue>> = {
  cpus: {
    label: "CPU list",
    write: ({ cpus }) => formatCpuList(cpus),
    read(cell, event) {
      const cpus = cpusOf(cell.text());
      if (cpus !== undefined) event.cpus = cpus;
      return cpus !== undefined;
    },
  },
  hint: {
    label: "hint",
    write: ({ hint }) => HINTS[hint] ?? String(hint),
    read: (cell, event) => (event.hint = parseHint(cell.text())) >= 0,
  },
  entryHint: {
    label: "hint",
    write: ({ hint }) => HINTS[hint] ?? "",
    read(cell, event) {
      event.hint = cell.isEmpty() ? -1 : parseHint(cell.text());
      return event.hint >= 0 || cell.isEmpty();
    },
  },
  epoch: {
    write: ({ number }) => number === 0 ? "" : String(number),
    read: (cell, event) => cell.isEmpty() ? (event.number = 0, true) : readNumber(cell, event),
  },
  number: { write: ({ number }) => String(number), read: readNumber },
  cpu: {
    write: ({ cpu }) => cpu < 0 ? "" : String(cpu),
    read(cell, event) {
      event.cpu = cell.isEmpty() ? -1 : cell.number() ?? NaN;
      return Number.isFinite(event.cpu);
    },
  },
  seconds: {
    write: ({ seconds }) => String(seconds),
    read(cell, event) {
      event.seconds = cell.number() ?? NaN;
      return Number.isFinite(event.seconds);
    },
  },
  visits: {
    label: "value, COUNT SECONDS",
    write: ({ visits, seconds }) => `${visits} ${seconds}`,
    read(cell, event) {
      const found = /^([0-9]+) ([0-9.]+(?:e[-+]?[0-9]+)?)$/i.exec(cell.text());
      event.visits = Number(found?.[1]);
      event.seconds = Number(found?.[2]);
      return event.visits > 0 && Number.isFinite(event.seconds);
    },
  },
  folded: {
    write: ({ path, folded: { count, sumNs, sumSquareNs2, minNs, maxNs, selfNs } }) =>
      [path, count, sumNs, sumSquareNs2, minNs, maxNs, selfNs].join(" "),
    read: (cell, event) =>
      takeNumbers(cell, 7, ([path, count, sumNs, sumSquareNs2, minNs, maxNs, selfNs]) => {
        event.path = path;
        Object.assign(event.folded, { count, sumNs, sumSquareNs2, minNs, maxNs, selfNs });
      }),
  },
  lengths: {
    write: ({ path, number, visits }) => `${path} ${number} ${visits}`,
    read: (cell, event) =>
      takeNumbers(cell, 3, (numbers) => [event.path, event.number, event.visits] = numbers),
  },
  path: {
    write: ({ path }) => String(path),
    read: (cell, event) => takeNumbers(cell, 1, (numbers) => [event.path] = numbers),
  },
  attribute: {
    write: ({ value }) => String(value),
    read(cell, event) {
      event.value = cell.text();
      return true;
    },
  },
  pmOpen: {
    write: ({ pm }) => (pm.version / 10).toFixed(1) + (pm.rank === undefined ? "" : ` ${pm.rank}`),
    read(cell, { pm }) {
      const words = wordsOf(cell);
      pm.version = Math.round(10 * (parseFloat(words[0] ?? "") || 0));
      pm.rank = words.length > 1 ? wholeOr(words[1], 0) : undefined;
      pm.path = undefined;
      pm.linked = undefined;
      return true;
    },
  },
  pmRecord: {
    write: ({ pm }) =>
      `${pm.step} ${pm.substep} ${Number(pm.sync)} ${Number(pm.initial)}${pm.after ? " 1" : ""}`,
    read(cell, { pm }) {
      const [step, substep, sync, initial, after] = wordsOf(cell);
      pm.step = wholeOr(step, 0);
      pm.substep = wholeOr(substep, 1);
      pm.sync = wholeOr(sync, 0) !== 0;
      pm.initial = wholeOr(initial, 0) !== 0;
      pm.after = wholeOr(after, 0) !== 0;
      return true;
    },
  },
};

function readNumber(cell: Cell, event: EventRecord): boolean {
  event.number = cell.number() ?? NaN;
  return Number.isFinite(event.number);
}

/**
 * Takes this many numbers between single blanks. @returns False if the cell holds something else.
 */
function takeNumbers(cell: Cell, count: number, take: (numbers: number[]) => void): boolean {
  const numbers = cell.text().split(" ").map(Number);
  const isSound = numbers.length === count && !numbers.some(Number.isNaN);
  if (isSound) take(numbers);
  return isSound;
}

function wordsOf(cell: Cell): string[] {
  return cell.text().split(/\s+/).filter((word) => word !== "");
}

function wholeOr(word: string | undefined, otherwise: number): number {
  const number = Number(word ?? otherwise);
  return Number.isInteger(number) ? number : otherwise;
}
