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
    "exact time in the section and number of visits, as means over processes " +
      "([aggregation](../../explanation/aggregation.md)). For epochs: sampled time, and minimum " +
      "count over CPUs",
  ),
  row(
    "sync-runtime (s)",
    "sampled time in which all CPUs of the application were in the section",
  ),
  row(
    "package-energy (J); dram-energy (J)",
    "energy of the processors and of the memory during `sync-runtime (s)`, sampled",
  ),
  row(
    "power (W)",
    "`package-energy (J)` divided by `sync-runtime (s)`",
  ),
  row(
    "frequency (%); frequency (Hz)",
    "CPU_CYCLES_THREAD / CPU_CYCLES_REFERENCE in percent; the same ratio times the base " +
      "frequency (sticker frequency)",
  ),
  row(
    "time-hint-HINT (s)",
    "time under each hint, mean over the CPUs that the application uses",
  ),
  row(
    "gpu-energy (J); gpu-power (W); gpu-core-energy (J); gpu-core-power (W); gpu-frequency " +
      "(Hz); uncore-frequency (Hz)",
    "energy, power and frequency of GPUs, frequency of the uncore. A key is present only if " +
      "the node has the signal",
  ),
  row(
    "SIGNAL; SIGNAL@domain-index",
    "signals of `--report-signals`, in the order of this option",
  ),
  row(
    "MPI startup (s); GEOPM startup (s); GEOPM overhead (s); geopmctl memory HWM (B); " +
      "geopmctl network BW (B/s)",
    "start and cost of the monitor, only under `Application Totals`. The memory is in KiB " +
      "although the key says B, as in GEOPM",
  ),
];

/** Fields of sections that joulemark adds. */
export const OWN_FIELDS: readonly FieldRow[] = [
  row(
    "joulemark-node-energy (J)",
    "sampled node energy. Present only if the node has a power meter, such as an ACPI meter, " +
      "and no energy counter",
  ),
  row(
    "joulemark-PART-energy-exact (J)",
    "energy by the difference of counter readings at the exact begins and ends; for regions, " +
      "unmarked time and application",
  ),
  row(
    "joulemark-PART-energy-fit (J)",
    "energy estimated from the whole run; `nan`: it cannot be determined",
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
    "energy and power of the time and the parts that were measured. Present if GEOPM's key is " +
      "`.nan` ([coverage](../../reference/coverage.md))",
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
    "the job's share of the package energy, if the job may not use all CPUs of the node; " +
      "application only",
  ),
];

/** Fields of a row of the tree of regions. */
export const TREE_FIELDS: readonly FieldRow[] = [
  row(
    "region; depth",
    "name of the region, and its nesting depth (0: outermost)",
  ),
  row(
    "track; attribute",
    "annotation API whose calls made the region, such as `nvtx/solver`; Caliper's attribute " +
      "of the region",
  ),
  row(
    "count; runtime (s)",
    "completed visits, and their time with nested regions; means over processes, as in " +
      "GEOPM's sections. If the row has its own key `processes`, the means are over these " +
      "processes",
  ),
  row(
    "runtime-self (s)",
    "time in the region without nested regions; includes visits that have not ended",
  ),
  row(
    "PART-energy (J); PART-energy-se (J)",
    "energy with nested regions, and the standard error of this energy; `.nan`: it cannot be " +
      "determined",
  ),
  row(
    "PART-energy-exact (J)",
    "energy by the difference of counter readings at the exact begins and ends. Present if " +
      "the estimate cannot be determined or was not requested",
  ),
  row(
    "PART-energy-self (J); PART-energy-self-se (J)",
    "energy without nested regions, and the standard error of this energy",
  ),
  row(
    "PART-power (W)",
    "energy × number of CPUs ÷ CPU time in the region: the power if all CPUs of the " +
      "application are in the region",
  ),
  row(
    "visit-min (s); visit-p50 (s); visit-p99 (s); visit-max (s); visit-sd (s)",
    "shortest visit, median, 99th percentile, longest visit and standard deviation, over all " +
      "processes. The error of the percentiles is at most 15 %",
  ),
  row(
    "visit-lengths",
    "histogram of the visit lengths as `bucket:visits`. A power of two has four buckets, from " +
      "1 ns on",
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
    "signal that a portable name such as CPU_ENERGY stands for on this node",
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
    "exit status; ended by",
    "exit status of the command, or the signal that ended it. In a merged report: the first " +
      "status that is not 0. If joulemark forwarded this signal, the run is `partial`",
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
    "samples without any reading, because nothing had to be read and no annotation was called",
  ),
  row(
    "samples missed",
    "samples that the monitor skipped because their time had passed",
  ),
  row(
    "samples late",
    "samples that began more than one period after their time",
  ),
  row(
    "ticks between reads of per-CPU counters",
    "counters of single CPUs were read only at every n-th sample, because reading them takes " +
      "long",
  ),
  row(
    "stalled from (s); stalled until (s)",
    "interval in which the monitor did not run, for example because it was stopped; energies " +
      "end before this interval",
  ),
  row(
    "first sample after (s)",
    "time from the start to the first sample; energies do not include this time",
  ),
  row(
    "last update not read",
    "counters whose last update was not read because a signal ended the run",
  ),
  row(
    "scheduling",
    "scheduling policy of the monitor",
  ),
  row(
    "coverage; coverage (%); power while measured (W)",
    "values that do not cover the whole time or all parts: the measured part, and the power " +
      "in this part",
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
    "CPU time for the simulation of counters; it is not part of the other costs",
  ),
  row(
    "after the command (s); resident memory (KiB)",
    "CPU time of the monitor after the end of the command, and its memory",
  ),
  row(
    "budget; visits folded; time of folding (s); period times, at most; time of longer " +
      "periods (s)",
    "steps that kept the monitor within `--budget`: number of aggregated visits, time in " +
      "which visits were aggregated, maximum factor of the sampling period, and time with a " +
      "longer period",
  ),
  row(
    "processes; seen",
    "number of processes of the application that were counted",
  ),
  row(
    "came later; died; still running; ended inside a region; without marks",
    "processes that started after the others, were killed, had not ended, or ended inside a " +
      "region; `without marks`: the launched command, if no process has annotations",
  ),
  row(
    "not attached",
    "forked processes with annotations that could not create their ring file",
  ),
  row(
    "processes that said",
    "number of processes that reported these values",
  ),
  row(
    "marks",
    "events of annotations that were aggregated, late, wrong or left out",
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
    "visits under one name; visits of threads without room; begins and ends of spans without " +
      "room; hints left out; nested visits lost; visits without a path",
    "events without room in the ring file, for example because there were too many names, " +
      "threads or spans",
  ),
  row(
    "marks within marks",
    "calls of signal handlers that interrupted another annotation call and had no room; they " +
      "are left out",
  ),
  row(
    "visits out of order",
    "visits that were aggregated instead of recorded in order, by thread",
  ),
  row(
    "records left out; files left out",
    "damaged records and ring files that were not read",
  ),
  row(
    "refused calls; exit without entry",
    "wrong calls that had no effect, by kind",
  ),
  row(
    "mistakes; mistakes first seen; mistakes without a name",
    "begin and end calls that do not match, by kind, process and thread; and the time of the " +
      "first call of each kind",
  ),
  row(
    "remarks",
    "messages of the language binding or the preload library in the application",
  ),
  row(
    "functions; event; rate (Hz)",
    "CPU time of functions (`--functions`): the event that is sampled, and samples per second " +
      "of CPU time",
  ),
  row(
    "lost; throttled",
    "samples that were lost, and times when the kernel reduced the sampling rate",
  ),
  row(
    "complete (%); unknown (%); guessed frames (%); modules without tables",
    "share of samples with a complete stack, share of samples with an unknown function, share " +
      "of guessed frames, and files without unwind tables",
  ),
  row(
    "cpu-time (s); sampled (s)",
    "CPU time by the kernel's count, and number of samples times the period",
  ),
  row(
    "short threads (s); kernel, not visible (s); lost (s)",
    "CPU time without samples: threads that ended before their first sample, the kernel, " +
      "threads whose samples were all lost",
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
    "off CPU (s); preempted (s); off CPU; times",
    "with `--off-cpu`: time in which threads waited, time in which threads were ready but had " +
      "no CPU; then the functions that waited longest, and how often",
  ),
  row(
    "energy; total (J)",
    "energy of functions by component, and the increase of the counter",
  ),
  row(
    "not running (s); not running (J); not running-se (J)",
    "time in which CPUs of the command waited, the energy in this time, and its standard " +
      "error",
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
    "counters checked; tried at; PART trusted at (s)",
    "result of `doctor --energy` on this node: its date, and the visit lengths at which each " +
      "counter is reliable",
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
    "not determined; not determined beside these; not determined energy (J); not determined " +
      "energy se (J)",
    "regions whose energy cannot be determined, the number of further regions of this kind, " +
      "their energy together, and its standard error",
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
    "PART-N; response; lag (s); lag se (s); moving average (s); time constant (s); window (s)",
    "counter N of a component: how its value follows the power (delay, mean over a time, " +
      "exponential approach, or a part of each period), with the parameters",
  ),
  row(
    "update period (s); clock jitter (s); changes seen; breaks",
    "update period of the counter and its variation, number of changes, and number of " +
      "interruptions such as resets",
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
    "permissions of the executable, and those that it dropped after the first sample",
  ),
  row(
    "confinement; capabilities; system calls; paths; by; read; written; executed",
    "restrictions of the monitor by the kernel after the first sample: capabilities, system " +
      "calls, and paths that it may read, write or execute",
  ),
  row(
    "across processes; mean (s); deviation (s); least (s); least in; most (s); most in; times",
    "time of a region in single processes: mean, standard deviation, minimum and maximum with " +
      "their processes, and a histogram (buckets of 2 %, from 1 ns on)",
  ),
  row(
    "stragglers; outliers",
    "hosts that are much slower than the median, and hosts whose values are far from the " +
      "median",
  ),
  row(
    "across hosts; min; min host; max; max host; mean; std",
    "minimum, maximum, mean and standard deviation of each field over the hosts, and the " +
      "hosts with minimum and maximum",
  ),
  row(
    "host mean (J); host deviation (J); host least (J); host least; host most (J); host most",
    "energy of single hosts: mean, standard deviation, minimum and maximum with their hosts",
  ),
  row(
    "hosts missing; hosts partial; left out; joined by force",
    "hosts without a report, hosts with a partial report, reports that were left out, and " +
      "reports that `merge --force` joined",
  ),
  row(
    "clocks; spread (s); residual (s)",
    "clocks of the nodes: range of their differences, and the error of these differences",
  ),
  row(
    "job share; share; cpus found by",
    "the job's share of the package energy on a shared node, and how joulemark found the CPUs " +
      "of the job",
  ),
  row(
    "idle; CPUs busy (%); length (s); package (W); dram (W); gpu (W); node (W)",
    "idle power for the net energies: how busy the CPUs were during the measurement, its " +
      "length, and the power of each component",
  ),
  row(
    "mpi; calls; mpi-wait (s); mpi-transfer (s); mpi-io (s); peers of a process, at most",
    "MPI calls with counts and bytes; mean time of a process that waits, transfers data, or " +
      "uses files; maximum number of ranks that a process sends to or gets from",
  ),
  row(
    "openmp; threads of a process, at most",
    "count and time of each kind of work and waiting of OpenMP threads, summed over all " +
      "threads",
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
