/** Keys of a report and their content; a table of docs/reference/formats/report.md is made of them. */

/** Keys of one meaning. `PART` stands for package, dram, gpu or node, `HINT` for a hint's name. */
export interface FieldRow {
  readonly keys: readonly string[];
  /** In Markdown. */
  readonly about: string;
}

/** @param keys Between semicolons. */
function row(keys: string, about: string): FieldRow {
  return { keys: keys.split("; "), about };
}

/** First lines of the report, and the names of its sections. */
export const HEADER_FIELDS: readonly FieldRow[] = [
  row(
    "GEOPM Version",
    "version of the report format, and the version of joulemark that wrote the report",
  ),
  row(
    "Start Time; Profile",
    "start of the run, and its name",
  ),
  row(
    "Agent; Policy",
    "`monitor` and an empty policy: joulemark controls nothing",
  ),
  row(
    "Hosts; Regions; region; hash",
    "the hosts of the run, and the regions of each host with name and GEOPM's number for the " +
      "name",
  ),
  row(
    "Unmarked Totals",
    "totals of the time outside of regions",
  ),
  row(
    "Epoch Totals",
    "totals of the epochs, the steps of the application's outer loop",
  ),
  row(
    "Application Totals",
    "totals of the whole run on this host",
  ),
  row(
    "joulemark; version",
    "keys that joulemark adds to GEOPM's report: those of the job follow the header, those of " +
      "a host follow its sections",
  ),
];

/** Fields of sections that GEOPM's report has. */
export const GEOPM_FIELDS: readonly FieldRow[] = [
  row(
    "runtime (s)",
    "exact time in the section, as the mean over processes " +
      "([aggregation](../../explanation/aggregation.md)). In `Epoch Totals`: time from samples",
  ),
  row(
    "count",
    "number of visits, as the mean over processes. In `Epoch Totals`: number of epochs, as " +
      "the minimum over the CPUs",
  ),
  row(
    "sync-runtime (s)",
    "time in which all CPUs of the application were in the section at once. joulemark " +
      "calculates it from samples",
  ),
  row(
    "package-energy (J); dram-energy (J)",
    "energy of the processors, and energy of the memory, during `sync-runtime (s)`",
  ),
  row(
    "power (W)",
    "`package-energy (J)` divided by `sync-runtime (s)`",
  ),
  row(
    "frequency (%)",
    "mean clock frequency while CPUs were busy, in percent of the base frequency " +
      "(CPU_CYCLES_THREAD / CPU_CYCLES_REFERENCE)",
  ),
  row(
    "frequency (Hz)",
    "mean clock frequency while CPUs were busy, in Hz",
  ),
  row(
    "time-hint-HINT (s)",
    "time under each hint (kind of work that a region does, such as `network`), as the mean over " +
      "the CPUs that the application uses",
  ),
  row(
    "gpu-energy (J); gpu-power (W); gpu-core-energy (J); gpu-core-power (W); gpu-frequency " +
      "(Hz)",
    "energy, power and clock frequency of the GPUs, and energy and power of only their " +
      "cores. A key is present only if the node has the signal",
  ),
  row(
    "uncore-frequency (Hz)",
    "clock frequency of the processor's uncore (the part outside of the cores). The key is " +
      "present only if the node has the signal",
  ),
  row(
    "SIGNAL; SIGNAL@domain-index",
    "value of a signal of `--report-signals`: of the node, or of one hardware part, such as " +
      "`CPU_ENERGY@package-0`. The keys are in the order in which the option names the signals",
  ),
  row(
    "MPI startup (s); GEOPM startup (s)",
    "only under `Application Totals`. `MPI startup (s)` is the time in the region " +
      "`MPI_Init_thread`. `GEOPM startup (s)` is the time from the start of the first process to " +
      "the next sample",
  ),
  row(
    "GEOPM overhead (s)",
    "only under `Application Totals`: time that the annotation library in the program " +
      "reports as its own cost, as the mean over processes",
  ),
  row(
    "geopmctl memory HWM (B); geopmctl network BW (B/s)",
    "only under `Application Totals`: maximum memory of the monitor, and network traffic of the " +
      "monitor per second. In reports of joulemark the traffic is always 0. As in GEOPM, the " +
      "memory is in KiB although the key says B",
  ),
];

/** Fields of sections that joulemark adds. */
export const OWN_FIELDS: readonly FieldRow[] = [
  row(
    "joulemark-node-energy (J)",
    "energy of the node in the time in which all CPUs were in the section, by the same rule " +
      "as `package-energy (J)`. Present only if the node has a power meter, such as an ACPI " +
      "meter, and no energy counter",
  ),
  row(
    "joulemark-PART-energy-exact (J)",
    "energy from the readings of the counter. For each interval between two updates of the " +
      "counter, joulemark divides the energy among the regions, in proportion to their exact " +
      "CPU times in this interval. The value is the sum over all intervals. The values of all " +
      "regions and of the unmarked time add up to the value of the application. Regions, unmarked " +
      "time and application have this key",
  ),
  row(
    "joulemark-PART-energy-fit (J)",
    "estimated energy of the section. joulemark searches for the power of each region with " +
      "which the calculated readings of the counter are as near as possible to the real " +
      "readings (a *fit*). `nan` means that this energy cannot be determined",
  ),
  row(
    "joulemark-PART-energy-fit-se (J)",
    "standard error of `joulemark-PART-energy-fit (J)`. Regions and unmarked time have this key",
  ),
  row(
    "joulemark-PART-energy-caused (J)",
    "energy that the work in the section caused, even if the node used it after the end of " +
      "the section. Present only if the power follows a change of the work with a delay",
  ),
  row(
    "joulemark-PART-energy-known (J); joulemark-PART-power-known (W)",
    "measured part of the energy of the section, and power during the measured time. Present if " +
      "GEOPM's key is `.nan`, because a counter failed ([coverage](../../reference/coverage.md))",
  ),
  row(
    "joulemark-PART-energy-coverage (%)",
    "measured time, summed over all hardware parts (packages, memories, GPUs), in percent of " +
      "their total time",
  ),
  row(
    "joulemark-PART-energy-gross (J)",
    "with `run --idle`, application only: energy of the run, calculated from samples. The " +
      "idle energy is not subtracted",
  ),
  row(
    "joulemark-PART-energy-idle (J)",
    "with `run --idle`, application only: idle power times `runtime (s)`",
  ),
  row(
    "joulemark-PART-energy-net (J)",
    "with `run --idle`, application only: gross energy minus idle energy. It is below 0 if " +
      "the idle energy is larger",
  ),
  row(
    "joulemark-PART-energy-job-share (J)",
    "application only: the job's share of the package energy. Present if the job may not use " +
      "all CPUs of the node",
  ),
];

/** Fields of a row of the tree of regions. */
export const TREE_FIELDS: readonly FieldRow[] = [
  row(
    "region; depth",
    "name of the region, and its nesting depth (0: outermost)",
  ),
  row(
    "track",
    "annotation API whose calls made the region, such as `nvtx`. If the region belongs to a " +
      "domain of NVTX or ITT, the name of this domain follows: `nvtx/solver` is the domain " +
      "`solver` of NVTX",
  ),
  row(
    "attribute",
    "attribute (named property in Caliper's data) whose value is the region, such as " +
      "`phase`. Absent for a plain region",
  ),
  row(
    "count",
    "number of completed visits, as the mean over processes",
  ),
  row(
    "runtime (s)",
    "time in the region with nested regions, as the mean over processes. It includes visits that " +
      "have not ended",
  ),
  row(
    "processes",
    "number of processes over which `count` and `runtime (s)` of this row are means. Present " +
      "only if it differs from the number for the whole tree",
  ),
  row(
    "runtime-self (s)",
    "time in the region without nested regions. It includes visits that have not ended",
  ),
  row(
    "PART-energy (J); PART-energy-se (J)",
    "energy of the region with nested regions, and the standard error of this energy. `.nan` " +
      "means that the energy cannot be determined",
  ),
  row(
    "PART-energy-exact (J)",
    "energy from the readings of the counter. For each interval between two updates of the " +
      "counter, joulemark divides the energy among the regions, in proportion to their exact " +
      "CPU times in this interval. The value is the sum over all intervals, but at most what the " +
      "rows with an estimate leave of the total energy. Inside a row with `PART-energy-self (J)`, " +
      "joulemark scales these values so that all rows add up. Present if `PART-energy (J)` cannot " +
      "be determined",
  ),
  row(
    "PART-energy-self (J); PART-energy-self-se (J)",
    "energy of the region without nested regions, and the standard error of this energy",
  ),
  row(
    "PART-power (W)",
    "energy × number of CPUs ÷ CPU time in the region. It is the power of the component " +
      "if all CPUs of the application are in the region",
  ),
  row(
    "visit-min (s); visit-p50 (s); visit-p99 (s); visit-max (s); visit-sd (s)",
    "lengths of the visits in all processes: minimum, median, 99th percentile, maximum and " +
      "standard deviation. The error of the percentiles is at most 15 %",
  ),
  row(
    "visit-lengths",
    "histogram of the lengths of visits, as a list of `bucket:visits`. A *bucket* is a range " +
      "of lengths. Bucket 0 begins at 1 ns. There are four buckets from each length to twice " +
      "this length",
  ),
];

/** Mappings and keys below `joulemark:`, after a host's sections or in the header. */
export const OWN_KEYS: readonly FieldRow[] = [
  row(
    "sources",
    "section with one entry for each signal: its source and its quality, or the reason why " +
      "it is absent",
  ),
  row(
    "source",
    "file, device or register from which joulemark reads the signal",
  ),
  row(
    "quality",
    "origin of a signal's values: `measured`, `derived` (calculated from other signals), " +
      "`simulated` or `partial`",
  ),
  row(
    "signal",
    "only for a portable name such as CPU_ENERGY: name of the signal that provides its value " +
      "on this node",
  ),
  row(
    "absent",
    "the signal has no source on this node; the text is the reason",
  ),
  row(
    "note",
    "limitation of the signal's values, for example that the counter changes too rarely for " +
      "this run",
  ),
  row(
    "trouble",
    "failure of the signal's source during the run",
  ),
  row(
    "simulated",
    "the counters are simulated, or come from a directory tree of `--root`: no value is a " +
      "measurement",
  ),
  row(
    "partial",
    "the report covers only a part of the time or of the hosts; the text names this part",
  ),
  row(
    "exit status",
    "exit status of the command. In a merged report: the first status that is not 0",
  ),
  row(
    "ended by",
    "signal that ended the command. If joulemark forwarded this signal, the run is `partial`",
  ),
  row(
    "bench",
    "section of a run that `joulemark bench` started: place of the run in the benchmark",
  ),
  row(
    "set",
    "name of the benchmark command that this run executes",
  ),
  row(
    "block",
    "number of the block, from 1 on. A *block* has one run of each command",
  ),
  row(
    "position",
    "place of the run in its block, from 1 on",
  ),
  row(
    "seed",
    "number that determines the random order of the runs of the benchmark",
  ),
  row(
    "job; cluster; user; restarts",
    "ID of the scheduler's job, name of the cluster, name of the user, and the number of " +
      "times that the scheduler started the job again",
  ),
  row(
    "machine",
    "section about the hardware of the node",
  ),
  row(
    "processor",
    "name of the node's processor",
  ),
  row(
    "packages; cores; cpus",
    "number of packages (processors), of cores and of CPUs of the node",
  ),
  row(
    "sampling",
    "section about the samples of the monitor",
  ),
  row(
    "samples",
    "number of samples",
  ),
  row(
    "period (s)",
    "time between two samples",
  ),
  row(
    "samples slept through",
    "number of samples at which the monitor read no counter, because no counter had a new value " +
      "and the application called no annotation",
  ),
  row(
    "samples missed",
    "number of samples that the monitor did not take, because it was too late",
  ),
  row(
    "samples late",
    "number of samples that began more than one period after their planned time",
  ),
  row(
    "ticks between reads of per-CPU counters",
    "number n: the monitor read counters of single CPUs only at every n-th sample, because " +
      "reading them takes long",
  ),
  row(
    "stalled from (s); stalled until (s)",
    "begin and end of a time in which the monitor did not run, for example because it was " +
      "stopped. Energies include only the time before this time",
  ),
  row(
    "first sample after (s)",
    "time from the start to the first sample; energies do not include this time",
  ),
  row(
    "last update not read",
    "list of the counters whose last update joulemark did not read, because a signal ended the run",
  ),
  row(
    "lines lost",
    "section with output files that are not complete, for example because the disk was full: " +
      "name of the file, and number of its lines that are missing",
  ),
  row(
    "scheduling",
    "scheduling policy of the monitor in the kernel",
  ),
  row(
    "coverage",
    "section about values that do not include the whole time, or not all hardware parts",
  ),
  row(
    "coverage (%)",
    "measured time, summed over all hardware parts (packages, memories, GPUs), in percent of " +
      "their total time",
  ),
  row(
    "power while measured (W)",
    "power during the time in which the counter was measured",
  ),
  row(
    "overhead",
    "section about the cost of the monitor",
  ),
  row(
    "cpu (s); cpu (% of a core)",
    "CPU time of the monitor from its start to the last sample, in seconds and in percent of " +
      "one core",
  ),
  row(
    "sampling (s); sampling (% of a core)",
    "CPU time that the monitor used only for sampling, without its start and its end",
  ),
  row(
    "simulated counters (s); simulated counters (% of a core)",
    "CPU time that the monitor used to simulate counters. The other CPU times do not include " +
      "this time",
  ),
  row(
    "after the command (s)",
    "CPU time of the monitor after the end of the command",
  ),
  row(
    "resident memory (KiB)",
    "memory that the monitor used",
  ),
  row(
    "budget",
    "section about the two steps by which the monitor reduced its work, so that its CPU time " +
      "stays within `--budget`",
  ),
  row(
    "visits folded",
    "number of visits that the monitor aggregated (stored as a count and a time) to save CPU " +
      "time",
  ),
  row(
    "time of folding (s)",
    "time during which the monitor aggregated short visits",
  ),
  row(
    "period times, at most; time of longer periods (s)",
    "to save CPU time the monitor multiplied the sampling period by a factor. The keys have " +
      "the maximum of this factor, and the time during which the period was longer",
  ),
  row(
    "processes",
    "section about the processes of the application",
  ),
  row(
    "seen",
    "number of processes with annotations",
  ),
  row(
    "came later; died; still running",
    "number of processes that started more than one sampling period after the first process, " +
      "number of processes that were killed, and number of processes that had not ended",
  ),
  row(
    "ended inside a region",
    "processes that ended while a region was open, with the name of this region",
  ),
  row(
    "without marks",
    "the text `the launched command`. No process has annotations, so the command that was " +
      "started counts as the process",
  ),
  row(
    "not attached",
    "number of forked processes with annotations that could not create their ring file " +
      "(the buffer for their events). Their annotations are lost",
  ),
  row(
    "processes that said",
    "number of processes that reported the values of the section `mpi` or `openmp`. Killed " +
      "processes do not report values, so the number of all processes may be higher",
  ),
  row(
    "marks",
    "section about events of annotations that were aggregated, late, wrong or omitted",
  ),
  row(
    "folded visits",
    "number of visits that the application aggregated (stored as a count and a time), " +
      "because its ring file had no room",
  ),
  row(
    "late events; late by at most (s)",
    "number of events that arrived after their sample was finished, and the maximum delay of " +
      "these events. Late events count at the next sample",
  ),
  row(
    "visits under one name",
    "number of visits that count for the name `[joulemark] other`, because the program " +
      "has too many region names",
  ),
  row(
    "visits of threads without room",
    "number of visits in threads that are not recorded, because the ring file had no room for " +
      "these threads",
  ),
  row(
    "values without room",
    "number of values of attributes, such as the iterations of Caliper's loops, that are not in " +
      "recordings and Caliper's outputs, because the ring file had no room",
  ),
  row(
    "begins and ends of spans without room; hints left out",
    "number of begins and ends of spans, and number of changes of the hint, that are lost " +
      "because the ring file had no room",
  ),
  row(
    "nested visits lost; visits without a path",
    "number of visits of nested regions that are not counted in `tree`, because a ring file had " +
      "no room",
  ),
  row(
    "marks within marks",
    "number of lost annotation calls. A signal handler made these calls while it interrupted " +
      "another annotation call",
  ),
  row(
    "visits out of order",
    "for each thread: number of nested visits that came too fast to be stored one by one, and " +
      "the time from the first to the last of these visits. joulemark stored only their number " +
      "and their total time",
  ),
  row(
    "records left out; files left out",
    "number of damaged records, and list of the ring files (files with the events of a " +
      "process) that joulemark did not read",
  ),
  row(
    "refused calls",
    "number of annotation calls that were wrong and had no effect, by kind of error",
  ),
  row(
    "exit without entry",
    "number of end calls without a begin call",
  ),
  row(
    "mistakes",
    "number of begin and end calls that do not match, by kind, process and thread",
  ),
  row(
    "mistakes without a name",
    "number of begin and end calls that do not match. The names of their regions are not known",
  ),
  row(
    "mistakes first seen",
    "for each kind of call that does not match: time of the first such call, and the regions " +
      "that were open at this time",
  ),
  row(
    "remarks",
    "messages of `joulemark.h`, of another language binding, or of the preload library in the " +
      "application",
  ),
  row(
    "functions",
    "section of `--functions`: CPU time and energy of functions",
  ),
  row(
    "event; rate (Hz)",
    "perf event that joulemark samples, and samples per second of CPU time",
  ),
  row(
    "lost; throttled",
    "number of samples that were lost (with `--off-cpu` also of records of waits), and how often the kernel reduced " +
      "the sampling rate",
  ),
  row(
    "complete (%); unknown (%)",
    "share of samples whose stack is complete, and share of samples whose function is not " +
      "known",
  ),
  row(
    "guessed frames (%)",
    "share of stack frames that joulemark guessed, because the code has no unwind table",
  ),
  row(
    "modules without tables",
    "programs and libraries without unwind tables, which are needed to find the callers " +
      "of a function",
  ),
  row(
    "cpu-time (s)",
    "CPU time of the command, as the kernel counts it",
  ),
  row(
    "sampled (s)",
    "CPU time of the command, calculated from samples: number of samples times the sampling " +
      "period",
  ),
  row(
    "short threads (s); kernel, not visible (s); lost (s)",
    "CPU time without samples, in three parts: time of threads that ended before their first " +
      "sample, time in the kernel that the user may not sample, and time of threads whose " +
      "samples were all lost",
  ),
  row(
    "brief threads (s)",
    "CPU time of threads that ran for less than five sampling periods. These threads have " +
      "only few samples",
  ),
  row(
    "list",
    "the functions with most time, one entry each. If there are more than 200, the last entry, " +
      "`others`, has the sums of the functions that are not listed",
  ),
  row(
    "functions not listed",
    "number of functions in the entry `others`",
  ),
  row(
    "function; file; line; module",
    "name of the function, its source file, the line with most time in it, and the program " +
      "or library that contains it",
  ),
  row(
    "self-time (s); self-time-se (s); total-time (s)",
    "CPU time of the function without the functions that it calls, the standard error of this " +
      "time, and CPU time with the functions that it calls",
  ),
  row(
    "off CPU (s); preempted (s)",
    "with `--off-cpu`: time in which threads waited, and time in which they were ready " +
      "but had no CPU",
  ),
  row(
    "off CPU; times",
    "with `--off-cpu`: list of the functions that waited longest, and how often a function " +
      "waited",
  ),
  row(
    "energy",
    "section with the energy of functions, for each component",
  ),
  row(
    "total (J)",
    "energy of the component: increase of its counter during the run",
  ),
  row(
    "not running (s); not running (J); not running-se (J)",
    "time in which the CPUs of the command waited, the energy in this time, and the standard " +
      "error of this energy",
  ),
  row(
    "PART-energy (J); PART-energy-se (J); total-PART-energy (J); total-PART-energy-se (J)",
    "under `functions`. The first two keys: energy of a function without the functions that " +
      "it calls, and the standard error of this energy. The last two keys: energy with the " +
      "functions that it calls, and the standard error of this energy",
  ),
  row(
    "PART-energy not determined",
    "reason why the energy of a function cannot be determined",
  ),
  row(
    "counters checked",
    "section with the result of the last `joulemark doctor --energy` on this node",
  ),
  row(
    "tried at",
    "date and time of the last `joulemark doctor --energy` on this node",
  ),
  row(
    "PART trusted at (s)",
    "lengths of visits for which `joulemark doctor --energy` found that the counter of this " +
      "component is reliable",
  ),
  row(
    "spans",
    "section with the count and the time of each span. A *span* is a named interval that may " +
      "overlap regions",
  ),
  row(
    "span",
    "name of the span",
  ),
  row(
    "attribution",
    "section about the attribution: the division of the counters' energy among the regions",
  ),
  row(
    "method",
    "method of the attribution (`--attribution`)",
  ),
  row(
    "not determined; not determined beside these",
    "names of the regions whose energy cannot be determined. If there are many of these " +
      "regions, the second key has the number of those that the first key does not name",
  ),
  row(
    "not determined energy (J); not determined energy se (J)",
    "total energy of all regions whose energy cannot be determined, and the standard error " +
      "of this total",
  ),
  row(
    "other CPUs (J)",
    "energy of CPUs during the time in which no process with annotations may use them, between the " +
      "start of the first process and the end of the last process",
  ),
  row(
    "outside (J)",
    "energy before the first process started and after the last process ended",
  ),
  row(
    "lack of fit",
    "messages about the fit for this counter, such as the reason why joulemark determines no " +
      "energy",
  ),
  row(
    "PART-N",
    "counter number N of the component PART",
  ),
  row(
    "response",
    "how an update of the counter shows the power " +
      "([table](../../explanation/energy-method.md#the-counters-response)): `lag` (late), " +
      "`mean` (mean over a time), `first order` (exponential approach) or `window` (only the " +
      "last part of each update period)",
  ),
  row(
    "lag (s); lag se (s)",
    "delay after which the counter shows energy, and the standard error of this delay",
  ),
  row(
    "moving average (s)",
    "only for `mean`: time over which the counter averages the power",
  ),
  row(
    "time constant (s)",
    "only for `first order`: time after which the counter shows 63 % of a change of the " +
      "power",
  ),
  row(
    "window (s)",
    "only for `window`: length of the part of the update period that the counter measures",
  ),
  row(
    "update period (s)",
    "time between two updates of the counter",
  ),
  row(
    "clock jitter (s)",
    "variation of the time between two updates of the counter",
  ),
  row(
    "changes seen; breaks",
    "number of times that the counter changed, and number of times that its readings were " +
      "interrupted, for example by a reset",
  ),
  row(
    "intervals",
    "number of intervals between updates of the counter that the fit uses",
  ),
  row(
    "columns",
    "number of unknown values that the fit determines. Examples are the powers of the regions",
  ),
  row(
    "totals",
    "section with the totals of the run",
  ),
  row(
    "time (s)",
    "time of the run",
  ),
  row(
    "EDP (J s)",
    "energy-delay product: energy of the run × time of the run",
  ),
  row(
    "energy (J); energy (kWh)",
    "energy of a component during the run",
  ),
  row(
    "reading-error (J)",
    "standard error of the energy of a component. It exists because joulemark reads the " +
      "counter between two updates of the counter",
  ),
  row(
    "covers",
    "part of the time or of the node that the energy includes, if it is not complete",
  ),
  row(
    "power-peak (W)",
    "highest power of a component, as a mean over one second",
  ),
  row(
    "power-peak-at-most (W)",
    "in a merged report: sum of the hosts' peaks; the peak of the job is lower or equal",
  ),
  row(
    "power-of-hosts (W)",
    "in a merged report: sum of the hosts' mean powers",
  ),
  row(
    "idle (J)",
    "with `--idle`: idle power times the time of the run",
  ),
  row(
    "net (J)",
    "with `--idle`: energy of the run minus `idle (J)`",
  ),
  row(
    "notes; minor notes",
    "messages about the accuracy and completeness of the values. Minor notes have no " +
      "influence on the values",
  ),
  row(
    "node; package; dram; gpu",
    "components: the whole node, its processors, their memory, its GPUs",
  ),
  row(
    "tree; rows",
    "regions by path: time, visits and energy of each region, with and without nested regions",
  ),
  row(
    "unmarked",
    "energy outside of all regions",
  ),
  row(
    "other CPUs",
    "energy of packages that the run may not use, and of other CPUs during the time in which " +
      "no process with annotations may use them",
  ),
  row(
    "undetermined",
    "part of the total that no row has, because the energy of some regions is not determined",
  ),
  row(
    "rows left out; regions left out here",
    "number of further regions that the report does not contain",
  ),
  row(
    "permissions; permissions given back",
    "permissions that the executable had at its start, and permissions that it gave up " +
      "after the first sample",
  ),
  row(
    "confinement",
    "section with the rights that the monitor keeps after the first sample. The kernel " +
      "enforces this limit",
  ),
  row(
    "capabilities; system calls",
    "`capabilities` is `none` if the monitor has no capabilities. `system calls` is " +
      "`filtered` if the kernel refuses system calls that the monitor does not need. Otherwise " +
      "the text is the reason",
  ),
  row(
    "paths; by",
    "files and directories that the monitor may use, and the kernel feature that enforces " +
      "this (`landlock`)",
  ),
  row(
    "read; written; executed",
    "paths that the monitor may read, and paths that it may write. `executed` is always `none`, " +
      "because the monitor may execute no file",
  ),
  row(
    "across processes",
    "section about the times that the single processes spent in a region",
  ),
  row(
    "mean (s); deviation (s)",
    "under `across processes`: mean and standard deviation of the times of the processes in " +
      "a region",
  ),
  row(
    "least (s); least in",
    "under `across processes`: minimum time of a process in a region, and the process with " +
      "this time",
  ),
  row(
    "most (s); most in",
    "under `across processes`: maximum time of a process in a region, and the process with " +
      "this time",
  ),
  row(
    "times",
    "under `across processes`: histogram of the times of the processes in a region, as " +
      "`bucket:processes`. A *bucket* is a range of times. Bucket 0 begins at 1 ns, and the " +
      "end of each bucket is 2 % above its begin",
  ),
  row(
    "stragglers; outliers",
    "hosts that need much more time than the median of all hosts, and hosts that need much " +
      "less time or whose energy or power is far from the median",
  ),
  row(
    "across hosts",
    "section of a merged report: statistics of each field over the hosts",
  ),
  row(
    "min; min host",
    "under `across hosts`: minimum of a field over the hosts, and the host that has it",
  ),
  row(
    "max; max host",
    "under `across hosts`: maximum of a field over the hosts, and the host that has it",
  ),
  row(
    "mean; deviation",
    "under `across hosts`: mean and standard deviation of a field over the hosts",
  ),
  row(
    "host mean (J); host deviation (J)",
    "energies of the single hosts: mean and standard deviation",
  ),
  row(
    "host least (J); host least",
    "minimum energy of a host, and the name of this host",
  ),
  row(
    "host most (J); host most",
    "maximum energy of a host, and the name of this host",
  ),
  row(
    "hosts missing; hosts partial",
    "hosts without a report, and hosts with a partial report",
  ),
  row(
    "left out; joined by force",
    "reports that `merge` did not use, and reports of another job that it used because of " +
      "`--force`",
  ),
  row(
    "clocks",
    "section of a merged report: comparison of the clocks of the nodes with the clock of the " +
      "file server",
  ),
  row(
    "spread (s)",
    "largest difference between the clocks of two nodes",
  ),
  row(
    "residual (s)",
    "uncertainty of the measured difference between the clock of a node and the clock of the " +
      "file server; maximum over the nodes",
  ),
  row(
    "job share",
    "section of a job that may not use all CPUs of the node",
  ),
  row(
    "share",
    "the job's share of the package energy, from 0 to 1",
  ),
  row(
    "cpus found by",
    "source of the list of the job's CPUs: control group or affinity mask (list of CPUs that a " +
      "process may use)",
  ),
  row(
    "idle",
    "section about the idle power that joulemark used to calculate the net energies",
  ),
  row(
    "CPUs busy (%)",
    "share of time in which the CPUs worked while joulemark measured the idle power",
  ),
  row(
    "length (s)",
    "length of the measurement of the idle power",
  ),
  row(
    "package (W); dram (W); gpu (W); node (W)",
    "under `idle`: idle power of this component",
  ),
  row(
    "mpi",
    "section about the MPI calls of the application",
  ),
  row(
    "calls",
    "list of MPI functions, with the number of their calls and the bytes that the calls " +
      "transferred",
  ),
  row(
    "mpi-wait (s); mpi-transfer (s); mpi-io (s)",
    "time in MPI calls that only wait, in MPI calls that transfer data, and in MPI calls that " +
      "read or write files; as the mean over processes",
  ),
  row(
    "peers of a process, at most",
    "maximum number of other ranks with which one process exchanges messages",
  ),
  row(
    "openmp",
    "section about the OpenMP threads: count and time of each kind of work and of each kind " +
      "of waiting, summed over all threads",
  ),
  row(
    "threads of a process, at most",
    "maximum number of OpenMP threads of one process",
  ),
  row(
    "event values",
    "section about values that the program passed to an annotation API, such as TAU's events",
  ),
  row(
    "event",
    "name of the event",
  ),
  row(
    "sum; mean; minimum; maximum; standard deviation",
    "statistics of the values of the event, over all processes",
  ),
  row(
    "replayed",
    "`true`: `joulemark replay` made the report from a recording (a directory with all " +
      "events and samples of a run)",
  ),
  row(
    "steps",
    "number of samples in the recording",
  ),
  row(
    "power curve",
    "only for a run without regions: power of each component over time, in W. Each number is " +
      "the mean power of one interval",
  ),
  row(
    "width (s)",
    "length of one interval of the power curve",
  ),
  row(
    "counters",
    "values of the counters of `--counters`, by node and by package",
  ),
];
