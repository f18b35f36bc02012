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
    name: "samples missed",
    pattern: /samples? (were )?missed|samples? late/i,
    means:
      "Samples were missed. The monitor did not run in time for them, or they began more than " +
      "a period late. Energies stay correct, since counters go on; the power curve has gaps. Below " +
      "5 % the summary has no such note.",
    todo: "Leave a CPU free, or use a longer --period.",
  },
  {
    name: "coarse",
    pattern: /\bcoarse\b|cannot be determined|not determined/i,
    means:
      "The energy of some regions is coarse (~): it has no standard error, or one above 10 %. " +
      "The counter updates too rarely, the regions always run together, or regions on other CPUs " +
      "share the counter. The value is the difference of counter readings at the edges.",
    todo: "Run longer, or use the value as a coarse estimate; docs/explanation/how-sure.md.",
  },
  {
    name: "inaccurate",
    pattern: /\binaccurate\b/i,
    means: "The energy of some regions is inaccurate: its standard error is above 5 %.",
    todo: "Run longer; four times the time halves an error.",
  },
  {
    name: "uncertain total",
    pattern: /is uncertain|\brough\b/i,
    means: "The energy is uncertain: the counter had few updates in this run. What it counted " +
      "before its first and after its last update may be 5 % of the total or more.",
    todo: "Run longer, or use a counter that updates more often (package).",
  },
  {
    name: "no energy",
    pattern: /no energy is known|not measured|energy not available|\babsent\b/i,
    means:
      "No energy is known; times are exact. The node has no readable counter for it. GEOPM's " +
      "key is 0 then, since its format has no other value.",
    todo: "joulemark doctor names the obstacle and how to remove it.",
  },
  {
    name: "stalled",
    pattern: /stalled from|stood still/i,
    means:
      "The monitor was stalled, and the application ended then. Energies cover only the time " +
      "before.",
    todo: "Leave a CPU or some memory to the monitor; look for a suspended node.",
  },
  {
    name: "first sample late",
    pattern: /first sample came|first sample after|with the first sample/i,
    means: "The first sample came late. Energies and powers do not cover the time before it.",
    todo: "Put the executable on a fast file system; run longer.",
  },
  {
    name: "lower limit",
    pattern:
      /lower limit|known of|of the time|of \d+ of \d+ |of the first|coverage|partial energy/i,
    means:
      "The energy is a lower limit: a counter failed, was reset or came late. The value covers " +
      "a part of the time or of the packages. GEOPM's key is NaN; keys with -known have the value.",
    todo: "Repeat the run; docs/reference/coverage.md. compare refuses such runs.",
  },
  {
    name: "monitor's cost",
    pattern: /monitor used [\d.]+ %|costly/i,
    means: "The monitor used more than 2 % of one core for sampling. It may have slowed the " +
      "application down.",
    todo: "Use a longer --period, or leave a CPU free.",
  },
  {
    name: "do not compare",
    pattern: /do not compare/i,
    means: "Do not compare this run with complete ones: its command failed or was interrupted. " +
      "joulemark compare refuses it.",
    todo: "Repeat the run.",
  },
  {
    name: "per-CPU counters read less often",
    pattern: /single CPUs were read|per-CPU counters read every|ticks between reads/i,
    means:
      "Counters of single CPUs were read every few ticks, since reading all of them took more " +
      "than a tenth of the period.",
    todo: "A longer --period, or --without for sources that you do not need.",
  },
  {
    name: "budget",
    pattern: /within the budget|twice its budget/i,
    means:
      "To stay within the budget, the monitor aggregated short visits or used a longer period. " +
      "Counts and times are exact.",
    todo: "A larger --budget, or fewer annotations in short loops.",
  },
  {
    name: "aggregated visits",
    pattern: /came folded|folded|were aggregated/i,
    means: "Visits were aggregated in the application: they came faster than the ring was read. " +
      "Counts and times are exact, single begins and ends are not kept.",
    todo: "Nothing, unless you need each visit; then annotate longer regions.",
  },
  {
    name: "names without room",
    pattern: /no room for|without room|\[joulemark\] other|under one name/i,
    means: "There was no room for more names or threads. The rest counts as one region, " +
      "[joulemark] other.",
    todo: "Give regions fewer different names (no numbers of steps in them).",
  },
  {
    name: "interrupted calls",
    pattern: /signal handlers|marks within marks/i,
    means:
      "Calls of signal handlers interrupted a begin or end call of their thread and found no " +
      "room. They are left out; all others are exact.",
    todo: "Do not annotate signal handlers.",
  },
  {
    name: "calls out of order",
    pattern: /out of order|calls do not match|calls? were ignored|refused calls?| x |mistakes?/i,
    means:
      "Begin and end calls do not match, such as an end without a begin, which has no effect. " +
      "A region that was never ended lasts until its process ends.",
    todo: "The report names the kinds under marks; docs/how-to/annotate.md.",
  },
  {
    name: "nested visits too fast",
    pattern: /nested visits came too fast/i,
    means:
      "Nested visits came too fast to be recorded in order. Counts and times by path are exact.",
    todo: "Annotate longer regions.",
  },
  {
    name: "records left out",
    pattern: /damaged and are left out|records left out|files? of annotations|refused /i,
    means: "Records of annotations were damaged and are left out: no client writes such records.",
    todo: "Build the application with the client of this version.",
  },
  {
    name: "late events",
    pattern: /events? came late|late events/i,
    means: "Events came late: after their sample was settled. They count at the next sample.",
    todo: "Nothing, if they are few; else use a longer --period.",
  },
  {
    name: "preload without regions",
    pattern: /made a region/i,
    means:
      "No call of the intercepted APIs made a region: none came, or the program does not load " +
      "the library.",
    todo: "Programs that are static or setuid, or set LD_PRELOAD themselves: joulemark client c.",
  },
  {
    name: "no region",
    pattern: /no region/i,
    means: "No region is known: the application has no annotations. The report has totals alone.",
    todo:
      'Try "joulemark run --preload all -- ./app", or joulemark client c; docs/how-to/annotate.md.',
  },
  {
    name: "idle",
    pattern: /not idle before|net is < 0|idle power times/i,
    means: "The node was not idle while its idle power was measured: net energies are too low.",
    todo: "Measure the baseline on an idle node and give its file to --idle.",
  },
  {
    name: "larger machine",
    pattern: /more CPUs than the tree/i,
    means: "The machine has more CPUs than the tree of files: CPU c counts as c mod N.",
    todo: "Nothing, for a test; else leave --root out.",
  },
  {
    name: "simulated",
    pattern: /simulated/i,
    means: "SIMULATED counters: no value is a measurement. The energies are those of a model.",
    todo: "joulemark doctor says which counters this node has.",
  },
  {
    name: "partial",
    pattern: /partial|left out/i,
    means: "The report covers a part of the time or of the hosts; it says which.",
    todo: "joulemark recover and joulemark merge, if the rest is somewhere.",
  },
  {
    name: "counter trouble",
    pattern: /\(\d+ times\)|stall|reset|dropped/i,
    means: "A counter failed or stalled during the run; its values until then are kept.",
    todo: "joulemark doctor; the report names it under sources.",
  },
];
