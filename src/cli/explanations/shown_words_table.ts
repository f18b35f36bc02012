/** Words of the summary, tables, pages, `top` and `compare`, each explained by itself. */

/** Spellings of a word, the first is its name, and its meaning. */
export type ShownWord = readonly [names: readonly string[], meaning: string];

/** In the order in which a reader meets them. */
export const SHOWN_WORDS: readonly ShownWord[] = [
  [
    ["energy"],
    "Energy in joules (J): power times time. The energy of a component is that of the " +
    "whole run; the energy of a region is that drawn while CPUs were in it.",
  ],
  [
    ["power", "mean", "mean power"],
    "Energy divided by time, in watts (W). The power of a region is that of its domains " +
    "while all CPUs of the application were in it.",
  ],
  [
    ["time"],
    "Seconds: of the run, from the start of the first process to the end of the last one; " +
    "of a region, mean over processes of the time between begin and end, with all that is " +
    "nested in it.",
  ],
  [
    ["EDP", "energy-delay product", "energy x time"],
    "Energy-delay product: energy (J) times run time (s) of the most inclusive component; lower is " +
    "better. A program that saves energy only by being slow gets a larger value.",
  ],
  [
    ["counter", "node counter", "package counter", "memory counter", "GPU counter"],
    "The meter that the energy is read from, such as the node counter or the package counter. The " +
    "error in line 1 is that of reading it between two updates, and not its calibration.",
  ],
  [
    ["at least"],
    "A lower limit: the counter was read for a part of the time or of the packages.",
  ],
  [
    ["rest of the node", "rest of nodes"],
    "Node energy without package, memory and GPU energy: fans, network, disks, losses of the power " +
    "supply.",
  ],
  [
    ["share"],
    "Part of the energy of the component that the table shows, in per cent; of the time, if no " +
    "energy is known. Rows and what is left of the row around them add up to its share.",
  ],
  [
    ["J/visit"],
    "Energy of a region divided by the number of its visits in all processes.",
  ],
  [
    ["max/mean"],
    "Time of the slowest process in a region divided by the mean of all processes: 1 is an even " +
    "load.",
  ],
  [["W a host"], "Power of a region on one host: the mean of the hosts."],
  [["a host"], "Energies of the hosts of a job: the lowest, the highest, and the middle one."],
  [["median visit"], "Half of the visits are shorter."],
  [
    ["processes", "process", "ranks"],
    "Operating-system processes of the application that are measured; with MPI these are its ranks.",
  ],
  [
    ["self", "itself", "own"],
    "A region without the regions nested in it: energy or time of its own.",
  ],
  [
    ["next"],
    "What to look at first: the finding with most energy at stake, and a step to take. " +
    "joulemark show --html has all findings.",
  ],
  [
    ["note", "minor notes"],
    "What limits the values, what it means for them, and what to do. The summary has three at most, " +
    "joulemark show all, and with -v also those that change no value.",
  ],
  [
    ["FAILED"],
    "The command ended with an exit status other than 0, or by a signal. All values cover the time " +
    "until then.",
  ],
  [
    ["INTERRUPTED"],
    "A signal, as of a scheduler, ended the command. All values cover the time until then.",
  ],
  [["PARTIAL"], "The report covers a part of the run or of the hosts, and says which."],
  [
    ["SIMULATED"],
    "The counters are those of a simulated node or of a tree of files: no value is a measurement.",
  ],
  [
    ["monitor"],
    "The process that samples. Its cost is the CPU time of sampling, in per cent of one core; that " +
    "of simulated counters is not part of it.",
  ],
  [
    ["visits", "visit", "count"],
    "How often a region was entered and left: mean over the processes that share a region, so " +
    "fractions are possible.",
  ],
  [["peak", "peak power"], "The highest mean power over one second of the run, of one host."],
  [
    ["peak at most", "peak power at most"],
    "Sum of the hosts' peaks: the hosts need not have had theirs at one time, so the job " +
    "drew no more.",
  ],
  [
    ["idle"],
    "Energy that the idle node would have drawn in the runtime: the idle power of --idle " +
    "times the runtime.",
  ],
  [["net"], "Energy of the run less the energy of the idle node (--idle)."],
  [
    ["±", "+-", "se", "standard error", "error"],
    "One standard error of the value before it: the true value lies within it in about " +
    "two of three cases. In a comparison it is the standard deviation of a run.",
  ],
  [
    ["coarse", "~", "rough", "inaccurate"],
    "A coarse value (~) has no standard error: it is the difference of counter readings at the edges of a " +
    "region, divided by CPU time. It may hold energy of regions that ran shortly before " +
    "or after.",
  ],
  [
    ["by"],
    "How the energy of a row was found: fit, a model over the whole run with an error; " +
    "edges, the difference of counter readings at the edges; sampled, GEOPM's samples.",
  ],
  [
    ["fit"],
    "Energies by a model over the whole run: each interval between two changes of a " +
    "counter is the sum of times in regions times their powers. It gives standard errors.",
  ],
  [
    ["edges", "by edges"],
    "Energies by the difference of counter readings at the edges of a region, divided by " +
    "CPU time: no error can be given.",
  ],
  [
    ["sampled"],
    "GEOPM's energies: the energy between two samples goes to the region that all CPUs " +
    "were in at the first one.",
  ],
  [["own time"], "Time in a region without the time in regions nested in it."],
  [
    ["own energy"],
    "Energy of a region without the energy of regions nested in it. Only own energies may be added " +
    "up: those of all rows are the energy of the run.",
  ],
  [
    ["timeline", ".timeline"],
    "The file beside the report, with power over time, the regions of one process and the times of " +
    "processes. The page of joulemark show --html is made of both; --no-timeline leaves it out.",
  ],
  [
    ["known", "while measured", "covers", "coverage"],
    "A counter that failed, was reset or came late covers a part of the time. Then the " +
    "energy is that of this part, the power is that while it was measured, and coverage " +
    "is the part in per cent.",
  ],
  [
    ["missed"],
    "Samples that the monitor could not take in time. Energies stay correct, since " +
    "counters go on; the power curve has gaps.",
  ],
  [
    ["late"],
    "Samples or events that came after their time. A late sample began more than a period " +
    "late; a late event counts when it arrives.",
  ],
  [
    ["node"],
    "The whole node: processors, memory, GPUs and the rest, by a counter of the board " +
    "(Cray pm_counters, IPMI, a power meter).",
  ],
  [["memory", "dram"], "The memory modules (DRAM) of the node, by RAPL or a counter of the board."],
  [["GPU"], "The accelerators of the node, all of them together."],
  [
    ["component"],
    "A part of the node with an energy counter: node (all of it), package (processors), " +
    "memory, GPU.",
  ],
  [
    ["(outside regions)", "outside regions"],
    "Time in which a process was in no region, and its energy. GEOPM calls it unmarked.",
  ],
  [
    ["(other CPUs)", "other CPUs"],
    "Energy of packages that no process of the run may use, and of CPUs while none of " +
    "their processes lives.",
  ],
  [
    ["(undetermined)", "undetermined"],
    "The rest of the total that no row has, since values of some regions are not determined. It " +
    "is below zero if the values exceed the total of the counter.",
  ],
  [
    ["not determined"],
    "No value with a useful error can be given: the counter changes too seldom, or " +
    "regions always run together. A longer run helps most.",
  ],
  [
    ["hosts"],
    "Nodes of the job. The line has the lowest and the highest energy with their hosts, " +
    "and the mean.",
  ],
  [["least", "min", "minimum"], "The lowest value among hosts, runs or processes."],
  [["most", "max", "maximum", "greatest"], "The highest value among hosts, runs or processes."],
  [
    ["maximum on", "maximum in", "minimum in", "most on", "most in", "least in"],
    "The host or process that has this extreme value.",
  ],
  [
    ["p50", "median"],
    "Half of the values are below it; of visits: the length that half of them stay below.",
  ],
  [["p99"], "Of 100 visits, 99 are shorter."],
  [["J", "joule"], "Joule, the unit of energy: one watt for one second. 3,600,000 J are 1 kWh."],
  [["W", "watt"], "Watt, the unit of power: one joule per second."],
  [["kWh", "kilowatt-hour"], "Kilowatt-hour, the unit of electricity bills: 3,600,000 J."],
  [
    ["overhead"],
    "What joulemark itself took: CPU seconds of the monitor, and their part of one core.",
  ],
  [["steps"], "Steps of the application in a PMC log; joulemark pmc shows them."],
  [
    ["simulated node", "simulated counters"],
    "The counters are simulated (--simulate): no value is a measurement.",
  ],
  [["A", "B"], "The two sets of runs of joulemark compare: A before --, B after it."],
  [["change"], "Geometric mean of B divided by that of A, less 1."],
  [
    ["interval", "level", "from", "to"],
    "The range that holds the true change with the probability --level (98.5 %). It " +
    "decides the verdict of joulemark compare.",
  ],
  [
    ["p", "p-value"],
    "Probability of such values by chance, if there is no change beyond what is allowed.",
  ],
  [
    [
      "verdict",
      "worse",
      "better",
      "within the limit",
      "no significant change",
      "more, limit not decided",
      "not enough runs",
    ],
    "The answer of joulemark compare: worse, the whole interval is above the limit; " +
    "better, it is below 0; within the limit, it is below the limit; no significant " +
    "change, it has 0 in it; more, limit not decided, it has the limit in it; not enough " +
    "runs, fewer than three of a set.",
  ],
  [
    ["deviation", "standard deviation"],
    "How much single values differ from their mean: two of three are within one standard " +
    "deviation.",
  ],
  [
    ["limit", "power limit"],
    "The power that the processor or GPU is allowed to draw on average; at the limit it " +
    "is throttled.",
  ],
  [
    ["throttled", "held back", "throttle"],
    "Share of the time in which a power or temperature limit made CPUs or GPUs slower " +
    "than they could be.",
  ],
  [
    ["temperature", "hot"],
    "The temperature of the hottest sensor of each domain, in degrees Celsius.",
  ],
  [
    ["regions now"],
    "Regions that threads are in at this moment, and how many threads are in each.",
  ],
  [["rank"], "Number of an MPI process in its job."],
  [["thread"], "A thread of a process that makes annotations, by the kernel's number."],
  [["where"], "The path of regions that a thread is in, outermost first."],
  [["straggler", "stragglers"], "A host whose time in a region is far above that of the others."],
  [
    ["outlier", "outliers"],
    "A host whose value is far from the median of all hosts: more than 3.5 robust " +
    "standard deviations.",
  ],
  [
    ["works"],
    "State of a quantity in joulemark doctor: a trial reading changed.",
  ],
  [
    ["no permission"],
    "State of a quantity in joulemark doctor: its counter exists, and you may not read it.",
  ],
  [
    ["not available"],
    "There is no such counter here, or it gave no value; the reason is beside it. It is never 0.",
  ],
  [
    ["driver missing"],
    "State of a quantity in joulemark doctor: the kernel has a module for the counter, which is not " +
    "loaded.",
  ],
  [
    ["hidden"],
    "State of a quantity in joulemark doctor: the machine has the counter, and a container hides its " +
    "files.",
  ],
  [
    ["unsupported model"],
    "State of a quantity in joulemark doctor: this model of processor has no energy registers. Use " +
    "the node's power meter, or measure at the wall.",
  ],
  [
    ["no change"],
    "State of a quantity in joulemark doctor: its counter did not change while it was watched for a " +
    "quarter of a second.",
  ],
  [
    ["trusted", "not trusted"],
    "Result of joulemark doctor --energy: the power of a region was the same in two orders of visits, " +
    "within two errors and 5 %.",
  ],
  [
    ["update period"],
    "Time between two changes of a counter, in seconds: 0.001 for RAPL, 0.1 for Cray pm_counters.",
  ],
  [
    ["lag"],
    "Time by which a counter shows energy late, in seconds: a change contains the energy of an " +
    "interval that ended so long ago.",
  ],
  [
    ["moving average"],
    "A counter with a moving average spreads each change of power over a time, which is given in " +
    "seconds.",
  ],
  [
    ["time constant"],
    "Power that follows the load with a delay approaches its value exponentially, with a time " +
    "constant in seconds.",
  ],
  [
    ["resolution"],
    "The smallest step of a counter, in its unit: 0.00006 J for many RAPL counters, 1 J for Cray " +
    "pm_counters.",
  ],
  [
    ["time.duration.ns", "time.duration"],
    "Time since the thread's last annotation, in nanoseconds: in a snapshot of Caliper, and in " +
    "joulemark top --context.",
  ],
  [["busy"], "Part of the time in which CPUs or GPUs ran something, in per cent."],
  [["threads"], "Number of threads that are in a region at this moment."],
  [["power now"], "Power of the node by the time of threads in each region since the last page."],
  [["since start"], "Energy by the time of threads in each region since joulemark top began."],
  [
    ["last minute"],
    "Mean and highest power and the energy of the readings of the last 60 seconds.",
  ],
  [["source"], "Where the value of a signal was read: a file, a device or a register."],
  [["frequency"], "Clock of the CPUs while they were busy, from counted cycles."],
  [
    ["span", "spans"],
    "An interval with a name that need not nest in others, such as a transfer: it has a count and a " +
    "time, and no energy, since spans may overlap.",
  ],
  [["maximum ÷ mean", "most / mean"], "The highest value divided by the mean: 1 is an even load."],
];
