/**
 * Code mappings of a process, by address.
 * @module
 */

/** One mapping. */
export interface Mapping {
  readonly start: number;
  readonly end: number;
  /** The module's number. */
  readonly module: number;
  /** Difference between an address and the one that the linker gave. */
  readonly bias: number;
  /** Code that the process made itself, without tables. */
  readonly isMade: boolean;
}

/** The mappings of one process. */
export class AddressSpace {
  readonly id: number;
  /** Changes with each mapping. */
  generation = 0;
  /** True if it runs Python, whose trampolines have frames of their own. */
  hasTrampolines = false;
  #mappings: Mapping[] = [];
  #last: Mapping | undefined;

  constructor(id: number) {
    this.id = id;
  }

  /** Adds a mapping; what was there is replaced. */
  add(mapping: Mapping): void {
    const { start, end } = mapping;
    const kept = this.#mappings.flatMap((other) => {
      if (other.end <= start || other.start >= end) return [other];
      const before = other.start < start ? [Object.assign({}, other, { end: start })] : [];
      return other.end > end ? [...before, Object.assign({}, other, { start: end })] : before;
    });
    kept.push(mapping);
    this.#mappings = kept.sort((a, b) => a.start - b.start);
    this.#last = undefined;
    this.generation++;
  }

  /** Files outside of these mappings are gone; what comes behind the last one is not known. */
  keepFiles(mapped: readonly Pick<Mapping, "start" | "end">[]): void {
    const { end: knownEnd = 0 } = mapped.at(-1) ?? {};
    this.#mappings = this.#mappings.filter(({ start, end, isMade }) =>
      isMade || start >= knownEnd || mapped.some((other) => other.start < end && start < other.end)
    );
    this.#last = undefined;
    this.generation++;
  }

  find(address: number): Mapping | undefined {
    const last = this.#last;
    if (last !== undefined && address >= last.start && address < last.end) return last;
    let low = 0, high = this.#mappings.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#mappings[middle].start <= address) low = middle + 1;
      else high = middle;
    }
    const found = low > 0 ? this.#mappings[low - 1] : undefined;
    return this.#last = found !== undefined && address < found.end ? found : undefined;
  }

  /** Difference between addresses of a module and those that the linker gave; 0: it is not mapped. */
  biasOf(module: number): number {
    return this.#mappings.find((mapping) => mapping.module === module)?.bias ?? 0;
  }

  /** Address space of a child after fork(2). */
  fork(id: number): AddressSpace {
    const child = new AddressSpace(id);
    child.#mappings = this.#mappings;
    child.hasTrampolines = this.hasTrampolines;
    return child;
  }
}
