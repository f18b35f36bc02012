/**
 * What opens a source that is forbidden or missing: exact lines, least risk first.
 *
 * Energy counters are for root since CVE-2020-8694 ("PLATYPUS"): unprivileged readings leak AES
 * keys. Each mend therefore says who can read afterwards. docs/permissions.md explains.
 * @module
 */

/** How much a mend opens. */
export type Risk = "none" | "low" | "medium" | "high";

/** One way to open a source. */
export interface Mend {
  readonly line: string;
  readonly risk: Risk;
  /** Who can read afterwards. */
  readonly opens: string;
}

const ENERGY_FILES =
  "/sys/class/powercap/*-rapl:*/energy_uj /sys/class/powercap/*-rapl:*/*/energy_uj";

const POWERCAP_MENDS: readonly Mend[] = [
  {
    line: `job prolog: chgrp GROUP ${ENERGY_FILES}; chmod 0440 the same; epilog: chmod 0400`,
    risk: "low",
    opens: "the job's own group, while it has the node to itself",
  },
  {
    line: "setcap cap_dac_read_search=ep ./joulemark",
    risk: "high",
    opens: "every file of the node to whoever may run that executable",
  },
  {
    line: `chmod a+r ${ENERGY_FILES}`,
    risk: "high",
    opens: "every local user: CVE-2020-8694 again",
  },
];

const MSR_MENDS: readonly Mend[] = [
  {
    line: "modprobe msr-safe; allow list with our registers and write mask 0; chgrp GROUP " +
      "/dev/cpu/*/msr_safe; chmod 0440 the same",
    risk: "low",
    opens: "one group, the listed registers, for reading",
  },
  {
    line: "modprobe msr; chgrp GROUP /dev/cpu/*/msr; chmod 0440 the same; " +
      "setcap cap_sys_rawio=ep ./joulemark",
    risk: "high",
    opens: "one group, every register, and raw I/O to the executable",
  },
];

const PERF_MENDS: readonly Mend[] = [
  {
    line: "setcap cap_perfmon=ep ./joulemark (kernel 5.8 and later)",
    risk: "medium",
    opens: "performance counters of the node to whoever may run that executable",
  },
  {
    line: "sysctl kernel.perf_event_paranoid=0",
    risk: "high",
    opens: "system-wide counters to every local user: CVE-2020-8694 again",
  },
];

const HWMON_MENDS: readonly Mend[] = [
  {
    line: "job prolog: chgrp GROUP /sys/class/hwmon/hwmon*/energy*_input; epilog: chgrp root",
    risk: "low",
    opens: "the job's own group, while it has the node to itself",
  },
];

/** Mends of a reader's source that is there and forbidden, or whose driver is not loaded. */
export function mendsOf(reader: string): readonly Mend[] {
  switch (reader) {
    case "MSR":
      return MSR_MENDS;
    case "POWERCAP":
      return POWERCAP_MENDS;
    case "PERF":
      return PERF_MENDS;
    case "HWMON":
      return HWMON_MENDS;
    default:
      return [];
  }
}
