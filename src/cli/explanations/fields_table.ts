/** Keys of a report and what they hold; a table of docs/formats/report.md is made of them. */

/** Keys of one meaning. `PART` stands for package, dram, gpu or node, `HINT` for a hint's name. */
export interface FieldRow {
  readonly keys: readonly string[];
  /** In Markdown. */
  readonly about: string;
}

/** The report's own first lines, and the names of its sections. */
export const HEADER_FIELDS: readonly FieldRow[] = [
  {
    keys: ["GEOPM Version", "Start Time", "Profile", "Agent", "Policy"],
    about:
      "whose format it is and which joulemark made it; when the run began, its name, and what " +
      "controlled the node: nothing, `monitor`",
  },
  {
    keys: ["Hosts", "Regions", "region", "hash", "Unmarked Totals", "Epoch Totals"],
    about: "a host's regions by name, GEOPM's number of it beside; the time outside of all; and " +
      "the time steps, if there were any",
  },
  { keys: ["Application Totals"], about: "the whole run on this host" },
  {
    keys: ["joulemark", "version"],
    about: "what joulemark adds to GEOPM's report: of the job behind the header, of each host " +
      "behind its sections",
  },
];

/** Fields of sections that GEOPM's report has. */
export const GEOPM_FIELDS: readonly FieldRow[] = [
  {
    keys: ["runtime (s)", "count"],
    about:
      "exact, see [aggregation](../aggregation.md); epoch: sampled time, least count over CPUs",
  },
  { keys: ["sync-runtime (s)"], about: "total of TIME: the time that samples give the section" },
  {
    keys: ["package-energy (J)", "dram-energy (J)"],
    about: "totals of CPU_ENERGY, DRAM_ENERGY, by samples",
  },
  { keys: ["power (W)"], about: "package energy / sync-runtime" },
  {
    keys: ["frequency (%)", "frequency (Hz)"],
    about: "CPU_CYCLES_THREAD / CPU_CYCLES_REFERENCE, times 100, times the sticker frequency",
  },
  { keys: ["time-hint-HINT (s)"], about: "mean over used CPUs of the time under each hint" },
  {
    keys: [
      ...["gpu-energy (J)", "gpu-power (W)", "gpu-core-energy (J)", "gpu-core-power (W)"],
      ...["gpu-frequency (Hz)", "uncore-frequency (Hz)"],
    ],
    about: "each only where the node has the signal",
  },
  {
    keys: ["SIGNAL", "SIGNAL@domain-index"],
    about: "those asked for with `--report-signals`, in that order",
  },
  {
    keys: [
      ...["MPI startup (s)", "GEOPM startup (s)", "GEOPM overhead (s)"],
      ...["geopmctl memory HWM (B)", "geopmctl network BW (B/s)"],
    ],
    about: "application only; the memory is in KiB despite its unit, as in GEOPM",
  },
];

/** Fields of sections that are ours. */
export const OWN_FIELDS: readonly FieldRow[] = [
  {
    keys: ["joulemark-PART-energy-exact (J)"],
    about: "regions, unmarked, application: by exact edges",
  },
  {
    keys: ["joulemark-PART-energy-fit (J)"],
    about: "the same by the fit over the whole run; `nan`: cannot be told",
  },
  {
    keys: ["joulemark-PART-energy-fit-se (J)"],
    about: "regions, unmarked: its standard error",
  },
  {
    keys: ["joulemark-PART-energy-caused (J)"],
    about: "what its load caused, wherever it was drawn: where power follows the load late",
  },
  {
    keys: ["joulemark-PART-energy-known (J)", "joulemark-PART-power-known (W)"],
    about: "what was measured, where GEOPM's key is `.nan`: [coverage](../coverage.md)",
  },
  {
    keys: ["joulemark-PART-energy-coverage (%)"],
    about: "part of the time, over all packages, that it covers",
  },
  {
    keys: ["joulemark-PART-energy-gross (J)"],
    about: "with `run --idle`, application only: energy of the run, as sampled",
  },
  {
    keys: ["joulemark-PART-energy-idle (J)"],
    about: "with `run --idle`, application only: idle power times `runtime (s)`",
  },
  {
    keys: ["joulemark-PART-energy-net (J)"],
    about: "with `run --idle`, application only: gross less idle; below 0 where idle exceeds gross",
  },
  {
    keys: ["joulemark-PART-energy-job-share (J)"],
    about: "application, package only: the job's share, where it may not use all CPUs",
  },
];

/** Fields of a row of the tree of regions. */
export const TREE_FIELDS: readonly FieldRow[] = [
  {
    keys: ["region", "depth", "track", "attribute"],
    about: "name, levels around it, whose mark it is (`nvtx/solver`), Caliper's attribute",
  },
  {
    keys: ["count", "runtime (s)"],
    about:
      "visits that ended and their time with all nested in them, means over `processes` as in " +
      "GEOPM's sections",
  },
  {
    keys: ["runtime-self (s)"],
    about: "time in it and in nothing nested in it, visits that have not ended included",
  },
  {
    keys: ["PART-energy (J)", "PART-energy-se (J)"],
    about: "energy with all nested in it, and its standard error, covariances included; `.nan`: " +
      "cannot be told",
  },
  {
    keys: ["PART-energy-exact (J)"],
    about: "by exact edges, where the other cannot be told or was not asked for",
  },
  {
    keys: ["PART-energy-self (J)", "PART-energy-self-se (J)"],
    about: "the same of itself alone",
  },
  {
    keys: ["PART-power (W)"],
    about: "CPUs × energy / CPU-seconds: what the domain drew while all CPUs of the application " +
      "were there",
  },
  {
    keys: ["visit-min (s)", "visit-p50 (s)", "visit-p99 (s)", "visit-max (s)", "visit-sd (s)"],
    about: "lengths of single visits, over all processes; quantiles to a fifth of an octave",
  },
  {
    keys: ["visit-lengths"],
    about: "their histogram, four buckets an octave from 1 ns: `bucket:visits`",
  },
];

/** Mappings and keys below `joulemark:`, beside a host's sections or in the header. */
export const OWN_KEYS: readonly FieldRow[] = [
  {
    keys: ["sources", "quality", "source", "absent", "note", "trouble"],
    about: "where each signal came from: `measured`, `derived`, `simulated`, `partial`, or " +
      "`absent` and why; what is to be known of it, and what went wrong with it",
  },
  { keys: ["simulated"], about: "the counters are those of a simulated node or of a tree" },
  { keys: ["partial"], about: "the report covers a part of the time or of the hosts, and which" },
  {
    keys: ["machine", "processor", "packages", "cores", "cpus"],
    about: "the node's processor, and its packages, cores and CPUs",
  },
  {
    keys: (
      "sampling; ticks between reads of per-CPU counters; stood still from (s); " +
      "stood still until (s); first sample after (s); samples; samples slept through; " +
      "samples missed; samples late; period (s); scheduling"
    ).split("; "),
    about: "how the loop went: its period, samples taken, those of them at which nothing was to " +
      "be read and nobody marked, samples skipped since their time had passed, and begun more " +
      "than a period late",
  },
  {
    keys: ["coverage", "coverage (%)", "power while measured (W)"],
    about: "figures that do not cover all of the time or of the parts",
  },
  {
    keys: ["overhead", "cpu (s)", "cpu (% of a core)", "resident memory (KiB)"],
    about: "what the monitor itself cost",
  },
  {
    keys: (
      "budget; visits folded; time of folding (s); period times, at most; " +
      "time of longer periods (s)"
    ).split("; "),
    about: "what was left out to stay within `--budget`",
  },
  {
    keys: (
      "processes; seen; still running; ended inside a region; processes that said; " +
      "came later; died; without marks"
    ).split("; "),
    about: "processes that were counted, those that came after the start or ended without a " +
      "shutdown",
  },
  {
    keys: (
      "marks; late by at most (s); visits under one name; visits of threads without room; " +
      "begins and ends of spans without room; hints left out; marks within marks; visits out of order; " +
      "nested visits lost; visits without a path; files left out; mistakes without a name; " +
      "folded visits; late events; refused calls; records left out; mistakes; mistakes first seen; " +
      "exit without entry; remarks"
    ).split("; "),
    about: "what of the application's marks was folded, came late, was wrong or left out; what " +
      "was out of order, by name, and what clients have to say",
  },
  {
    keys: ["counters checked", "tried at", "PART trusted at (s)"],
    about: "what `doctor --energy` found on this node: lengths of visits",
  },
  { keys: ["spans", "span"], about: "count and time of spans, which are no regions, by name" },
  {
    keys: (
      "attribution; untold beside these; begun anew; method; PART-N; untold; " +
      "untold energy (J); untold energy se (J); lack of fit; time constant (s); " +
      "condition number; lag (s); lag se (s); update period (s); intervals; changes seen"
    ).split("; "),
    about:
      "the fit of each counter: what cannot be told apart, and its joint energy; what powers " +
      "depend on; how it is posed: how late the counter tells, how often it changes, changes " +
      "that were seen and intervals that were used",
  },
  {
    keys: (
      "totals; covers; time (s); EDP (J s); energy (J); energy (kWh); power-peak (W); " +
      "power-peak-at-most (W); idle (J); net (J); notes"
    ).split("; "),
    about: "energy, power, idle and net by component, and what a reader must know",
  },
  {
    keys: ["node", "package", "dram", "gpu"],
    about: "components, the most inclusive first: the node with all in it, its processors, their " +
      "memory, its GPUs",
  },
  {
    keys: ["tree", "rows", "unmarked"],
    about:
      "regions by path: time, visits and energy of each with all nested in it and of itself; " +
      "and what lies outside of all",
  },
  { keys: ["permissions", "permissions given back"], about: "what the executable may do" },
  {
    keys: [
      ...["confinement", "capabilities", "system calls", "paths"],
      ...["by", "read", "written", "executed"],
    ],
    about:
      "what the kernel holds the monitor to after the first sample; paths that it may still read and " +
      "write, and what may be executed",
  },
  {
    keys: (
      "across processes; mean (s); deviation (s); least (s); least in; most (s); most in; " +
      "times"
    ).split("; "),
    about:
      "time of a region from process to process: mean, deviation, extremes and who had them, " +
      "and processes by bucket of time (2 % wide, from 1 ns)",
  },
  {
    keys: (
      "stragglers; outliers; across hosts; min; min host; max; max host; mean; std; hosts missing; hosts partial; left out; " +
      "joined by force; host mean (J); host deviation (J); host least (J); host least; " +
      "host most (J); host most; residual (s); spread (s)"
    ).split("; "),
    about: "of many hosts: who stands out, and mean, deviation and extremes of every field",
  },
  {
    keys: ["job share", "share", "cpus found by"],
    about: "the job's part of the package energy on a shared node",
  },
  {
    keys: (
      "idle; CPUs busy (%); length (s); package (W); dram (W); gpu (W); node (W)"
    ).split("; "),
    about: "the idle power that net energies were told by, and how long it was measured",
  },
  {
    keys: (
      "mpi; calls; peers of a process, at most; mpi-wait (s); mpi-transfer (s); " +
      "mpi-io (s)"
    ).split("; "),
    about: "calls of MPI with their bytes, and the mean time of a process in each kind of them",
  },
  {
    keys: ["openmp", "threads of a process, at most"],
    about: "what OpenMP's threads did, how often and how long, all of them added up",
  },
  {
    keys: ["event values", "event", "sum", "mean", "minimum", "maximum", "standard deviation"],
    about: "values of events that the program triggered, as TAU's, over all processes",
  },
  { keys: ["replayed", "steps"], about: "made again of a recording, of so many steps" },
  { keys: ["counters"], about: "figures of `--counters`, by node and package" },
];
