/**
 * Lines of the source by address, from the programs of .debug_line. Truth: DWARF 2 to 5, section 6.2.
 * @module
 */
import { BadTable, type Cursor } from "./cursor.ts";
import { firstAbove } from "./elf.ts";

const ROWS_MOST = 1 << 22;

/** Lines by address. */
export interface LineTable {
  readonly addresses: Float64Array;
  readonly files: Int32Array;
  /** −1: no code follows. */
  readonly lines: Int32Array;
  readonly names: readonly string[];
}

/** File and line of an address; line 0: it is not known. */
export function placeIn(table: LineTable | null, address: number): { file: string; line: number } {
  const i = table === null ? -1 : firstAbove(table.addresses, table.addresses.length, address) - 1;
  if (table === null || i < 0 || table.lines[i] < 0) return { file: "", line: 0 };
  return { file: table.names[table.files[i]] ?? "", line: table.lines[i] };
}

/** The path of a file in a directory below another one. */
export function joined(base: string, directory: string, name: string): string {
  if (name.startsWith("/")) return name;
  if (directory === "") return name;
  return directory.startsWith("/") || base === ""
    ? `${directory}/${name}`
    : `${base}/${directory}/${name}`;
}

/** A program, and what its instructions mean. */
export interface LineProgram {
  readonly end: number;
  readonly step: number;
  readonly lineBase: number;
  readonly lineRange: number;
  readonly firstSpecial: number;
  readonly operands: readonly number[];
}

/** The program makes rows: addresses, each with file and line up to the next. */
export function runLines(
  cursor: Cursor,
  program: LineProgram,
  names: readonly string[],
): LineTable {
  const { end, step, lineBase, lineRange, firstSpecial, operands } = program;
  const rows: { address: number; file: number; line: number; sequence: number }[] = [];
  let address = 0, file = 1, line = 1, sequence = 0;
  const emit = (isEnd = false) => {
    if (rows.push({ address, file, line: isEnd ? -1 : line, sequence }) > ROWS_MOST) {
      throw new BadTable();
    }
  };
  const extended = () => {
    const length = cursor.uleb(), behind = cursor.at + length, kind = cursor.u8();
    if (kind === 1) {
      emit(true);
      [address, file, line] = [0, 1, 1];
      sequence++;
    } else if (kind === 2) address = cursor.u64();
    cursor.at = behind;
  };
  while (cursor.at < end) {
    const code = cursor.u8();
    if (code >= firstSpecial) {
      const special = code - firstSpecial;
      address += Math.floor(special / lineRange) * step;
      line += lineBase + special % lineRange;
      emit();
    } else if (code === 0) extended();
    else if (code === 1) emit();
    else if (code === 2) address += cursor.uleb() * step;
    else if (code === 3) line += cursor.sleb();
    else if (code === 4) file = cursor.uleb();
    else if (code === 8) address += Math.floor((255 - firstSpecial) / lineRange) * step;
    else if (code === 9) address += cursor.u16();
    else for (let i = 0; i < operands[code]; i++) cursor.uleb();
  }
  // Where one sequence ends and another begins, the one that begins counts.
  const sorted = rows.map((row, i) => ({ row, i })).sort((a, b) => {
    return a.row.address - b.row.address || a.row.sequence - b.row.sequence || a.i - b.i;
  });
  return {
    addresses: Float64Array.from(sorted, ({ row }) => row.address),
    files: Int32Array.from(sorted, ({ row }) => row.file),
    lines: Int32Array.from(sorted, ({ row }) => row.line),
    names,
  };
}
