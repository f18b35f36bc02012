/**
 * The jobs of each record of a node, by time lines and marks.
 *
 * A record belongs to the jobs of its time line (a comma list if jobs share the node), and to those
 * between the marks `%begin JOB` and `%end JOB`, both included. Some daemons write no end mark when
 * the next job follows at once: such a job ends with the record that has `%begin` of the other job,
 * which is also its last sample; without that mark it ends where the time lines name other jobs.
 * @module
 */

const NO_JOB = /^[-0]?$/;

function idsOf(list: string): string[] {
  return list.split(",").filter((id) => !NO_JOB.test(id));
}

/** Takes the records of one node in the order of time. */
export class RecordJobs {
  /** Jobs with a begin mark, and those whose end is known. */
  readonly begun = new Set<string>();
  readonly ended = new Set<string>();
  /** All jobs of the node. */
  readonly seen = new Set<string>();
  /** Jobs that a mark began and nothing ended. */
  readonly #inside = new Set<string>();
  /** Jobs that go on after the record before. */
  #before: ReadonlySet<string> = new Set();
  /** Jobs that a time line has named. */
  readonly #named = new Set<string>();

  /** @param withEnd Jobs that have an end mark in any file of the node. @default not known */
  constructor(readonly withEnd: ReadonlySet<string> = new Set()) {}

  /** The jobs of a record, from its time line and its marks. */
  take(timeLine: string, marks: readonly string[]): string[] {
    const labels = idsOf(timeLine);
    const begins: string[] = [], ends: string[] = [];
    for (const mark of marks) {
      const [word, list = ""] = mark.split(" ");
      if (word === "begin") begins.push(...idsOf(list));
      else if (word === "end") ends.push(...idsOf(list));
    }
    for (const id of begins) {
      this.begun.add(id);
      this.#inside.add(id);
    }
    const now = new Set([...labels, ...this.#inside, ...ends]);
    const going = new Set([...labels, ...begins]);
    const isOther = labels.length === 0 || labels.some((id) => !this.#before.has(id));
    for (const id of new Set([...this.#inside, ...this.#before])) {
      if (going.has(id) || ends.includes(id)) continue;
      if (this.withEnd.has(id)) continue;
      if (begins.length > 0) {
        now.add(id);
        this.ended.add(id);
        this.#inside.delete(id);
      } else if (isOther && this.#named.has(id)) {
        now.delete(id);
        this.#inside.delete(id);
      }
    }
    for (const id of labels) this.#named.add(id);
    for (const id of now) this.seen.add(id);
    for (const id of ends) {
      this.ended.add(id);
      this.#inside.delete(id);
      going.delete(id);
    }
    this.#before = going;
    return [...now];
  }
}
