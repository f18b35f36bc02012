/**
 * Points that a program's author put into it for tracers (USDT): notes of the section `.note.stapsdt`.
 * Truth: the header sys/sdt.h of SystemTap, and its page on the notes' layout.
 *
 * A note's descriptor: address of the point, address of the section `.stapsdt.base` when it was linked,
 * address of the semaphore or 0, 8 bytes each; then provider, name and arguments, each ends in NUL.
 * @module
 */
import { offsetOf, openElf, type ReadAt, viewOf } from "../../profile/elf.ts";
import { X86_64 } from "../../profile/machine.ts";

/** One place of a point. */
export interface ElfPoint {
  readonly provider: string;
  readonly name: string;
  /** File offset of the point's instruction. */
  readonly offset: number;
  /**
   * File offset of the counter that is above 0 while a listener exists; 0: the point is always
   * active.
   */
  readonly semaphore: number;
}

const NOTES = ".note.stapsdt", BASE = ".stapsdt.base", STAPSDT = 3;
const NOTES_MOST = 1 << 24;

/** Points of a file of x86-64, in its order; a reason if it has none that can be read. */
export function elfPoints(read: ReadAt): ElfPoint[] | { refused: string } {
  const file = openElf(read, X86_64);
  if ("refused" in file) return file;
  const notes = file.sections.find(({ name }) => name === NOTES);
  if (notes === undefined || notes.size > NOTES_MOST) return { refused: "no points for tracers" };
  const linked = file.sections.find(({ name }) => name === BASE)?.address;
  const bytes = read(notes.offset, notes.size);
  const view = viewOf(bytes);
  const points: ElfPoint[] = [];
  const aligned = (n: number) => (n + 3) & ~3;
  for (let at = 0; at + 12 <= bytes.length;) {
    const [nameBytes, size] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const start = at + 12 + aligned(nameBytes);
    const end = start + size;
    if (end > bytes.length) break;
    if (view.getUint32(at + 8, true) === STAPSDT && size >= 27) {
      const word = (place: number) => Number(view.getBigUint64(start + 8 * place, true));
      const texts = new TextDecoder().decode(bytes.subarray(start + 24, end)).split("\0");
      // A file that was moved after it was linked says so by the section's new place.
      const moved = linked === undefined ? 0 : linked - word(1);
      const offset = offsetOf(file, word(0) + moved);
      const semaphore = word(2) === 0 ? 0 : offsetOf(file, word(2) + moved);
      if (offset !== undefined && semaphore !== undefined) {
        points.push({ provider: texts[0], name: texts[1], offset, semaphore });
      }
    }
    at = start + aligned(size);
  }
  return points.length > 0 ? points : { refused: "no points for tracers" };
}

/** Two points of a provider that stand for begin and end, by their names; `END` of a point's begin. */
const PAIRS: readonly (readonly [begin: string, ends: readonly string[]])[] = [
  ["start", ["done", "end", "stop", "finish"]],
  ["begin", ["end", "done"]],
  ["entry", ["return", "exit", "end"]],
  ["enter", ["exit", "leave", "return"]],
  ["acquire", ["release"]],
];

/** The names of the points that end what a point begins: `gc__done` for `gc__start`. */
export function endsOf(point: string): { stem: string; ends: string[] } | undefined {
  for (const [begin, ends] of PAIRS) {
    if (!point.endsWith(begin)) continue;
    const head = point.slice(0, -begin.length);
    const stem = head.replace(/[_-]+$/, "");
    if (stem !== "" && (head !== stem)) return { stem, ends: ends.map((end) => head + end) };
  }
}
