/**
 * The protocol of a collector and its clients: one table, then numbers only.
 *
 * The collector begins with lines of text: its name and version, a line `file PATH` for each file, one
 * line `registers CPUS REGISTERS` if it has any, and an empty line. From then on a client sends
 *
 *   u32 count, u32 id × count
 *
 * and gets a cell an id, in that order: 64 bytes for a file (i32 length or −errno, then its text), 12
 * for a register (i32 errno, u32 low half, u32 high half). All of it little endian. An id is a number
 * of the table, so that nothing that a client sends names a path or a register.
 *
 * A client that is refused gets one line that begins with `error`.
 * @module
 */
import { cpusOf, formatCpuList } from "./cpu_list.ts";

/** First line of the table. */
const SERVED_NAME = "joulemark-collector 1";
/** Values of one request. */
export const MAX_IDS = 4096;
/** Bytes of a table: no node has more. */
export const MAX_TABLE_BYTES = 1 << 20;
/** A file's cell: its length, and the text. */
export const FILE_CELL = 64;
/** Text of a file that fits its cell. */
export const MAX_TEXT_BYTES = FILE_CELL - 4;
/** A register's cell. */
const REGISTER_CELL = 12;
/** Ids of registers begin here: place of the CPU × 256 + place of the register. */
const REGISTER = 0x80000000;
const REGISTERS_MAX = 256;

/** Files and registers that a collector reads. */
export interface ServedTable {
  readonly files: readonly string[];
  /** Logical CPUs whose registers it reads, ascending. */
  readonly cpus: readonly number[];
  /** Numbers of registers, at most 256. */
  readonly registers: readonly number[];
}

/** The value that an id stands for. */
export type Served =
  | { readonly kind: "file"; readonly file: number }
  | { readonly kind: "register"; readonly cpu: number; readonly register: number };

/** The table as it is sent. */
export function printTable({ files, cpus, registers }: ServedTable): string {
  const lines = [SERVED_NAME, ...files.map((path) => `file ${path}`)];
  if (cpus.length > 0 && registers.length > 0) {
    const numbers = registers.map((register) => `0x${register.toString(16)}`).join(",");
    lines.push(`registers ${formatCpuList(cpus)} ${numbers}`);
  }
  return [...lines, "", ""].join("\n");
}

/** Reads a table; a text result is the reason why it is none. */
export function parseTable(text: string): ServedTable | string {
  const lines = text.split("\n");
  if (lines[0].startsWith("error ")) return lines[0].slice(6, 200);
  if (lines[0] !== SERVED_NAME) return "not a collector of this version";
  const files: string[] = [];
  let cpus: readonly number[] = [];
  let registers: number[] = [];
  for (const line of lines.slice(1)) {
    if (line === "") break;
    const [word, first = "", second = ""] = line.split(" ");
    if (word === "file" && first.startsWith("/")) files.push(line.slice(5));
    else if (word === "registers") {
      cpus = cpusOf(first) ?? [];
      registers = second.split(",").map(Number);
    } else return `a line of its table is unknown: ${line.slice(0, 80)}`;
  }
  const whole = registers.every((n) => Number.isInteger(n) && n >= 0 && n <= 0xffffffff);
  if (!whole || registers.length > REGISTERS_MAX) return "a register of its table is no number";
  return { files, cpus, registers };
}

/** Id of a register, by places in the table. */
export function registerId(cpuPlace: number, registerPlace: number): number {
  return REGISTER + cpuPlace * REGISTERS_MAX + registerPlace;
}

/** File or register of an id; `undefined`: the table has none. */
export function servedBy(table: ServedTable, id: number): Served | undefined {
  if (id < REGISTER) return id < table.files.length ? { kind: "file", file: id } : undefined;
  const cpu = table.cpus[Math.floor((id - REGISTER) / REGISTERS_MAX)];
  const register = table.registers[id % REGISTERS_MAX];
  return cpu === undefined || register === undefined
    ? undefined
    : { kind: "register", cpu, register };
}

/** Bytes of the cell that answers an id. */
export function cellBytes(id: number): number {
  return id < REGISTER ? FILE_CELL : REGISTER_CELL;
}

/** A request as it is sent. */
export function printRequest(ids: readonly number[]): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(4 + 4 * ids.length));
  view.setUint32(0, ids.length, true);
  ids.forEach((id, i) => view.setUint32(4 + 4 * i, id, true));
  return new Uint8Array(view.buffer);
}
