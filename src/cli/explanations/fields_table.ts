/** Keys of a report and what they hold; a table of docs/reference/formats/report.md is made of them. */

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

/** The report's own first lines, and the names of its sections. */
export const HEADER_FIELDS: readonly FieldRow[] = [
  row(
    "GEOPM Version; Start Time; Profile; Agent; Policy",
    "whose format it is and which joulemark made it; when the run began, its name, and what " +
      "controlled the node: nothing, `monitor`",
  ),
  row(
    "Hosts; Regions; region; hash; Unmarked Totals; Epoch Totals",
    "a host's regions by name, GEOPM's number of it beside; the time outside of all; and the " +
      "time steps, if there were any",
  ),
  row("Application Totals", "the whole run on this host"),
  row(
    "joulemark; version",
    "what joulemark adds to GEOPM's report: of the job behind the header, of each host behind " +
      "its sections",
  ),
];

/** Fields of sections that GEOPM's report has. */
export const GEOPM_FIELDS: readonly FieldRow[] = [
  row(
    "runtime (s); count",
    "exact, see [aggregation](../../explanation/aggregation.md); epoch: sampled time, minimum count over CPUs",
  ),
  row("sync-runtime (s)", "total of TIME: the time that samples give the section"),
  row("package-energy (J); dram-energy (J)", "totals of CPU_ENERGY, DRAM_ENERGY, by samples"),
  row("power (W)", "package energy / sync-runtime"),
  row(
    "frequency (%); frequency (Hz)",
    "CPU_CYCLES_THREAD / CPU_CYCLES_REFERENCE, times 100, times the sticker frequency",
  ),
  row("time-hint-HINT (s)", "mean over used CPUs of the time under each hint"),
  row(
    "gpu-energy (J); gpu-power (W); gpu-core-energy (J); gpu-core-power (W); gpu-frequency (Hz); " +
      "uncore-frequency (Hz)",
    "each only where the node has the signal",
  ),
  row("SIGNAL; SIGNAL@domain-index", "those asked for with `--report-signals`, in that order"),
  row(
    "MPI startup (s); GEOPM startup (s); GEOPM overhead (s); geopmctl memory HWM (B); " +
      "geopmctl network BW (B/s)",
    "application only; the memory is in KiB despite its unit, as in GEOPM",
  ),
];

/** Fields of sections that are ours. */
export const OWN_FIELDS: readonly FieldRow[] = [
  row(
    "joulemark-node-energy (J)",
    "only if the node's energy is the integral of a power, as of an ACPI meter: total by samples",
  ),
  row("joulemark-PART-energy-exact (J)", "regions, unmarked, application: by exact edges"),
  row(
    "joulemark-PART-energy-fit (J)",
    "the same by the fit over the whole run; `nan`: cannot be determined",
  ),
  row("joulemark-PART-energy-fit-se (J)", "regions, unmarked: its standard error"),
  row(
    "joulemark-PART-energy-caused (J)",
    "what its load caused, wherever it was drawn: where power follows the load late",
  ),
  row(
    "joulemark-PART-energy-known (J); joulemark-PART-power-known (W)",
    "what was measured, where GEOPM's key is `.nan`: [coverage](../../reference/coverage.md)",
  ),
  row("joulemark-PART-energy-coverage (%)", "part of the time, over all packages, that it covers"),
  row(
    "joulemark-PART-energy-gross (J)",
    "with `run --idle`, application only: energy of the run, as sampled",
  ),
  row(
    "joulemark-PART-energy-idle (J)",
    "with `run --idle`, application only: idle power times `runtime (s)`",
  ),
  row(
    "joulemark-PART-energy-net (J)",
    "with `run --idle`, application only: gross less idle; below 0 where idle exceeds gross",
  ),
  row(
    "joulemark-PART-energy-job-share (J)",
    "application, package only: the job's share, where it may not use all CPUs",
  ),
];

/** Fields of a row of the tree of regions. */
export const TREE_FIELDS: readonly FieldRow[] = [
  row(
    "region; depth; track; attribute",
    "name, levels around it, whose mark it is (`nvtx/solver`), Caliper's attribute",
  ),
  row(
    "count; runtime (s)",
    "visits that ended and their time with all nested in them, means over `processes` as in " +
      "GEOPM's sections; a row with `processes` of its own has means over those",
  ),
  row(
    "runtime-self (s)",
    "time in it and in nothing nested in it, visits that have not ended included",
  ),
  row(
    "PART-energy (J); PART-energy-se (J)",
    "energy with all nested in it, and its standard error, covariances included; `.nan`: cannot " +
      "be determined",
  ),
  row(
    "PART-energy-exact (J)",
    "by exact edges, if the other cannot be determined or was not requested",
  ),
  row("PART-energy-self (J); PART-energy-self-se (J)", "the same of itself alone"),
  row(
    "PART-power (W)",
    "CPUs × energy / CPU-seconds: what the domain drew while all CPUs of the application were " +
      "there",
  ),
  row(
    "visit-min (s); visit-p50 (s); visit-p99 (s); visit-max (s); visit-sd (s)",
    "lengths of single visits, over all processes; quantiles to a fifth of an octave",
  ),
  row("visit-lengths", "their histogram, four buckets an octave from 1 ns: `bucket:visits`"),
];

/** Mappings and keys below `joulemark:`, beside a host's sections or in the header. */
export const OWN_KEYS: readonly FieldRow[] = [
  row(
    "sources; quality; source; absent; note; trouble",
    "where each signal came from: `measured`, `derived`, `simulated`, `partial`, or `absent` and " +
      "why; what is to be known of it, and what went wrong with it",
  ),
  row("simulated", "the counters are those of a simulated node or of a tree"),
  row("partial", "the report covers a part of the time or of the hosts, and which"),
  row(
    "exit status; ended by",
    "the status of the command, and the signal that ended it; of a merged report the first status " +
      "that is not 0. A run that a forwarded signal ended is `partial`",
  ),
  row(
    "bench; set; block; position; seed",
    "place of the run in a benchmark: its command, block and place in the block, and the seed of the " +
      "order",
  ),
  row(
    "job; cluster; user; restarts",
    "whose run it was, and how often its job was started again, by the environment",
  ),
  row(
    "machine; processor; packages; cores; cpus",
    "the node's processor, and its packages, cores and CPUs",
  ),
  row(
    "sampling; ticks between reads of per-CPU counters; stalled from (s); " +
      "stalled until (s); first sample after (s); samples; samples slept through; last update not read; " +
      "samples missed; samples late; period (s); scheduling",
    "how the loop went: its period, samples taken, those of them at which nothing was to be read " +
      "and nobody marked, samples skipped since their time had passed, and begun more than a " +
      "period late",
  ),
  row(
    "coverage; coverage (%); power while measured (W)",
    "figures that do not cover all of the time or of the parts",
  ),
  row(
    "overhead; cpu (s); cpu (% of a core); after the command (s); resident memory (KiB); " +
      "sampling (s); sampling (% of a core); simulated counters (s); simulated counters (% of a core)",
    "cost of the monitor: CPU time until the last sample, then CPU time for energies and report, " +
      "memory; sampling alone, without start and end; simulated counters are not part of it",
  ),
  row(
    "budget; visits folded; time of folding (s); period times, at most; time of longer periods (s)",
    "what was left out to stay within `--budget`",
  ),
  row(
    "processes; seen; still running; ended inside a region; processes that said; came later; " +
      "died; without marks; not attached",
    "processes that were counted, those that came after the start or ended without a shutdown, and " +
      "forked ones that marked and could not open a file of the run",
  ),
  row(
    "marks; late by at most (s); visits under one name; visits of threads without room; " +
      "begins and ends of spans without room; hints left out; marks within marks; " +
      "visits out of order; nested visits lost; visits without a path; files left out; " +
      "mistakes without a name; folded visits; late events; refused calls; records left out; " +
      "mistakes; mistakes first seen; exit without entry; remarks",
    "what of the application's marks was folded, came late, was wrong or left out; what was out " +
      "of order, by name, and what clients have to say",
  ),
  row(
    "functions; event; rate (Hz); lost; throttled; complete (%); unknown (%); guessed frames (%); " +
      "cpu-time (s); sampled (s); short threads (s); kernel, not visible (s); lost (s); brief threads (s); " +
      "modules without tables; list; function; file; line; module; self-time (s); " +
      "self-time-se (s); total-time (s)",
    "CPU time of functions from samples (--functions): samples taken and lost, share of complete " +
      "stacks, CPU time by the kernel's count, the parts of it without samples, and that of threads with " +
      "few samples; then each " +
      "function with its file, the line with most time, its own time with standard error, and its " +
      "time with all that it calls",
  ),
  row(
    "off CPU (s); preempted (s); off CPU; times",
    "time in which threads waited, or wanted to run and did not (--off-cpu); then the functions in " +
      "which they waited longest, and how often",
  ),
  row(
    "energy; total (J); other CPUs (J); not running (s); not running (J); not running-se (J); " +
      "PART-energy (J); PART-energy-se (J); PART-energy not determined; " +
      "total-PART-energy (J); total-PART-energy-se (J)",
    "energy of functions by component: the counter's, that of packages without the command, and " +
      "that of time in which its CPUs waited; then of each function itself and with all that it " +
      "calls, with standard errors, or why it cannot be determined",
  ),
  row(
    "counters checked; tried at; PART trusted at (s)",
    "what `doctor --energy` found on this node: lengths of visits",
  ),
  row("spans; span", "count and time of spans, which are no regions, by name"),
  row(
    "attribution; breaks; method; PART-N; not determined; not determined beside these; " +
      "not determined energy (J); not determined energy se (J); other CPUs (J); outside (J); " +
      "lack of fit; response; time constant (s); moving average (s); window (s); lag (s); " +
      "lag se (s); update period (s); clock jitter (s); intervals; columns; changes seen",
    "the fit of each counter: regions that cannot be determined, and their joint energy; energy " +
      "of CPUs that no process used; what powers depend on; how the counter answers: late, as a " +
      "mean, or in part; changes seen, intervals used and columns of the model",
  ),
  row(
    "totals; covers; time (s); EDP (J s); energy (J); energy (kWh); power-peak (W); power-of-hosts (W); reading-error (J); " +
      "power-peak-at-most (W); idle (J); net (J); notes; minor notes",
    "energy, power, idle and net by component, and what a reader must know",
  ),
  row(
    "node; package; dram; gpu",
    "components, the most inclusive first: the node with all in it, its processors, their " +
      "memory, its GPUs",
  ),
  row(
    "tree; rows; unmarked; other CPUs; undetermined",
    "regions by path: time, visits and energy of each, with all nested in it and by itself; then " +
      "time outside all regions, CPUs without a process, and the rest of the total",
  ),
  row("permissions; permissions given back", "what the executable may do"),
  row(
    "confinement; capabilities; system calls; paths; by; read; written; executed",
    "what the kernel holds the monitor to after the first sample; paths that it may still read " +
      "and write, and what may be executed",
  ),
  row(
    "across processes; mean (s); deviation (s); least (s); least in; most (s); most in; times",
    "time of a region from process to process: mean, deviation, extremes and who had them, and " +
      "processes by bucket of time (2 % wide, from 1 ns)",
  ),
  row(
    "stragglers; outliers; across hosts; min; min host; max; max host; mean; std; hosts missing; " +
      "hosts partial; left out; joined by force; host mean (J); host deviation (J); " +
      "host least (J); host least; host most (J); host most; residual (s); spread (s)",
    "of many hosts: who stands out, and mean, deviation and extremes of every field",
  ),
  row("job share; share; cpus found by", "the job's part of the package energy on a shared node"),
  row(
    "idle; CPUs busy (%); length (s); package (W); dram (W); gpu (W); node (W)",
    "idle power that net energies are calculated with, and the time of its measurement",
  ),
  row(
    "mpi; calls; peers of a process, at most; mpi-wait (s); mpi-transfer (s); mpi-io (s)",
    "calls of MPI with their bytes, and the mean time of a process in each kind of them",
  ),
  row(
    "openmp; threads of a process, at most",
    "what OpenMP's threads did, how often and how long, all of them added up",
  ),
  row(
    "event values; event; sum; mean; minimum; maximum; standard deviation",
    "values of events that the program triggered, as TAU's, over all processes",
  ),
  row("replayed; steps", "made again of a recording, of so many steps"),
  row(
    "power curve; width (s)",
    "power over the time of a run without regions, in W: parts of equal length",
  ),
  row("counters", "figures of `--counters`, by node and package"),
];
