/** Keys of a report and what they hold; a table of docs/formats/report.md is made of them. */

/** Keys of one meaning. `PART` stands for package, dram, gpu or node, `HINT` for a hint's name. */
export interface FieldRow {
  readonly keys: readonly string[];
  /** In Markdown. */
  readonly about: string;
}

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

/** Mappings and keys below `joulemark:`, beside a host's sections or in the header. */
export const OWN_KEYS: readonly FieldRow[] = [
  {
    keys: ["sources", "quality", "absent"],
    about: "where each signal came from: `measured`, `derived`, `simulated`, `partial`, or " +
      "`absent` and why",
  },
  { keys: ["simulated"], about: "the counters are those of a simulated node or of a tree" },
  { keys: ["partial"], about: "the report covers a part of the time or of the hosts, and which" },
  { keys: ["machine"], about: "the node's processor, and its packages, cores and CPUs" },
  {
    keys: ["sampling", "samples", "samples missed", "samples late", "period (s)", "scheduling"],
    about: "how the loop went: its period, samples taken, skipped since their time had passed, " +
      "and begun more than a period late",
  },
  { keys: ["coverage"], about: "figures that do not cover all of the time or of the parts" },
  {
    keys: ["overhead", "cpu (s)", "cpu (% of a core)", "resident memory (KiB)"],
    about: "what the monitor itself cost",
  },
  { keys: ["budget"], about: "what was left out to stay within `--budget`" },
  {
    keys: ["processes", "came later", "died", "without marks"],
    about: "processes that were counted, those that came after the start or ended without a " +
      "shutdown",
  },
  {
    keys: ["marks", "folded visits", "late events", "refused calls", "records left out"],
    about: "what of the application's marks was folded, came late, was wrong or left out",
  },
  {
    keys: ["counters checked", "tried at", "PART trusted at (s)"],
    about: "what `doctor --energy` found on this node: lengths of visits",
  },
  { keys: ["spans"], about: "count and time of spans, which are no regions" },
  {
    keys: [
      ...["attribution", "untold", "lack of fit", "time constant (s)", "condition number"],
      ...["lag (s)", "update period (s)"],
    ],
    about:
      "the fit of each counter: what cannot be told apart, what powers depend on, how it is posed",
  },
  {
    keys: ["totals", "EDP (J s)", "power-peak (W)", "energy (kWh)", "notes"],
    about: "energy, power, idle and net by component, and what a reader must know",
  },
  {
    keys: ["tree", "runtime-self (s)", "visit-min (s)", "visit-p50 (s)", "visit-p99 (s)"],
    about: "regions by path: time, visits and energy of each with all nested in it and of itself",
  },
  { keys: ["permissions", "permissions given back"], about: "what the executable may do" },
  { keys: ["confinement"], about: "what the kernel holds the monitor to after the first sample" },
  {
    keys: ["across processes", "least in", "most in"],
    about:
      "time of a region from process to process: mean, deviation, extremes and who had them, " +
      "and processes by bucket of time (2 % wide, from 1 ns)",
  },
  {
    keys: ["stragglers", "outliers", "across hosts"],
    about: "of many hosts: who stands out, and mean, deviation and extremes of every field",
  },
  { keys: ["job share"], about: "the job's part of the package energy on a shared node" },
  { keys: ["idle"], about: "the idle power that net energies were told by" },
];
