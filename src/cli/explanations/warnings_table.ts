/** Notes of the card, and what to do about each. */

/** A kind of note. */
export interface WarningRow {
  /** A few words for it. */
  readonly name: string;
  /** Notes that it explains. */
  readonly pattern: RegExp;
  readonly means: string;
  readonly todo: string;
}

/** The first one that fits a note explains it. */
export const WARNINGS: readonly WarningRow[] = [
  {
    name: "samples missed",
    pattern: /samples? missed|samples? late/i,
    means: "The monitor did not run in time for some samples: their time passed, or they began " +
      "more than a period late. Energies stay right, since counters go on; GEOPM's sampled " +
      "split among regions gets coarser.",
    todo: "Leave a CPU to the monitor, or give a longer period: --period 0.02.",
  },
  {
    name: "cannot be determined",
    pattern: /cannot be determined|not determined|cannot be told|untold/i,
    means: "The standard error of these energies is above 10 %: the counter changes too seldom, " +
      "the regions always run together, or regions on other CPUs share the counter.",
    todo: "Run longer, or use the coarse value (~); docs/explanation/how-sure.md.",
  },
  {
    name: "not measured",
    pattern: /not measured|\babsent\b/i,
    means: "The node has no readable counter for this; GEOPM's key is 0 since its format knows " +
      "nothing else.",
    todo: "joulemark doctor names what is in the way, and the line that opens it.",
  },
  {
    name: "stood still",
    pattern: /stood still/i,
    means: "The monitor did not run for a while, and the application ended then: energies are " +
      "those up to that moment.",
    todo: "Leave a CPU or some memory to the monitor; look for a suspended node.",
  },
  {
    name: "first sample late",
    pattern: /after the start, with the first sample|first sample after/i,
    means: "The application ran for a while before the first sample: this time has no energies.",
    todo: "Put the executable on a fast file system; run longer.",
  },
  {
    name: "rough total",
    pattern: /is rough: its counter changed/i,
    means: "The counter changed so rarely in this run that what it counted before its first and " +
      "after its last change is 5 % of the total or more: by so much the total may be off.",
    todo: "Run longer, or take the energy of a counter that changes more often (package).",
  },
  {
    name: "part of the time",
    pattern: /known of|of the time|of \d+ of \d+ |of the first|coverage/i,
    means: "A counter failed, reset or came late: the figure covers a part of the time or of the " +
      "packages. GEOPM's key is NaN, and ours say what is known.",
    todo: "docs/reference/coverage.md; compare refuses such runs.",
  },
  {
    name: "per-CPU counters read less often",
    pattern: /per-CPU counters read every|ticks between reads/i,
    means: "Reading the counters of all CPUs took more than a tenth of the period; they are read " +
      "every n-th tick.",
    todo: "A longer --period, or --without for readers that you do not need.",
  },
  {
    name: "budget",
    pattern: /within the budget/i,
    means: "To keep its cost below --budget, the monitor folded short visits or lengthened its " +
      "period. Counts and times stay exact.",
    todo: "A larger --budget, or fewer marks in short loops.",
  },
  {
    name: "folded visits",
    pattern: /came folded|folded/i,
    means: "Visits came faster than the ring was read, and were added up in the application: " +
      "count and time are exact, single edges are not kept.",
    todo: "Nothing, unless you need each visit; then mark less often.",
  },
  {
    name: "names without room",
    pattern: /without room|\[joulemark\] other|under one name/i,
    means: "More names or threads than there is room for: the rest counts as one region, " +
      "[joulemark] other.",
    todo: "Give regions fewer different names (no numbers of steps in them).",
  },
  {
    name: "marks within marks",
    pattern: /marks of signal handlers|marks within marks/i,
    means:
      "A signal handler marked while its thread was just marking. Such marks have a ring of their " +
      "own; these found none, and were left out. All others are exact.",
    todo: "Mark outside of signal handlers.",
  },
  {
    name: "marks out of order",
    pattern: /out of order|refused calls?| x |mistakes?/i,
    means: "Marks did not fit each other, as an end without a begin; each such call was ignored " +
      "and counted.",
    todo: "The report names the kinds under marks; docs/how-to/annotate.md.",
  },
  {
    name: "records left out",
    pattern: /made no sense|records left out|files? of marks|refused /i,
    means: "A ring file held what no client writes: it was damaged, or of another program.",
    todo: "Build the application with this version's client.",
  },
  {
    name: "late events",
    pattern: /events? came late|late events/i,
    means: "Marks reached the monitor after their sample was settled, and count at the next one.",
    todo: "Nothing, where they are few; else a longer --period.",
  },
  {
    name: "preload without regions",
    pattern: /made a region/i,
    means:
      "No call of the dialects of --preload came: the program has none, or has not loaded the library.",
    todo: "Programs that are static or setuid, or set LD_PRELOAD themselves: joulemark client c.",
  },
  {
    name: "no region",
    pattern: /no region/i,
    means: "The application has no marks: the report has its totals alone.",
    todo: "joulemark client c, or run --preload mpi,ompt,...; docs/how-to/annotate.md.",
  },
  {
    name: "idle",
    pattern: /not idle before|net is < 0|idle power times/i,
    means: "The idle baseline is too high: the node was busy while it was measured.",
    todo: "Measure the baseline on an idle node and give its file to --idle.",
  },
  {
    name: "larger machine",
    pattern: /more CPUs than the tree/i,
    means: "Counters come from a tree of a smaller machine: CPU c counts as c mod N.",
    todo: "Nothing, for a test; else leave --root out.",
  },
  {
    name: "simulated",
    pattern: /simulated/i,
    means: "The energies are those of a model of a node, and no measurement.",
    todo: "joulemark doctor says which counters this node has.",
  },
  {
    name: "partial",
    pattern: /partial|left out/i,
    means: "The report covers a part of the time or of the hosts; it says which.",
    todo: "joulemark recover and joulemark merge, where the rest is somewhere.",
  },
  {
    name: "counter trouble",
    pattern: /\(\d+ times\)|stall|reset|dropped/i,
    means: "A counter failed or stalled during the run; its values until then are kept.",
    todo: "joulemark doctor; the report names it under sources.",
  },
];
