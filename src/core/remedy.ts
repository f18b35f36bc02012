/**
 * Fixes that open a source which is forbidden or missing: exact lines, lowest risk first. Each
 * reader has its own.
 *
 * Energy counters are for root since CVE-2020-8694 ("PLATYPUS"): unprivileged readings leak AES
 * keys. Each fix therefore states who can read afterwards. docs/explanation/permissions.md
 * explains.
 * @module
 */

/** Risk of a fix. */
export type Risk = "none" | "low" | "medium" | "high";

/** One way to open a source. */
export interface Remedy {
  /** Risk of the fix. */
  readonly risk: Risk;
  /** Users who can read afterwards. */
  readonly opens: string;
  /** Command lines for root's shell, in order; GROUP stands for the group that may read. */
  readonly lines: readonly string[];
  /** Lines that take it back, for the end of the job. */
  readonly undo?: readonly string[];
}

/** Opens files to one group for the time of a job that has the node to itself. */
export function openForJob(files: string): Remedy {
  return {
    risk: "low",
    opens:
      "only the group of the job can read the files, and only during the job. Use this in prolog and " +
      "epilog, if only one job at a time runs on the node",
    lines: [`chgrp GROUP ${files}`, `chmod 0440 ${files}`],
    undo: [`chmod 0400 ${files}`, `chgrp root ${files}`],
  };
}
