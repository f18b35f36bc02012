/**
 * Facts about recordings that collating a PMC log needs: ranks of the nodes, and the times when
 * their clocks were at 0.
 * @module
 */

/**
 * Ranks of nodes in the order of the job: blocks as large as each node's count of processes. Process
 * numbers that begin at 0 are no pids but ranks already.
 *
 * @param pids Of each node's processes.
 */
export function nodeRanks(pids: readonly (readonly number[])[]): number[] {
  const all = pids.flat();
  if (all.includes(0) && new Set(all).size === all.length) {
    return pids.map((own) => Math.min(...own));
  }
  let next = 0;
  return pids.map((own) => {
    const rank = next;
    next += Math.max(1, own.length);
    return rank;
  });
}

/** `2024-10-24T08:00:00.123456789-0700` in seconds since the epoch; 0 where it is no such text. */
export function epochSeconds(startTime: string): number {
  const found = /^(.{19})(\.[0-9]+)?([+-][0-9]{2}):?([0-9]{2})$/.exec(startTime);
  if (found === null) return 0;
  const whole = Date.parse(`${found[1]}${found[3]}:${found[4]}`) / 1000;
  return Number.isFinite(whole) ? whole + Number(found[2] ?? 0) : 0;
}
