/** Content of a PMC log, in any of its forms. */

/** Versions whose format differs, oldest first. */
export const PMC_VERSIONS = ["2.0", "3.1", "4.0", "4.3", "4.4", "5.0", "6.0"] as const;

/** Version of a PMC log. */
export type PmcVersion = typeof PMC_VERSIONS[number];

/** One line of a text log, or one rank's record of a binary one. */
export interface PmcRecord {
  /** Seconds since open; in 5.0 and 6.0 the rank's MPI_Wtime. */
  timeS: number;
  /** The program's label; −1: the reading at open, which 2.0 does not write. */
  step: number;
  /** Absent in 2.0. */
  substep?: number;
  /** Mean over nodes; in 5.0 and 6.0 the node's own reading. */
  powerW: number;
  /** Since open, summed over nodes; in 5.0 and 6.0 the node's counter as read. */
  energyJ: number;
  /** Processors and memory, from 4.4 on. */
  cpuPowerW?: number;
  /** Mean power of the memory. */
  memoryPowerW?: number;
  /** Energy of the processors since open. */
  cpuEnergyJ?: number;
  /** Energy of the memory since open. */
  memoryEnergyJ?: number;
  /** Rank in MPI_COMM_WORLD; this and the temperatures of the two packages only in 5.0 and 6.0. */
  rank?: number;
  /** Temperature of the first package. */
  cpu0TempC?: number;
  /** Temperature of the second package. */
  cpu1TempC?: number;
  /**
   * Parts of counters beyond 2^53 J that the energies of node, processors and memory lack; no file
   * holds them.
   */
  restsJ?: readonly [number, number, number];
  /** A header line precedes this one too: 2.0 repeats it when the counters began at 0 J. */
  headed?: boolean;
}

/** A whole log. */
export interface PmcLog {
  /** The library's version, which settles the fields. */
  version: PmcVersion;
  /** `ascii`: the text made of a binary log, whose readings are cut to whole numbers. */
  form: "text" | "binary" | "ascii";
  /** In the order of the file. */
  records: PmcRecord[];
  /** Lines behind the last are left out: the file ends inside one, or they cannot be compared. */
  cut?: boolean;
}

/** Does a line end a step? Of the two lines of a record with a barrier, only the one behind it does. */
export function endsStep(
  lines: readonly Pick<PmcRecord, "step" | "substep">[],
  i: number,
): boolean {
  const { step, substep = 1 } = lines[i], next = lines[i + 1];
  return next?.step !== step || (next.substep ?? 1) !== substep;
}

/** Is it one of the versions? */
export function isPmcVersion(text: string): text is PmcVersion {
  return (PMC_VERSIONS as readonly string[]).includes(text);
}
