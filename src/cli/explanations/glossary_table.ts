/** Words in the field's sense, with the source of each; docs/reference/glossary.md is made of them. */

/** One word: its meaning and its source. */
export type GlossaryRow = readonly [word: string, meaning: string, source: string];

/** In the order of the page. */
export const GLOSSARY: readonly GlossaryRow[] = [
  [
    "agent",
    "what decides the wait between samples and adds keys to a report; `monitor` only measures",
    "geopm::Agent(3)",
  ],
  [
    "aggregation",
    "how instances of a signal become one value at a wider domain: sum, average, …",
    "geopm::Agg(3)",
  ],
  ["batch", "all signals asked for, read once at one moment", "geopm::PlatformIO(3)"],
  [
    "behavior",
    "monotone, variable, constant or label: how a signal is summarised over time",
    "geopm::IOGroup(3)",
  ],
  ["board", "the whole node as a domain", "geopm::PlatformTopo(3)"],
  [
    "context tree",
    "Caliper's tree of attribute:value nodes; a snapshot refers to one of its nodes",
    "Caliper manual",
  ],
  ["cpu", "one logical CPU of Linux", "geopm::PlatformTopo(3)"],
  [
    "domain",
    "board, package, core, cpu, memory, gpu, …: where a signal has values",
    "geopm::PlatformTopo(3)",
  ],
  ["epoch", "one step of the application's outer loop", "geopm_prof(3)"],
  ["exact", "from the marks' own times, not from samples", "geopm_report(7)"],
  [
    "fold",
    "to aggregate: several short visits become a count and a time",
    "docs/reference/formats/ring.md",
  ],
  ["freshness", "the number that Cray's counters change with, all at once", "docs of pm_counters"],
  ["hint", "what a region mostly does: compute, memory, network, …", "geopm_prof(3)"],
  ["host", "one node of the job, one section of the report", "geopm_report(7)"],
  ["monitor", "the process that samples; GEOPM calls it controller", "geopm(7)"],
  ["outermost", "a visit that is not inside another region of the same process", "geopm_prof(3)"],
  ["package", "one processor socket", "geopm::PlatformTopo(3)"],
  ["period", "time between two samples of the loop", "geopmlaunch(1)"],
  [
    "process",
    "an application process that marks, or the launched command when none does",
    "docs/how-to/measure-a-job.md",
  ],
  ["profile", "name of the run", "geopmlaunch(1)"],
  ["quality", "measured, derived, simulated or partial", "docs/how-to/measure-a-job.md"],
  [
    "reader",
    "one source of signals: a file in `src/sources/readers`",
    "docs/how-to/add-a-reader.md",
  ],
  ["record type", "one kind of device in raw stats", "hpcperfstats manual"],
  ["region", "a named part of the application between two marks", "geopm_prof(3)"],
  ["region hash", "CRC-32 of the name; 0x725e8066 outside every region", "geopm_report(7)"],
  ["runtime", "exact time in a region, mean over processes", "geopm_report(7)"],
  ["sample", "one settled tick: counters and CPU states of one moment", "geopm_report(7)"],
  ["signal", "a named quantity with unit, domain, behavior and aggregation", "geopm_pio(7)"],
  ["sticker frequency", "the frequency that a processor is sold with", "geopm_pio_cpuinfo(7)"],
  [
    "sync-runtime",
    "sampled time in which all CPUs of a domain were in the region",
    "geopm_report(7)",
  ],
  ["unmarked", "outside every region, or in different ones", "geopm_report(7)"],
];
