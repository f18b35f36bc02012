/** Notes of the summary, and what to do about each. */

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
    name: "functions without energy",
    pattern: /no energy for \d+ of \d+ functions/i,
    means: "The energy of these functions cannot be determined. Causes: a function has few " +
      "samples or runs only for short times, or the program does the same work all the time.",
    todo: "Annotate the regions of interest. For few samples: run longer, or use --functions=997.",
  },
  {
    name: "short threads",
    pattern: /threads that used less than/i,
    means: "Many threads used very little CPU time, so they have few samples or none. Times of " +
      "their functions are inaccurate.",
    todo: "Sample more often: --functions=997.",
  },
  {
    name: "short steps",
    pattern: /steps of the PMC log are shorter/i,
    means: "Steps of the PMC log are shorter than the time between two changes of the counter. " +
      "The energy of a single step is inaccurate; the sum over many steps is correct.",
    todo: "Use sums over many steps, for example the totals of joulemark pmc.",
  },
  {
    name: "phase without a match",
    pattern: /no output line of the command matched/i,
    means: "No line of the command's standard output matched the expression of --phase.",
    todo: "Check the expression. Static and set-user-ID programs do not load the library that " +
      "reads their output.",
  },
  {
    name: "samples missed",
    pattern: /samples? (were )?missed|samples? late/i,
    means:
      "The monitor could not take some samples in time, or took them more than one period late. " +
      "Energies stay correct, because the counters continue to count. The power curve has gaps. " +
      "Below 5 % the summary has no such note.",
    todo:
      "Leave one CPU free, or use a longer --period. If the outputs are on a file server that is slow, " +
      "write them to a local directory.",
  },
  {
    name: "coarse",
    pattern: /\bcoarse\b|cannot be determined|not determined/i,
    means:
      "The energy of some regions is coarse (~): it has no standard error, or an error above 10 " +
      "%. Causes: the counter changes too rarely, regions always run together, or regions on " +
      "other CPUs share the counter. For each interval between two updates of the counter, " +
      "joulemark divides the energy among the regions, in proportion to their CPU time. The value " +
      "is the sum over all intervals.",
    todo:
      "Run longer. Then the counter has more updates, and most energies get a standard error. " +
      "The sum over all regions is also correct in this run.",
  },
  {
    name: "inaccurate",
    pattern: /\binaccurate\b/i,
    means: "The energy of some regions is inaccurate: its standard error is above 5 %.",
    todo: "Run longer: four times the time gives half the error.",
  },
  {
    name: "uncertain total",
    pattern: /is uncertain|\brough\b/i,
    means:
      "The energy of the run is uncertain, because the counter had few updates in this run. The " +
      "energy before the first update and after the last update of the counter is not exact. It may " +
      "be 5 % of the total or more.",
    todo: "Run longer, or use a counter with more updates per second (package).",
  },
  {
    name: "no energy",
    pattern: /no energy is known|not measured|energy not available|\babsent\b/i,
    means:
      "No energy is known, because the node has no counter that you may read. Times are exact. " +
      "GEOPM's key is 0 in this case, because its format has no other value.",
    todo: "Run joulemark doctor: it names the reason and the fix.",
  },
  {
    name: "stalled",
    pattern: /stalled from|stood still/i,
    means:
      "The monitor did not run for a while, and the application ended in this time. Energies " +
      "cover only the time before the monitor stalled.",
    todo: "Leave one CPU and some memory free. Check if the node was suspended.",
  },
  {
    name: "first sample late",
    pattern: /first sample came|first sample after|with the first sample/i,
    means: "The first sample came late. Energies and powers do not include the time before it.",
    todo: "Put the executable on a fast file system, or run longer.",
  },
  {
    name: "command in part",
    pattern: /totals and regions cover|first program with annotations/i,
    means:
      "The command is a script or a launcher, and processes that it started have annotations. " +
      "Time, energy and power of the run are those from the start of the first of these processes " +
      "to the end of the last. Only the functions of --functions are those of the whole command.",
    todo: "Nothing, if only the annotated programs matter. To measure the whole script, begin a " +
      "region in the script before it starts the first of them: joulemark client shell.",
  },
  {
    name: "lower limit",
    pattern:
      /lower limit|known of|of the time|of \d+ of \d+ |of the first|coverage|partial energy/i,
    means: "The energy is a lower limit: a counter failed, was reset or appeared late. The value " +
      "covers only a part of the time or of the packages. GEOPM's key is NaN, and keys with " +
      "-known have the value.",
    todo:
      "Repeat the run. joulemark compare refuses such runs. The section coverage of the report " +
      "lists the times without values.",
  },
  {
    name: "monitor's cost",
    pattern: /monitor used [\d.]+ %|costly/i,
    means: "The monitor used more than 2 % of one core for sampling. This may have made the " +
      "application slower.",
    todo: "Use a longer --period, or leave one CPU free.",
  },
  {
    name: "do not compare",
    pattern: /do not compare/i,
    means:
      "The command failed or was interrupted, so its values cannot be compared with those of a " +
      "complete run. joulemark compare refuses its report.",
    todo: "Repeat the run.",
  },
  {
    name: "per-CPU counters read less often",
    pattern: /single CPUs were read|per-CPU counters read every|ticks between reads/i,
    means:
      "Counters of single CPUs were read only at every n-th sample, because reading all of them " +
      "took more than a tenth of the period.",
    todo: "Use a longer --period, or leave out sources that you do not need (--without).",
  },
  {
    name: "budget",
    pattern: /within the budget|twice its budget/i,
    means:
      "To stay within the budget, the monitor aggregated short visits or used a longer period. " +
      "Counts and times are exact.",
    todo: "Use a larger --budget, or fewer annotations in short loops.",
  },
  {
    name: "aggregated visits",
    pattern: /came folded|folded|were aggregated/i,
    means:
      "The application aggregated visits, because it made calls faster than the monitor could " +
      "read them. Counts and times are exact. The begin and end of a single visit are not " +
      "known.",
    todo: "Nothing, unless you need single visits. Then annotate longer regions.",
  },
  {
    name: "names without room",
    pattern: /no room for|without room|\[joulemark\] other|under one name/i,
    means: "There was no room for more names or threads. All further names count as one region, " +
      "[joulemark] other.",
    todo: "Use fewer different names, for example no step numbers in names.",
  },
  {
    name: "interrupted calls",
    pattern: /signal handlers|marks within marks/i,
    means:
      "Calls of signal handlers interrupted a begin or end call of the same thread, and there " +
      "was no room for them. They are left out. All other calls are exact.",
    todo: "Do not annotate signal handlers.",
  },
  {
    name: "calls out of order",
    pattern: /out of order|calls do not match|calls? were ignored|refused calls?| x |mistakes?/i,
    means:
      "Begin and end calls do not match. An end without a begin has no effect. A region that was " +
      "never ended lasts until its process ends.",
    todo: "Correct the calls. The report lists them by kind under marks. End each region in the " +
      "thread that began it, the innermost region first.",
  },
  {
    name: "nested visits too fast",
    pattern: /nested visits came too fast/i,
    means:
      "Nested visits were too fast to be recorded in order. Counts and times by path are exact.",
    todo: "Annotate longer regions.",
  },
  {
    name: "values too fast",
    pattern: /values? of attributes, such as iterations, came too fast/i,
    means: "The program began or set values of attributes faster than they could be recorded. " +
      "Recordings and Caliper's outputs lack some of them.",
    todo: "Set values less often, for example at every 100th iteration.",
  },
  {
    name: "records left out",
    pattern: /damaged and are left out|records left out|files? of annotations|refused /i,
    means: "Records of annotations were damaged and are left out. The calls of joulemark client " +
      "never write such records.",
    todo: "Build the application with the header or module that this version of joulemark " +
      "client writes.",
  },
  {
    name: "late events",
    pattern: /events? came late|late events/i,
    means: "Some events arrived after their sample was finished. They count at the next sample.",
    todo: "Nothing if these events are few. Otherwise use a longer --period.",
  },
  {
    name: "preload without regions",
    pattern: /made a region/i,
    means:
      "No call of the intercepted APIs made a region. Either the program makes no such call, or " +
      "it does not load the library.",
    todo: "Static and set-user-ID programs, and programs that set LD_PRELOAD, cannot be " +
      "intercepted. Use joulemark client c.",
  },
  {
    name: "no region",
    pattern: /no region/i,
    means: "The application has no annotations, so no region is known. The report has only totals.",
    todo:
      'Try "joulemark run --preload all -- ./app": it finds existing annotations. For calls of your own, ' +
      '"joulemark client c" writes a header.',
  },
  {
    name: "idle",
    pattern: /not idle before|net is < 0|idle power times/i,
    means:
      "The node was not idle while its idle power was measured. Therefore the net energies are " +
      "too low.",
    todo: "Measure the idle power on an idle node, and give its report to --idle.",
  },
  {
    name: "larger machine",
    pattern: /more CPUs than the (tree|node)/i,
    means:
      "This machine has more CPUs than the node in the directory of --root. CPU c counts as CPU " +
      "c mod N of this node.",
    todo: "Nothing in a test. Otherwise leave out --root.",
  },
  {
    name: "simulated",
    pattern: /simulated/i,
    means: "The counters are simulated. No value is a measurement.",
    todo: "Run joulemark doctor: it lists the counters of this node.",
  },
  {
    name: "partial",
    pattern: /partial|left out/i,
    means: "The report covers only a part of the time or of the hosts, and names this part.",
    todo: "Use joulemark recover or joulemark merge if the other parts exist.",
  },
  {
    name: "counter trouble",
    pattern: /\(\d+ times\)|stall|reset|dropped/i,
    means: "A counter failed or stalled during the run. Values before this time are valid.",
    todo: "Run joulemark doctor. The report names the counter under sources.",
  },
];
