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
    "runtime (s); count",
    "exact time in the section, and number of visits, as means over processes " +
      "([aggregation](../../explanation/aggregation.md)). In `Epoch Totals`: sampled time, " +
      "and minimum number of epochs over the CPUs",
  ),
  row(
    "sync-runtime (s)",
    "time in which all CPUs of the application were in the section at once, counted in samples",
  ),
  row(
    "package-energy (J); dram-energy (J)",
    "energy of the processors and of the memory during `sync-runtime (s)`",
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
    "the same in Hz",
  ),
  row(
    "time-hint-HINT (s)",
    "time under each hint (kind of work), as the mean over the CPUs that the application uses",
  ),
  row(
    "gpu-energy (J); gpu-power (W); gpu-core-energy (J); gpu-core-power (W); gpu-frequency (Hz)",
    "energy, power and frequency of GPUs. A key is present only if the node has the signal",
  ),
  row(
    "uncore-frequency (Hz)",
    "frequency of the processor's part outside of the cores (uncore). Present only if the " +
      "node has the signal",
  ),
  row(
    "SIGNAL; SIGNAL@domain-index",
    "signals of `--report-signals`, in the order of this option",
  ),
  row(
    "MPI startup (s); GEOPM startup (s); GEOPM overhead (s); geopmctl memory HWM (B); " +
      "geopmctl network BW (B/s)",
    "start and cost of the monitor, only under `Application Totals`. As in GEOPM, the " +
      "memory is in KiB although the key says B",
  ),
];

/** Fields of sections that joulemark adds. */
export const OWN_FIELDS: readonly FieldRow[] = [
  row(
    "joulemark-node-energy (J)",
    "energy of the node by GEOPM's rules, from samples. Present only if the node has a " +
      "power meter, such as an ACPI meter, and no energy counter",
  ),
  row(
    "joulemark-PART-energy-exact (J)",
    "energy that the counter added at each change, divided among the regions by their " +
      "exact CPU times. For regions, unmarked time and application",
  ),
  row(
    "joulemark-PART-energy-fit (J)",
    "energy estimated from the whole run. `nan` means that it cannot be determined",
  ),
  row(
    "joulemark-PART-energy-fit-se (J)",
    "standard error of `joulemark-PART-energy-fit (J)`; for regions and unmarked time",
  ),
  row(
    "joulemark-PART-energy-caused (J)",
    "energy that the load of the section caused, even if it was drawn later. Present only if " +
      "power follows the load with a delay",
  ),
  row(
    "joulemark-PART-energy-known (J); joulemark-PART-power-known (W)",
    "energy and power of the measured time and parts. Present if GEOPM's key is `.nan`, " +
      "because a counter failed ([coverage](../../reference/coverage.md))",
  ),
  row(
    "joulemark-PART-energy-coverage (%)",
    "measured time of all parts (packages, memories, GPUs), in percent of their total time",
  ),
  row(
    "joulemark-PART-energy-gross (J)",
    "with `run --idle`, application only: sampled energy of the run",
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
    "application only, if the job may not use all CPUs of the node: the job's share of " +
      "the package energy",
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
    "annotation API whose calls made the region, such as `nvtx/solver`",
  ),
  row(
    "attribute",
    "Caliper's attribute of the region",
  ),
  row(
    "count; runtime (s)",
    "number of completed visits, and their time with nested regions. Both are means over " +
      "processes, as in GEOPM's sections. If the row has its own key `processes`, they are " +
      "means over these processes",
  ),
  row(
    "runtime-self (s)",
    "time in the region without nested regions. It includes visits that have not ended",
  ),
  row(
    "PART-energy (J); PART-energy-se (J)",
    "energy with nested regions, and its standard error. `.nan` means that the energy " +
      "cannot be determined",
  ),
  row(
    "PART-energy-exact (J)",
    "energy that the counter added at each change, divided among the regions by their " +
      "exact CPU times. Present if there is no estimate",
  ),
  row(
    "PART-energy-self (J); PART-energy-self-se (J)",
    "energy without nested regions, and its standard error",
  ),
  row(
    "PART-power (W)",
    "energy × number of CPUs ÷ CPU time in the region. It is the power of the component " +
      "if all CPUs of the application are in the region",
  ),
  row(
    "visit-min (s); visit-p50 (s); visit-p99 (s); visit-max (s); visit-sd (s)",
    "shortest visit, median, 99th percentile, longest visit and standard deviation, over all " +
      "processes. The error of the percentiles is at most 15 %",
  ),
  row(
    "visit-lengths",
    "histogram of the lengths of visits, as `bucket:visits`. There are four buckets for " +
      "each power of two, from 1 ns on",
  ),
];

/** Mappings and keys below `joulemark:`, after a host's sections or in the header. */
export const OWN_KEYS: readonly FieldRow[] = [
  row(
    "sources; source",
    "source of each signal: a file, device or register",
  ),
  row(
    "quality",
    "origin of a signal's values: `measured`, `derived` (calculated from other signals), " +
      "`simulated` or `partial`",
  ),
  row(
    "signal",
    "name of the signal on this node for a portable name such as CPU_ENERGY",
  ),
  row(
    "absent",
    "the signal has no source on this node; the text is the reason",
  ),
  row(
    "note",
    "limit of the signal",
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
    "bench; set; block; position; seed",
    "place of the run in a benchmark: its command, its block, its place in the block, and the " +
      "seed of the random order",
  ),
  row(
    "job; cluster; user; restarts",
    "ID of the scheduler's job, its cluster, the user, and the number of times that the " +
      "scheduler started the job again",
  ),
  row(
    "machine; processor; packages; cores; cpus",
    "the node's processor, and its numbers of packages, cores and CPUs",
  ),
  row(
    "sampling; samples",
    "sampling by the monitor, and the number of samples",
  ),
  row(
    "period (s)",
    "time between two samples",
  ),
  row(
    "samples slept through",
    "number of samples without any reading. The monitor omits readings if it has nothing " +
      "to read and the application calls no annotation",
  ),
  row(
    "samples missed",
    "number of samples that the monitor omitted, because it was too late for them",
  ),
  row(
    "samples late",
    "number of samples that began more than one period after their planned time",
  ),
  row(
    "ticks between reads of per-CPU counters",
    "number n: counters of single CPUs were read only at every n-th sample, because " +
      "reading them takes long",
  ),
  row(
    "stalled from (s); stalled until (s)",
    "begin and end of a time in which the monitor did not run, for example because it was " +
      "stopped. Energies include only the time before it",
  ),
  row(
    "first sample after (s)",
    "time from the start to the first sample; energies do not include this time",
  ),
  row(
    "last update not read",
    "counters whose last update joulemark did not read, because a signal ended the run",
  ),
  row(
    "scheduling",
    "scheduling policy of the monitor",
  ),
  row(
    "coverage; coverage (%); power while measured (W)",
    "values that do not include the whole time or all parts: the measured part in " +
      "percent, and the power in this part",
  ),
  row(
    "overhead; cpu (s); cpu (% of a core)",
    "cost of the monitor: its CPU time from its start to the last sample, in seconds and in " +
      "percent of one core",
  ),
  row(
    "sampling (s); sampling (% of a core)",
    "CPU time of the sampling only, without start and end",
  ),
  row(
    "simulated counters (s); simulated counters (% of a core)",
    "CPU time for the simulation of counters. The other costs do not include it",
  ),
  row(
    "after the command (s)",
    "CPU time of the monitor after the end of the command",
  ),
  row(
    "resident memory (KiB)",
    "memory of the monitor",
  ),
  row(
    "budget",
    "actions that kept the CPU time of the monitor within `--budget`",
  ),
  row(
    "visits folded; time of folding (s)",
    "number of visits that were stored as a count and a time, and the time in which this " +
      "was done",
  ),
  row(
    "period times, at most; time of longer periods (s)",
    "maximum factor by which the sampling period was increased, and the time with a " +
      "longer period",
  ),
  row(
    "processes; seen",
    "number of processes of the application with annotations",
  ),
  row(
    "came later; died; still running",
    "numbers of processes that started after the others, that were killed, and that had " +
      "not ended",
  ),
  row(
    "ended inside a region",
    "processes that ended while a region was open, with the name of this region",
  ),
  row(
    "without marks",
    "`the launched command`, if the command counts as a process because no process has " +
      "annotations",
  ),
  row(
    "not attached",
    "number of forked processes with annotations that could not create their ring file " +
      "(the buffer for their events). Their annotations are lost",
  ),
  row(
    "processes that said",
    "number of processes that reported the values of this section, such as their MPI " +
      "calls. It is lower than the number of all processes if some were killed",
  ),
  row(
    "marks",
    "problems with events of annotations: events that were aggregated, late, wrong or omitted",
  ),
  row(
    "folded visits",
    "visits that the application aggregated because its ring was full",
  ),
  row(
    "late events; late by at most (s)",
    "events that arrived after their sample was finished, and their maximum delay; they count " +
      "at a later time",
  ),
  row(
    "visits under one name",
    "number of visits that count for the name `[joulemark] other`, because the program " +
      "has too many region names",
  ),
  row(
    "visits of threads without room",
    "number of visits of threads for which the ring file had no room",
  ),
  row(
    "begins and ends of spans without room; hints left out",
    "number of these events for which the ring file had no room",
  ),
  row(
    "nested visits lost; visits without a path",
    "number of nested visits that do not count for their own region, because a ring file " +
      "had no room",
  ),
  row(
    "marks within marks",
    "number of annotation calls that are lost. A signal handler made them, while it " +
      "interrupted another annotation call",
  ),
  row(
    "visits out of order",
    "number of visits by thread that were stored as a count and a time, and not in their order",
  ),
  row(
    "records left out; files left out",
    "number of damaged records, and the ring files that joulemark did not read",
  ),
  row(
    "refused calls; exit without entry",
    "wrong calls that had no effect, by kind",
  ),
  row(
    "mistakes",
    "number of begin and end calls that do not match, by kind, process and thread",
  ),
  row(
    "mistakes without a name",
    "number of such calls for which the names of the regions are not known",
  ),
  row(
    "mistakes first seen",
    "time of the first call of each kind that does not match",
  ),
  row(
    "remarks",
    "messages of the language binding or the preload library in the application",
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
    "number of samples that were lost, and how often the kernel reduced the sampling rate",
  ),
  row(
    "complete (%); unknown (%)",
    "share of samples with a complete stack, and share of samples with an unknown function",
  ),
  row(
    "guessed frames (%)",
    "share of stack frames that joulemark guessed",
  ),
  row(
    "modules without tables",
    "programs and libraries without unwind tables, which are needed to find the callers " +
      "of a function",
  ),
  row(
    "cpu-time (s); sampled (s)",
    "CPU time as the kernel counts it, and number of samples times the sampling period",
  ),
  row(
    "short threads (s); kernel, not visible (s); lost (s)",
    "CPU time without samples: of threads that ended before their first sample, of the " +
      "kernel, and of threads whose samples were all lost",
  ),
  row(
    "brief threads (s)",
    "CPU time of threads with few samples (fewer than five periods)",
  ),
  row(
    "list; function; file; line; module",
    "the functions with most time: name, source file, line with most time, and program or " +
      "library",
  ),
  row(
    "self-time (s); self-time-se (s); total-time (s)",
    "CPU time of the function without the functions that it calls, the standard error of this " +
      "time, and CPU time with them",
  ),
  row(
    "off CPU (s); preempted (s)",
    "with `--off-cpu`: time in which threads waited, and time in which they were ready " +
      "but had no CPU",
  ),
  row(
    "off CPU; times",
    "with `--off-cpu`: the functions that waited longest, and how often they waited",
  ),
  row(
    "energy; total (J)",
    "energy of functions by component, and the increase of the counter",
  ),
  row(
    "not running (s); not running (J); not running-se (J)",
    "time in which the CPUs of the command waited, the energy in this time, and the " +
      "standard error of this energy",
  ),
  row(
    "PART-energy (J); PART-energy-se (J); total-PART-energy (J); total-PART-energy-se (J)",
    "energy of a function without and with the functions that it calls, and the standard " +
      "errors",
  ),
  row(
    "PART-energy not determined",
    "reason why the energy of this function cannot be determined",
  ),
  row(
    "counters checked; tried at",
    "result of `doctor --energy` on this node, and its date",
  ),
  row(
    "PART trusted at (s)",
    "lengths of visits at which the counter is reliable",
  ),
  row(
    "spans; span",
    "count and time of each span, an interval that may overlap regions; by name",
  ),
  row(
    "attribution; method",
    "division of the counters' energy among the regions, and the method (`--attribution`)",
  ),
  row(
    "not determined; not determined beside these",
    "regions whose energy cannot be determined, and number of further regions of this kind",
  ),
  row(
    "not determined energy (J); not determined energy se (J)",
    "energy of all these regions together, and its standard error",
  ),
  row(
    "other CPUs (J)",
    "energy of CPUs that no process of the run used",
  ),
  row(
    "outside (J)",
    "energy before the first process started and after the last process ended",
  ),
  row(
    "lack of fit",
    "reason why the model does not describe the data well",
  ),
  row(
    "PART-N",
    "counter number N of the component PART",
  ),
  row(
    "response; lag (s); lag se (s); moving average (s); time constant (s); window (s)",
    "how the value of the counter follows the power: with a delay, as a mean over a time, " +
      "exponentially, or by a part of each update period; with the parameters",
  ),
  row(
    "update period (s); clock jitter (s)",
    "time between two updates of the counter, and its variation",
  ),
  row(
    "changes seen; breaks",
    "number of changes of the counter, and number of interruptions such as resets",
  ),
  row(
    "intervals; columns",
    "intervals and unknowns of the model",
  ),
  row(
    "totals; time (s)",
    "totals of the run, and its time",
  ),
  row(
    "EDP (J s)",
    "energy-delay product: energy × time of the run",
  ),
  row(
    "energy (J); energy (kWh)",
    "energy of a component",
  ),
  row(
    "reading-error (J)",
    "standard error of the energy of a component, because the counter is read between two " +
      "updates",
  ),
  row(
    "covers",
    "part of the time or of the node that the energy includes, if it is not complete",
  ),
  row(
    "power-peak (W)",
    "highest mean power over one second",
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
    "limits of the values; minor notes have no influence on the values",
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
    "energy of packages that the run may not use, and of CPUs without a process",
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
    "permissions of the executable, and those that it gave up after the first sample",
  ),
  row(
    "confinement; capabilities; system calls; paths; by; read; written; executed",
    "rights of the monitor after the first sample, as the kernel enforces them: " +
      "capabilities, system calls, and paths that it may read, write or execute",
  ),
  row(
    "across processes; mean (s); deviation (s)",
    "time that single processes spent in a region: mean and standard deviation over the " +
      "processes",
  ),
  row(
    "least (s); least in",
    "minimum of these times, and the process with the minimum",
  ),
  row(
    "most (s); most in",
    "maximum of these times, and the process with the maximum",
  ),
  row(
    "times",
    "histogram of these times, with buckets of 2 % from 1 ns on",
  ),
  row(
    "stragglers; outliers",
    "hosts that are much slower than the median of all hosts, and hosts whose values are " +
      "far from the median",
  ),
  row(
    "across hosts; min; min host; max; max host; mean; std",
    "minimum, maximum, mean and standard deviation of each field over the hosts, and the " +
      "hosts with minimum and maximum",
  ),
  row(
    "host mean (J); host deviation (J)",
    "energy of single hosts: mean and standard deviation",
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
    "reports that `merge` did not use, and reports that it used only because of `--force`",
  ),
  row(
    "clocks; spread (s); residual (s)",
    "clocks of the nodes: largest difference between two clocks, and the uncertainty of " +
      "the differences",
  ),
  row(
    "job share; share; cpus found by",
    "the job's share of the package energy on a shared node, and how joulemark found the CPUs " +
      "of the job",
  ),
  row(
    "idle",
    "idle power, which is used for the net energies",
  ),
  row(
    "CPUs busy (%); length (s)",
    "how busy the CPUs were while the idle power was measured, and how long this took",
  ),
  row(
    "package (W); dram (W); gpu (W); node (W)",
    "idle power of each component",
  ),
  row(
    "mpi; calls",
    "MPI calls with their counts and bytes",
  ),
  row(
    "mpi-wait (s); mpi-transfer (s); mpi-io (s)",
    "time that a process waits, transfers data, or uses files in MPI calls, as the mean " +
      "over processes",
  ),
  row(
    "peers of a process, at most",
    "the process with most partners sends to, or gets from, this number of other ranks",
  ),
  row(
    "openmp",
    "count and time of each kind of work and waiting of OpenMP threads, summed over all threads",
  ),
  row(
    "threads of a process, at most",
    "maximum number of OpenMP threads of one process",
  ),
  row(
    "event values; event; sum; mean; minimum; maximum; standard deviation",
    "values that the program passed to an event API such as TAU's, over all processes",
  ),
  row(
    "replayed; steps",
    "the report was made from a recording with this number of steps",
  ),
  row(
    "power curve; width (s)",
    "power over time of a run without regions, in W, as means over equal intervals",
  ),
  row(
    "counters",
    "values of `--counters`, by node and package",
  ),
];
