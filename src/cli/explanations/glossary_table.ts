/** Words in the field's sense, with the source of each; docs/reference/glossary.md is made of them. */

/** One word: its meaning and its source. */
export type GlossaryRow = readonly [word: string, meaning: string, source: string];

/** In the order of the page. */
export const GLOSSARY: readonly GlossaryRow[] = [
  [
    "agent",
    "part of GEOPM that chooses the sampling period and adds keys to the report; the " +
    "agent `monitor` only measures",
    "geopm::Agent(3)",
  ],
  [
    "aggregation",
    "rule that combines several values into one value, for example by a sum or a mean. With " +
    "such rules joulemark calculates a value of the node from the values of all CPUs, and a " +
    "value of a region from the values of all processes",
    "geopm::Agg(3)",
  ],
  [
    "annotation",
    "call in a program that reports the begin or end of a region, or an epoch",
    "docs/how-to/annotate.md",
  ],
  [
    "annotation API",
    "library interface with annotation calls, such as Caliper, NVTX or GEOPM",
    "docs/reference/annotation-apis.md",
  ],
  [
    "attribute",
    "named property in Caliper's data, such as `region` or `iteration#loop`. A begin call of " +
    "the program sets the value of an attribute, and an end call removes the value",
    "Caliper manual",
  ],
  [
    "batch",
    "all signals that a run records; joulemark reads them together at each sample",
    "geopm::PlatformIO(3)",
  ],
  [
    "behavior",
    "kind of a signal: monotone (a counter that only grows), variable, constant, or label " +
    "(a number that stands for a name)",
    "geopm::IOGroup(3)",
  ],
  [
    "BMC",
    "baseboard management controller: small computer on the main board that controls a " +
    "node, also when the node is off",
    "docs/explanation/permissions.md",
  ],
  [
    "board",
    "the whole node, as GEOPM calls it in the list of domains",
    "geopm::PlatformTopo(3)",
  ],
  [
    "budget",
    "CPU time that the monitor may use, in percent of one core (`--budget`)",
    "docs/how-to/measure-a-job.md",
  ],
  [
    "Caliper",
    "library of Lawrence Livermore National Laboratory that records regions in a program; " +
    "its files end in .cali",
    "docs/how-to/coming-from-caliper.md",
  ],
  [
    "call path",
    "function together with the functions that called it, or region together with the regions " +
    "around it",
    "Caliper manual",
  ],
  [
    "CalQL",
    "Caliper's query language, which `joulemark query` reads: for example `SELECT sum(time) " +
    "GROUP BY region`",
    "joulemark query --help calql",
  ],
  [
    "channel",
    "set of Caliper services that work together and write one output; several channels " +
    "may exist at once",
    "Caliper manual",
  ],
  [
    "checkpoint",
    "report of the time so far, in the file `REPORT.partial`; the monitor writes it during the run " +
    "and removes it at the end",
    "joulemark recover --help",
  ],
  [
    "cname",
    "location of a node in a Cray XC, such as `c0-0c1s7n3`: cabinet 0-0, chassis 1, slot 7, " +
    "node 3; in an HPE Cray EX this is an xname, such as `x1000c3s4b0n1`",
    "docs/how-to/cray-pm.md",
  ],
  [
    "CNL",
    "source of signals on HPE Cray nodes: the files of pm_counters",
    "geopm_pio_cnl(7)",
  ],
  [
    "collector",
    "helper process that runs as a service. It reads restricted counters and sends the values " +
    "to monitors that may not read these counters",
    "docs/explanation/permissions.md",
  ],
  [
    "context tree",
    "Caliper's tree of nodes. Each node has an attribute and a value; a snapshot refers to " +
    "one of the nodes",
    "Caliper manual",
  ],
  [
    "control group",
    "kernel object (cgroup) that contains the processes of a job. The kernel limits and " +
    "counts the CPU time and the memory of these processes",
    "cgroups(7)",
  ],
  [
    "cpu",
    "one logical CPU of Linux",
    "geopm::PlatformTopo(3)",
  ],
  [
    "CPU-second",
    "one CPU in use for one second, or two CPUs in use for half a second",
    "docs/explanation/energy-method.md",
  ],
  [
    "CrayPat",
    "profiler of HPE Cray; its command pat_report prints tables of counters",
    "CrayPat manual",
  ],
  [
    "CSVW",
    "standard of the W3C (CSV on the Web): a JSON file that describes the columns of a CSV " +
    "file",
    "docs/how-to/data.md",
  ],
  [
    "Deno",
    "JavaScript runtime inside the executable of joulemark",
    "docs/architecture.md",
  ],
  [
    "dip",
    "value of a counter that is too low at one reading, and correct again at the next reading",
    "docs/reference/job-metrics.md",
  ],
  [
    "domain",
    "kind of hardware part. joulemark reads a signal once for each part of its domain: board, " +
    "package, core, cpu, memory, gpu and others",
    "geopm::PlatformTopo(3)",
  ],
  [
    "edit_distance",
    "filter of `--record-filter`: joulemark looks for a repeated sequence in the last BUFFER " +
    "entries into regions. Each time that the sequence begins again, an epoch begins",
    "docs/explanation/aggregation.md",
  ],
  [
    "epilog",
    "script that a scheduler runs on each node after a job; the script before a job is the prolog",
    "manual of the scheduler",
  ],
  [
    "epoch",
    "one step of the application's outer loop",
    "geopm_prof(3)",
  ],
  [
    "exact",
    "property of a value: it is calculated from the times of begin and end calls, and not " +
    "from samples",
    "geopm_report(7)",
  ],
  [
    "flame graph",
    "plot of call paths: each box is a function, and its width is the CPU time or energy",
    "docs/how-to/find-functions.md",
  ],
  [
    "fold",
    "to aggregate: several short visits are stored as a count and a time",
    "docs/reference/formats/ring.md",
  ],
  [
    "freshness",
    "file of Cray's pm_counters with a number that grows at each update of the other files",
    "docs of pm_counters",
  ],
  [
    "gauge",
    "value that may rise and fall, such as the used memory; the opposite is a counter",
    "docs/reference/formats/raw-stats.md",
  ],
  [
    "GEOPM",
    "program of Intel that measures and controls the energy of HPC jobs; joulemark writes " +
    "reports in GEOPM's format",
    "geopm(7)",
  ],
  [
    "guardian",
    "small C program that starts the application and protects it from failures of the monitor",
    "docs/explanation/guardian.md",
  ],
  [
    "hint",
    "kind of work that a region does most of the time: compute, memory, network and others",
    "geopm_prof(3)",
  ],
  [
    "host",
    "one node of the job; the report has one section for each host",
    "geopm_report(7)",
  ],
  [
    "hpcperfstats",
    "monitoring program of TACC (earlier name: tacc_stats); its files are the raw stats",
    "hpcperfstats manual",
  ],
  [
    "hwmon",
    "kernel interface for sensors of temperature, power and energy, in `/sys/class/hwmon`",
    "kernel documentation",
  ],
  [
    "landlock",
    "part of the Linux kernel that limits the files that a process may open; joulemark uses " +
    "landlock to limit the monitor",
    "landlock(7)",
  ],
  [
    "launch",
    "one start of parallel processes: a Slurm step, a Flux job, or one start of mpiexec",
    "docs/explanation/guardian.md",
  ],
  [
    "launcher",
    "command that starts the processes of a job, such as srun or mpirun",
    "geopmlaunch(1)",
  ],
  [
    "LIKWID",
    "tools for performance counters; programs mark their regions with its marker API",
    "docs/how-to/preload.md",
  ],
  [
    "mark",
    "in raw stats: line that begins with %, such as the begin of a job",
    "docs/reference/formats/raw-stats.md",
  ],
  [
    "monitor",
    "the process that reads the counters; in GEOPM its name is controller",
    "geopm(7)",
  ],
  [
    "monotone",
    "property of a counter: its value only grows. The energy between two readings is the " +
    "difference between the two values",
    "geopm::IOGroup(3)",
  ],
  [
    "mpi=all",
    "word of `--preload`: every MPI call that communicates, waits or uses files becomes a " +
    "region; the word `mpi` has only the blocking calls that GEOPM records",
    "docs/reference/preload.md",
  ],
  [
    "MSR",
    "model-specific register of a processor; `/dev/cpu/N/msr` reads it",
    "msr(4)",
  ],
  [
    "msr-safe",
    "kernel module that lets users read the registers on an allow list",
    "docs/explanation/permissions.md",
  ],
  [
    "outermost",
    "property of a region: it is not inside another region of the same process",
    "geopm_prof(3)",
  ],
  [
    "package",
    "one processor socket",
    "geopm::PlatformTopo(3)",
  ],
  [
    "path",
    "name of a region with the names of the regions around it, the outermost first, such as " +
    "`step/sweep`",
    "docs/reference/formats/report.md",
  ],
  [
    "pcontrol",
    'word of `--preload`: `MPI_Pcontrol(1, "x")` begins region `x`, and `MPI_Pcontrol(-1, ' +
    '"x")` ends it',
    "docs/how-to/preload.md",
  ],
  [
    "perf event",
    "counter or sampler of the Linux kernel, opened by perf_event_open(2)",
    "perf_event_open(2)",
  ],
  [
    "perfstubs",
    "word of `--preload`: timers and phases of the annotation API PerfStubs, for example in " +
    "ADIOS2",
    "docs/how-to/preload.md",
  ],
  [
    "period",
    "time between two samples",
    "geopmlaunch(1)",
  ],
  [
    "phase",
    "part of a run in which the program does one kind of work. In Caliper: a long region",
    "docs/explanation/energy-of-functions.md",
  ],
  [
    "pm_counters",
    "power and energy files of HPE Cray nodes, in `/sys/cray/pm_counters`",
    "docs of pm_counters",
  ],
  [
    "PMC log",
    "log of power and energy per simulation step, as the library pm_mpi_lib writes it",
    "docs/reference/formats/pmc.md",
  ],
  [
    "policy",
    "settings of a GEOPM agent; joulemark has no policy, because it only measures",
    "geopm::Agent(3)",
  ],
  [
    "powercap",
    "kernel interface for the RAPL energy counters, in `/sys/class/powercap`",
    "kernel documentation",
  ],
  [
    "preload library",
    "library that `--preload` loads into the application; it intercepts annotation calls",
    "docs/how-to/preload.md",
  ],
  [
    "process",
    "process of the application that has annotations. If no process has annotations, the " +
    "command that was started counts as the process",
    "docs/how-to/measure-a-job.md",
  ],
  [
    "profile",
    "name of the run (`--profile`)",
    "geopmlaunch(1)",
  ],
  [
    "prolog",
    "script that a scheduler runs on each node before a job",
    "manual of the scheduler",
  ],
  [
    "proxy_epoch",
    "filter of `--record-filter`: each entry into the given region begins an epoch. If CALLS " +
    "is given, only every CALLS-th entry begins an epoch",
    "docs/explanation/aggregation.md",
  ],
  [
    "quality",
    "origin of a value: measured, derived (calculated from other signals), simulated or " +
    "partial (measured only in part)",
    "docs/how-to/measure-a-job.md",
  ],
  [
    "RAPL",
    "running average power limit: the energy counters inside Intel and AMD processors",
    "docs/reference/signals.md",
  ],
  [
    "raw stats",
    "text files with the values of all counters of a node over time. By default the files " +
    "have a record of all counters every 5 minutes",
    "docs/reference/formats/raw-stats.md",
  ],
  [
    "reader",
    "part of joulemark that reads one source of signals; a file in `src/sources/readers`",
    "docs/how-to/add-a-reader.md",
  ],
  [
    "record type",
    "one kind of device in raw stats",
    "hpcperfstats manual",
  ],
  [
    "recording",
    "directory with all events and samples of a run, made by `--record`",
    "docs/reference/formats/recording.md",
  ],
  [
    "region",
    "named part of the application, between a begin call and an end call",
    "geopm_prof(3)",
  ],
  [
    "region hash",
    "number that is calculated from the name of a region (CRC-32); 0x725e8066 stands for the " +
    "time outside of all regions",
    "geopm_report(7)",
  ],
  [
    "replay",
    "to calculate the report of a recording again (`joulemark replay`)",
    "docs/reference/formats/recording.md",
  ],
  [
    "response",
    "way in which the updates of a counter show power: late, averaged, or only in part",
    "docs/explanation/energy-method.md",
  ],
  [
    "restricted",
    "property of a counter: only root or the members of a group may read it, such as the " +
    "energy counters of a processor; `joulemark doctor` shows how to get access",
    "docs/explanation/permissions.md",
  ],
  [
    "ring",
    "ring buffer in shared memory. A thread of the application writes its events into the " +
    "ring, and the monitor reads the events",
    "docs/reference/formats/ring.md",
  ],
  [
    "runtime",
    "exact time in a region, as the mean over processes",
    "geopm_report(7)",
  ],
  [
    "sample",
    "values of all counters at one time, and the region of each CPU at this time. With " +
    "`--functions` this word also means the function of a thread at one time",
    "geopm_report(7)",
  ],
  [
    "scorep",
    "word of `--preload`: user regions of the measurement system Score-P",
    "docs/how-to/preload.md",
  ],
  [
    "service",
    "part of Caliper that adds one kind of data, such as `timer` or `mpi`",
    "Caliper manual",
  ],
  [
    "session",
    "one run on one node, together with the files that application and monitor share",
    "docs/reference/formats/ring.md",
  ],
  [
    "session directory",
    "directory in a memory file system for the files that application and monitor share " +
    "during a run",
    "docs/reference/formats/ring.md",
  ],
  [
    "signal",
    "named value with unit, domain, behavior and aggregation",
    "geopm_pio(7)",
  ],
  [
    "snapshot",
    "Caliper's record of all attribute values of a thread at one time",
    "Caliper manual",
  ],
  [
    "step",
    "time between two samples. In a PMC log: one time step of the simulation program",
    "docs/explanation/aggregation.md",
  ],
  [
    "sticker frequency",
    "base frequency: the nominal frequency of a processor",
    "geopm_pio_cpuinfo(7)",
  ],
  [
    "sync-runtime",
    "time in seconds in which all CPUs of a domain, such as a package, were in the region at " +
    "the same time; calculated from samples",
    "geopm_report(7)",
  ],
  [
    "track",
    "stack of open regions. Each thread has one track for each annotation API, and for NVTX " +
    "and ITT one track for each domain (named group of regions)",
    "docs/reference/preload.md",
  ],
  [
    "tree",
    "directory with copies of a node's counter files; --root reads it instead of the node's " +
    "files",
    "docs/how-to/capture.md",
  ],
  [
    "unmarked",
    "in GEOPM's sections: time in which some CPUs were outside of all regions, or the CPUs " +
    "were in different regions",
    "geopm_report(7)",
  ],
  [
    "uprobe",
    "probe of the Linux kernel at the begin or end of a function in an executable file " +
    "(`--probe`)",
    "docs/how-to/preload.md",
  ],
  [
    "visit",
    "time from one begin of a region to its end",
    "docs/explanation/aggregation.md",
  ],
  [
    "Welch's test",
    "statistical test of the difference between the means of two sets. The test does not " +
    "assume that the sets have the same variance",
    "docs/how-to/compare.md",
  ],
  [
    "xname",
    "location of a node in an HPE Cray EX, such as `x1000c3s4b0n1`: cabinet 1000, chassis " +
    "3, slot 4, board 0, node 1",
    "docs/how-to/cray-pm.md",
  ],
];
