/** Words in the field's sense, with the source of each; docs/reference/glossary.md is made of them. */

/** One word: its meaning and its source. */
export type GlossaryRow = readonly [word: string, meaning: string, source: string];

/** In the order of the page. */
export const GLOSSARY: readonly GlossaryRow[] = [
  [
    "agent",
    "class that chooses the sampling period and adds keys to the report; the agent `monitor` " +
    "only measures",
    "geopm::Agent(3)",
  ],
  [
    "aggregation",
    "rule that combines the values of several parts into one value, such as sum or average",
    "geopm::Agg(3)",
  ],
  [
    "annotation",
    "begin call or end call in a program; both calls together mark a region",
    "docs/how-to/annotate.md",
  ],
  [
    "annotation API",
    "set of calls for annotations, such as those of Caliper, LIKWID or NVTX",
    "docs/reference/annotation-apis.md",
  ],
  [
    "batch",
    "all signals that a run records; they are read together at each sample",
    "geopm::PlatformIO(3)",
  ],
  [
    "behavior",
    "kind of a signal over time: monotone (a counter), variable, constant, or label (a code)",
    "geopm::IOGroup(3)",
  ],
  [
    "board",
    "the whole node as a domain",
    "geopm::PlatformTopo(3)",
  ],
  [
    "call path",
    "function with its chain of callers, or region with the regions around it",
    "Caliper manual",
  ],
  [
    "channel",
    "one configured recording in Caliper: what is recorded, and into which output",
    "Caliper manual",
  ],
  [
    "collector",
    "privileged helper process that reads restricted counters for other users' runs",
    "docs/explanation/permissions.md",
  ],
  [
    "context tree",
    "Caliper's tree of nodes, each with an attribute and a value; a snapshot refers to one of " +
    "its nodes",
    "Caliper manual",
  ],
  [
    "cpu",
    "one logical CPU of Linux",
    "geopm::PlatformTopo(3)",
  ],
  [
    "domain",
    "kind of part that has its own values of a signal: board, package, core, cpu, memory, gpu " +
    "and others",
    "geopm::PlatformTopo(3)",
  ],
  [
    "epoch",
    "one step of the application's outer loop",
    "geopm_prof(3)",
  ],
  [
    "exact",
    "calculated from the times of begin and end calls, not from samples",
    "geopm_report(7)",
  ],
  [
    "fold",
    "to aggregate: several short visits are stored as a count and a time",
    "docs/reference/formats/ring.md",
  ],
  [
    "freshness",
    "number that Cray's counters increase at each update of all counters",
    "docs of pm_counters",
  ],
  [
    "GEOPM",
    "open-source tool that measures and controls the energy of HPC jobs; joulemark's report " +
    "has its format",
    "geopm(7)",
  ],
  [
    "guardian",
    "small process that starts the application and protects it from faults of the monitor",
    "docs/explanation/guardian.md",
  ],
  [
    "hint",
    "what a region mostly does: compute, memory, network and others",
    "geopm_prof(3)",
  ],
  [
    "host",
    "one node of the job; the report has one section for each host",
    "geopm_report(7)",
  ],
  [
    "launch",
    "one Slurm step, or one start of MPI",
    "docs/how-to/measure-a-job.md",
  ],
  [
    "launcher",
    "command that starts the processes of a job, such as srun or mpirun",
    "geopmlaunch(1)",
  ],
  [
    "monitor",
    "the process that reads the counters; GEOPM calls it controller",
    "geopm(7)",
  ],
  [
    "outermost",
    "not inside another region of the same process",
    "geopm_prof(3)",
  ],
  [
    "package",
    "one processor socket",
    "geopm::PlatformTopo(3)",
  ],
  [
    "period",
    "time between two samples",
    "geopmlaunch(1)",
  ],
  [
    "phase",
    "part of a run that follows another part, such as assembly and then solving",
    "docs/how-to/preload.md",
  ],
  [
    "PMC log",
    "file with the counter readings of each step of a Cray job",
    "docs/reference/formats/pmc.md",
  ],
  [
    "process",
    "a process of the application with annotations; if there is none, the command that was " +
    "started",
    "docs/how-to/measure-a-job.md",
  ],
  [
    "profile",
    "name of the run",
    "geopmlaunch(1)",
  ],
  [
    "quality",
    "origin of a value: measured, derived (calculated from others), simulated or partial",
    "docs/how-to/measure-a-job.md",
  ],
  [
    "RAPL",
    "energy counters in Intel and AMD processors, for packages and memory",
    "docs of the kernel, powercap",
  ],
  [
    "reader",
    "code that reads one source of signals; a file in `src/sources/readers`",
    "docs/how-to/add-a-reader.md",
  ],
  [
    "record type",
    "one kind of device in raw stats",
    "hpcperfstats manual",
  ],
  [
    "recording",
    "files with all events and samples of a run (--record); joulemark replay makes reports " +
    "of them",
    "docs/reference/formats/recording.md",
  ],
  [
    "region",
    "named part of the application, between a begin call and an end call",
    "geopm_prof(3)",
  ],
  [
    "region hash",
    "number for the name of a region (CRC-32); outside of all regions 0x725e8066",
    "geopm_report(7)",
  ],
  [
    "ring",
    "buffer in shared memory into which a program writes its annotations; the monitor " +
    "empties it",
    "docs/reference/formats/ring.md",
  ],
  [
    "runtime",
    "exact time in a region, mean over processes",
    "geopm_report(7)",
  ],
  [
    "sample",
    "counter values and region of each CPU at one time",
    "geopm_report(7)",
  ],
  [
    "signal",
    "named value with unit, domain, behavior and aggregation",
    "geopm_pio(7)",
  ],
  [
    "snapshot",
    "one record in Caliper: a time with all open regions and values at this time",
    "Caliper manual",
  ],
  [
    "sticker frequency",
    "base frequency: the nominal frequency of a processor",
    "geopm_pio_cpuinfo(7)",
  ],
  [
    "sync-runtime",
    "sampled time in which all CPUs of a domain were in the region",
    "geopm_report(7)",
  ],
  [
    "tree",
    "directory with copies of a node's counter files; --root reads it instead of the node's " +
    "files",
    "docs/how-to/capture.md",
  ],
  [
    "unmarked",
    "time in which CPUs were outside of all regions, or in different regions",
    "geopm_report(7)",
  ],
];
