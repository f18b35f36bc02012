/**
 * CPU lists as the kernel and taskset(1) write them: `0-3,8,10-11`.
 *
 * Format: Linux, Documentation/admin-guide/cputopology.rst and bitmap_parselist().
 * @module
 */

/** More CPUs than any node has; a longer list is an error, not an order to fill memory. */
const MAX_CPU = 65535;

const ITEM = /^(\d+)(?:-(\d+)(?::(\d+)\/(\d+))?)?$/;

/**
 * Parses a CPU list; blanks and a final line feed are ignored, the empty list is legal.
 *
 * `0-15:2/8` takes the first 2 of every 8, as the kernel does.
 *
 * @returns CPU numbers, ascending and without repetition.
 * @throws {RangeError} If the text is no CPU list.
 */
export function parseCpuList(text: string): number[] {
  const cpus = new Set<number>();
  const trimmed = text.trim();
  if (trimmed === "") return [];
  for (const item of trimmed.split(",")) {
    const match = ITEM.exec(item.trim());
    if (match === null) throw new RangeError(`no CPU list: ${trimmed.slice(0, 80)}`);
    const first = Number(match[1]);
    const last = match[2] === undefined ? first : Number(match[2]);
    const used = match[3] === undefined ? 1 : Number(match[3]);
    const group = match[4] === undefined ? 1 : Number(match[4]);
    if (last < first || last > MAX_CPU || used < 1 || used > group) {
      throw new RangeError(`no CPU range: ${item.trim().slice(0, 80)}`);
    }
    for (let cpu = first; cpu <= last; cpu++) {
      if ((cpu - first) % group < used) cpus.add(cpu);
    }
  }
  return [...cpus].sort((a, b) => a - b);
}

/** CPUs of a text that may be missing; `undefined` if it is no CPU list. */
export function cpusOf(text: string | undefined): number[] | undefined {
  try {
    return text === undefined ? undefined : parseCpuList(text);
  } catch {
    return undefined;
  }
}

/** Writes CPU numbers, in any order, as the shortest list of ranges. */
export function formatCpuList(cpus: Iterable<number>): string {
  const sorted = [...new Set(cpus)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length;) {
    let end = i;
    while (sorted[end + 1] === sorted[end] + 1) end++;
    parts.push(end === i ? `${sorted[i]}` : `${sorted[i]}-${sorted[end]}`);
    i = end + 1;
  }
  return parts.join(",");
}
