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
  readonly risk: Risk;
  /** Who can read afterwards. */
  readonly opens: string;
  /** Command lines for root's shell, in order; GROUP stands for the group that may read. */
  readonly lines: readonly string[];
  /** Lines that take it back, for the end of the job. */
  readonly undo?: readonly string[];
}

/** The class lists zones and sub-zones side by side, so that one pattern finds all of them. */
const ENERGY_FILES = "/sys/class/powercap/*-rapl:*/energy_uj";
const METER_FILES = "/sys/class/hwmon/hwmon*/energy*_input";

/** Opens files to one group for the time of a job that has the node to itself. */
function forTheJob(files: string): Mend {
  return {
    risk: "low",
    opens: "the job's own group, on a node that it has to itself: job prolog and epilog",
    lines: [`chgrp GROUP ${files}`, `chmod 0440 ${files}`],
    undo: [`chmod 0400 ${files}`, `chgrp root ${files}`],
  };
}

const POWERCAP_MENDS: readonly Mend[] = [
  forTheJob(ENERGY_FILES),
  {
    risk: "high",
    opens: "every file of the node to whoever may run that executable",
    lines: ["setcap cap_dac_read_search=ep ./joulemark"],
  },
  {
    risk: "high",
    opens: "every local user: CVE-2020-8694 again",
    lines: [`chmod a+r ${ENERGY_FILES}`],
  },
];

const MSR_MENDS: readonly Mend[] = [
  {
    risk: "low",
    opens: "one group, the listed registers, for reading",
    lines: [
      "modprobe msr-safe",
      "./joulemark doctor --allow-list > /dev/cpu/msr_allowlist",
      "chgrp GROUP /dev/cpu/*/msr_safe /dev/cpu/msr_batch",
      "chmod 0440 /dev/cpu/*/msr_safe /dev/cpu/msr_batch",
    ],
  },
  {
    risk: "high",
    opens: "one group, every register, and raw I/O to the executable",
    lines: [
      "modprobe msr",
      "chgrp GROUP /dev/cpu/*/msr",
      "chmod 0440 /dev/cpu/*/msr",
      "setcap cap_sys_rawio=ep ./joulemark",
    ],
  },
];

const PERF_MENDS: readonly Mend[] = [
  {
    risk: "medium",
    opens: "counters of the node to whoever may run that executable; Linux 5.8 and later",
    lines: ["setcap cap_perfmon=ep ./joulemark"],
  },
  {
    risk: "high",
    opens: "system-wide counters to every local user: CVE-2020-8694 again",
    lines: ["sysctl kernel.perf_event_paranoid=0"],
  },
];

/** Where even the user's own processes may not be counted: Debian's and Android's levels above 2. */
const PERF_APP_MENDS: readonly Mend[] = [
  {
    risk: "low",
    opens: "to each user the counters of their own processes, outside the kernel",
    lines: ["sysctl kernel.perf_event_paranoid=2"],
  },
];

/** A BMC does what it is told by whoever can open its device; some of it outlasts the job. */
const IPMI_MENDS: readonly Mend[] = [
  {
    risk: "low",
    opens: "the node's power alone, to every local user, where its firmware has an ACPI meter",
    lines: ["modprobe acpi_power_meter"],
  },
  {
    risk: "high",
    opens: "the whole BMC to one group: power off, passwords, firmware",
    lines: ["chgrp GROUP /dev/ipmi0", "chmod 0660 /dev/ipmi0"],
    undo: ["chmod 0600 /dev/ipmi0", "chgrp root /dev/ipmi0"],
  },
];

const MENDS: Readonly<Record<string, readonly Mend[]>> = {
  MSR: MSR_MENDS,
  POWERCAP: POWERCAP_MENDS,
  PERF: PERF_MENDS,
  PERF_APP: PERF_APP_MENDS,
  HWMON: [forTheJob(METER_FILES)],
  IPMI: IPMI_MENDS,
};

/** Mends of a reader's source that is there and forbidden. */
export function mendsOf(reader: string): readonly Mend[] {
  return MENDS[reader] ?? [];
}
