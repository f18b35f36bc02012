/**
 * Lanes: threads with annotations, and main threads of processes that have any. A lane lives from its first event to
 * its end; which CPUs it used of those that it may use is not known.
 * @module
 */

/** Gets lanes and their paths, at exact times. Numbers of lanes are never used twice. */
export interface LaneListener {
  /**
   * A lane lives from here on, or may use other CPUs.
   *
   * @param cpus They do not change; a lane that may use others lives again.
   * @param thread Number of the kernel's thread.
   * @param process Handle of its process.
   */
  live(timeS: number, lane: number, cpus: Int32Array, thread: number, process: number): void;
  /**
   * A lane is in a path from here on; 0: outside every region.
   *
   * @param cpu The CPU that it is on; below 0: not known.
   */
  move(timeS: number, lane: number, path: number, cpu: number): void;
  /**
   * A path took time without begin and end, since the last time.
   *
   * @param around Path that had this time by begin and end; −1: the outermost one around it.
   */
  fold?(lane: number, path: number, seconds: number, around: number): void;
  /** A lane ran outside of all regions since the last such time, while more lanes than CPUs shared its CPUs. */
  ranOutside?(timeS: number, lane: number, seconds: number): void;
  /** A lane lives no longer. */
  end(timeS: number, lane: number): void;
}
