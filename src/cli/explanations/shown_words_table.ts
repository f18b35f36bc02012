/** Words of the summary, tables, pages, `top` and `compare`, each explained by itself. */

/** Spellings of a word, the first is its name, and its meaning. */
export type ShownWord = readonly [names: readonly string[], meaning: string];

/** In the order in which a reader meets them. */
export const SHOWN_WORDS: readonly ShownWord[] = [
  [
    ["energy"],
    "Energy in joules (J): power times time. The energy of a component is the energy of the " +
    "whole run. The energy of a region is the energy that was drawn while CPUs were in the " +
    "region.",
  ],
  [
    ["power", "mean power"],
    "Energy divided by time, in watts (W). The power of a region is the power that the " +
    "component would have if all CPUs of the application were in the region.",
  ],
  [
    ["mean"],
    "Sum of the values divided by their number. The mean power of a run is its energy divided by " +
    "its time.",
  ],
  [
    ["node power", "power curve"],
    "Power of the whole node over time, in watts (W). Each value is the mean over a short " +
    "interval. The peak is a mean over one second, so single values of the node power may be " +
    "above the peak.",
  ],
  [
    ["time"],
    "Time in seconds. The time of the run is the time from the start of the first process to " +
    "the end of the last process. The time of a region is the time from its begin to its end, " +
    "with nested regions, as the mean over processes.",
  ],
  [
    ["EDP", "energy-delay product", "energy x time"],
    "Energy-delay product: energy (J) times run time (s). The energy is the node energy. If the " +
    "node energy is not known, it is the energy of the packages. Lower is better. A program " +
    "that needs 5 % less energy and 20 % more time gets a higher value.",
  ],
  [
    ["counter", "node counter", "package counter", "memory counter", "GPU counter"],
    "The meter from which joulemark reads the energy, such as the node counter or the " +
    "package counter. joulemark reads the counter at times between two updates of the " +
    "counter, so each reading is a little too low. The error in line 1 of the summary is the " +
    "effect of these low readings on the energy. The error of the counter itself is not " +
    "included.",
  ],
  [
    ["at least"],
    "The true value is this value or higher: the counter was read only for a part of the time or " +
    "of the packages.",
  ],
  [
    ["rest of the node", "rest of nodes"],
    "Node energy minus package, memory and GPU energy. Fans, network, disks and power supplies " +
    "use this energy.",
  ],
  [
    ["share"],
    "Energy of the row, in percent of the energy of the component that the table shows. If " +
    "no energy is known, the share is the time of the row in percent of the run time. The " +
    "share of a region includes its nested regions.",
  ],
  [
    ["J/visit"],
    "Energy of a region divided by the number of its visits in all processes.",
  ],
  [
    ["max/mean"],
    "Time of the slowest process in a region, divided by the mean time of all processes in " +
    "this region. 1 means that the load is balanced.",
  ],
  [
    ["W a host"],
    "Mean power of a region on one host: the mean over the hosts on which the region ran.",
  ],
  [
    ["a host"],
    "Energies of single hosts of a job: the lowest energy, the highest energy, and the " +
    "median.",
  ],
  [["median visit"], "Median length of the visits of a region: half of the visits are shorter."],
  [
    ["processes", "process", "ranks"],
    "Processes of the application that are measured. With MPI these are the ranks.",
  ],
  [
    ["self", "itself", "own"],
    "Time or energy of a region without its nested regions.",
  ],
  [
    ["next"],
    "The region or problem to look at first, and a next step. joulemark looks for problems " +
    "that cost energy. This line has the problem that costs most energy. joulemark show " +
    "--html lists all problems.",
  ],
  [
    ["note", "minor notes"],
    "Text about a problem of the run, such as missing samples. A note says what happened, which " +
    "effect this has on the values, and what to do. The summary has at most three notes, and " +
    "joulemark show has all. With -v there are also notes without an effect on the values.",
  ],
  [
    ["FAILED"],
    "The command ended with an exit status other than 0, or by a signal. All values cover the " +
    "time until the command ended.",
  ],
  [
    ["INTERRUPTED"],
    "A signal, for example of a scheduler, ended the command. All values cover the time up to " +
    "this signal.",
  ],
  [
    ["PARTIAL"],
    "The report covers only a part of the run or of the hosts, and names this part.",
  ],
  [
    ["SIMULATED"],
    "The counters are simulated, or come from a directory tree of --root: no value is a " +
    "measurement.",
  ],
  [
    ["monitor"],
    "The process that reads the counters. Its cost is the CPU time of sampling, in percent of " +
    "one core. The time for simulated counters is not included.",
  ],
  [
    ["visits", "visit", "count"],
    "Number of visits: passes through a region, from begin to end. The number is a mean over " +
    "processes, so it need not be a whole number.",
  ],
  [
    ["peak", "peak power"],
    "The highest power of one host. The power is a mean over one second.",
  ],
  [
    ["peak at most", "peak power at most"],
    "Sum of the peaks of all hosts. The hosts may have their peaks at different times, so " +
    "the peak of the job is lower than this sum, or equal to it.",
  ],
  [
    ["idle"],
    "Energy that the idle node would have used during the run: idle power (--idle) times run " +
    "time.",
  ],
  [
    ["net"],
    "Energy of the run minus the energy of the idle node (--idle).",
  ],
  [
    ["±", "+-", "se", "standard error", "error"],
    "One standard error of the value before it. In about two of three cases the true value " +
    "is within this range. There is one exception: in comparisons of runs (joulemark " +
    "compare, run --repeat, pmc --compare) the number after ± is the standard deviation " +
    "between runs.",
  ],
  [
    ["coarse", "~", "rough", "inaccurate"],
    "A value with ~ is coarse: its standard error is not known, or the standard error is " +
    "above 10 % of the value. For each interval between two updates of the counter, " +
    "joulemark divides the energy among the regions, in proportion to their CPU time in this " +
    "interval. The energy of a region is the sum over all intervals. The sum may include " +
    "energy of other regions that ran shortly before or after this region.",
  ],
  [
    ["by"],
    "Method for the energy of a row. fit: an estimate from the whole run, with a standard " +
    "error. edges: joulemark divides the energy of each interval between two updates of the " +
    "counter among the regions, in proportion to their CPU time, and adds up the parts of a " +
    "region. sampled: GEOPM's method, from samples.",
  ],
  [
    ["fit"],
    "Energy estimated from all intervals between two updates of the counter. joulemark knows " +
    "the time of each region in each interval and the energy of each interval. From these " +
    "data it calculates the power of each region. This energy has a standard error.",
  ],
  [
    ["edges", "by edges"],
    "For each interval between two updates of the counter, joulemark divides the energy among " +
    "the regions, in proportion to their CPU time in this interval. The energy of a region is " +
    "the sum over all intervals. This energy has no standard error.",
  ],
  [
    ["sampled"],
    "GEOPM's energy. If all CPUs are in the same region at a sample, the energy up to the " +
    "next sample belongs to this region. Otherwise this energy belongs to no region.",
  ],
  [
    ["own time"],
    "Time in a region without its nested regions.",
  ],
  [
    ["own energy"],
    "Energy of a region without its nested regions. Only own energies may be added up: their " +
    "sum over all rows is the energy of the run.",
  ],
  [
    ["timeline", ".timeline"],
    "File next to the report with power over time, the regions of one process, and the times of " +
    "single processes. joulemark show --html needs the report and this file. joulemark run " +
    "--no-timeline does not write this file.",
  ],
  [
    ["known", "while measured", "covers"],
    "The value covers only a part of the time, because a counter failed, was reset or " +
    "appeared late. Energy and power are those of this part of the time. The word coverage " +
    "gives the length of this part, in percent of the whole time.",
  ],
  [
    ["coverage", "gap"],
    "Time in which a counter gave readings, in percent of the whole time. In the rest of the " +
    "time (a gap) the counter failed, was reset, or had not yet appeared. Energies do not " +
    "include the gap.",
  ],
  [
    ["not known"],
    "joulemark cannot calculate the value, because a run does not have the necessary data. " +
    "In joulemark compare: at least one run does not have the metric. joulemark show FILE " +
    "gives the reason.",
  ],
  [
    ["missed"],
    "Samples that the monitor could not take in time. Energies stay correct, because the " +
    "counters continue to count. The plot of power over time has gaps.",
  ],
  [
    ["late"],
    "Samples or events that came too late. A late sample began more than one period after " +
    "its planned time. A late event counts in the earliest step between two samples that " +
    "joulemark has not yet calculated.",
  ],
  [
    ["node"],
    "The whole node: processors, memory, GPUs and the rest. A counter of the board measures its " +
    "energy (Cray pm_counters, IPMI, a power meter).",
  ],
  [
    ["memory", "dram"],
    "The memory modules (DRAM) of the node, measured by RAPL or by a counter of the board.",
  ],
  [
    ["GPU"],
    "The accelerators of the node, all together.",
  ],
  [
    ["component"],
    "A part of the node with an energy counter: node (the whole node), package (processors), " +
    "memory, GPU.",
  ],
  [
    ["(outside regions)", "outside regions"],
    "Time in which a process was in no region, and the energy in this time. GEOPM calls this " +
    "time unmarked.",
  ],
  [
    ["(other CPUs)", "other CPUs"],
    "Energy of packages that the run may not use, and of CPUs during the time in which no " +
    "process with annotations may use them. Example: one process may use only CPU 0, and ends 2 s " +
    "before the other processes. The energy of CPU 0 in these 2 s is in this row.",
  ],
  [
    ["(undetermined)", "undetermined"],
    "The part of the total energy that is in no other row, because the energy of some " +
    "regions is not determined. The value is below zero if the other rows together are above " +
    "the total.",
  ],
  [
    ["not determined"],
    "joulemark cannot calculate the energy with a standard error of at most 10 %. The " +
    "reason: the counter changes too rarely, or some regions always run together. In most " +
    "cases a longer run helps.",
  ],
  [
    ["hosts"],
    "Nodes of the job. The line of the summary has the lowest and the highest energy with their " +
    "hosts, and the mean.",
  ],
  [["minimum", "min", "least"], "The lowest value among hosts, runs or processes."],
  [["maximum", "max", "most", "greatest"], "The highest value among hosts, runs or processes."],
  [
    ["maximum on", "maximum in", "minimum in", "most on", "most in", "least in"],
    "Name of the host or process that has the value in the column before.",
  ],
  [
    ["p50", "median"],
    "The median: half of the values are lower. For visits: half of the visits are shorter.",
  ],
  [
    ["p99"],
    "The 99th percentile: 99 % of the visits are shorter.",
  ],
  [["J", "joule"], "Joule, the unit of energy: one watt for one second. 3,600,000 J are 1 kWh."],
  [["W", "watt"], "Watt, the unit of power: one joule per second."],
  [["kWh", "kilowatt-hour"], "Kilowatt-hour, the unit of electricity bills: 3,600,000 J."],
  [
    ["overhead"],
    "Cost of joulemark: CPU time of the monitor in seconds, and in percent of one core.",
  ],
  [
    ["would save at most"],
    "Upper limit of the energy that a change of the program can save. For MPI calls the " +
    "limit is 80 % of the energy in these calls: joulemark assumes that the data transfer " +
    "needs 20 %.",
  ],
  [["steps"], "Steps of the application in a PMC log; joulemark pmc shows them."],
  [
    ["body", "apart", "group", "groups"],
    "The usual steps of a run, as joulemark pmc finds them. All other steps are outliers, in " +
    "groups with similar values (apart 1, apart 2, ...).",
  ],
  [
    ["factor"],
    "Mean of a group of outliers divided by the mean of the body (joulemark pmc).",
  ],
  [
    ["every"],
    "Number of steps from one outlier of a group to the next outlier of this group: the " +
    "number that occurs most often (joulemark pmc). If no number occurs often, the value is " +
    "not available.",
  ],
  [
    ["simulated node", "simulated counters"],
    "The counters are simulated (--simulate): no value is a measurement.",
  ],
  [
    ["A", "B"],
    "First set of runs in joulemark compare; B is the second set. In the command, the " +
    "reports of A are before the word --, and the reports of B are after it.",
  ],
  [
    ["geometric mean"],
    "The n-th root of the product of n values. joulemark compare uses this mean. In this " +
    "mean a run with twice the energy and a run with half the energy cancel each other.",
  ],
  [
    ["change"],
    "Relative difference between A and B: the geometric mean of B divided by the geometric " +
    "mean of A, minus 1. A change of +0.02 (2 %) means that B is 2 % higher than A.",
  ],
  [
    ["interval", "level", "from", "to"],
    "Confidence interval: the range that contains the true change with the probability of " +
    "--level (98.5 % by default). The verdict of joulemark compare depends on this interval.",
  ],
  [
    ["p", "p-value"],
    "Probability of a change as high as the measured one, or higher, if only chance causes " +
    "differences. The calculation assumes that the true change is equal to the allowed " +
    "increase (--max-increase, 0 by default).",
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
      "not decided",
    ],
    "Result of joulemark compare, from the interval of the change. The limit is the allowed " +
    'increase (--max-increase). "worse": the whole interval is above the limit. "better": the ' +
    'whole interval is below 0. "within the limit": no part of the interval is above the limit. ' +
    '"more, limit not decided": the whole interval is above 0, and the interval contains the ' +
    'limit. "not enough runs": a set has fewer than three runs. "no significant change": no ' +
    "other verdict applies.",
  ],
  [
    ["deviation", "standard deviation"],
    "Standard deviation: a measure for the distance of single values from their mean. About " +
    "two of three values are within one standard deviation of the mean.",
  ],
  [
    ["limit", "power limit"],
    "Power limit: the average power that a processor or GPU may use. A processor or GPU that " +
    "reaches this power becomes slower (throttled). In joulemark compare the limit is the " +
    "allowed increase (--max-increase).",
  ],
  [
    ["throttled", "held back", "throttle"],
    "Percentage of the time in which a power or temperature limit made CPUs or GPUs slower.",
  ],
  [
    ["temperature", "hot"],
    "The highest temperature of each domain, in degrees Celsius.",
  ],
  [
    ["regions now"],
    "Regions that threads are in at this moment, and the number of threads in each.",
  ],
  [["rank"], "Number of an MPI process in its job."],
  [
    ["thread"],
    "Thread with annotations. The number is the thread ID of the kernel.",
  ],
  [
    ["where"],
    "Regions that a thread is in, the outermost first.",
  ],
  [
    ["straggler", "stragglers"],
    "A host that needs much more time for a region than the other hosts.",
  ],
  [
    ["outlier", "outliers"],
    "A host whose value is more than 3.5 standard deviations away from the median of all " +
    "hosts. joulemark estimates the standard deviation from the median distance of the hosts " +
    "from this median, so that outliers do not change the estimate.",
  ],
  [
    ["works"],
    "State of a quantity in joulemark doctor: joulemark read the counter several times, and its " +
    "value changed.",
  ],
  [
    ["in part"],
    "State of a quantity in joulemark doctor: the counter works, but some parts of the node have " +
    "no value. The names of these parts are next to these words.",
  ],
  [
    ["no permission"],
    "State of a quantity in joulemark doctor: its counter exists, and you may not read it.",
  ],
  [
    ["not available"],
    "The node does not have this counter, or the counter gave no value. The reason is next to " +
    "these words. joulemark prints no 0 for a missing value, except in GEOPM's keys of the " +
    "report, because GEOPM's readers accept only numbers.",
  ],
  [
    ["driver missing"],
    "State of a quantity in joulemark doctor: the kernel has a module for the counter, and " +
    "the module is not loaded.",
  ],
  [
    ["hidden"],
    "State of a quantity in joulemark doctor: the machine has the counter, but a container " +
    "hides its files.",
  ],
  [
    ["unsupported model"],
    "State of a quantity in joulemark doctor: this processor model has no energy registers. " +
    "Use the power meter of the node, or a meter at the power socket.",
  ],
  [
    ["no change"],
    "State of a quantity in joulemark doctor: the counter did not change during a quarter of " +
    "a second.",
  ],
  [
    ["trusted", "not trusted"],
    "Result of joulemark doctor --energy. The command runs two regions: first in turn, then in " +
    "random order. It measures the power of each region in both parts. A counter is trusted if " +
    "the two powers of a region differ by at most two standard errors plus 5 % of the power.",
  ],
  [
    ["update period"],
    "Time between two changes of a counter, in seconds: 0.001 for RAPL, 0.1 for Cray pm_counters.",
  ],
  [
    ["lag"],
    "Delay of a counter, in seconds. If the lag is 0.005 s, a new value shows the energy up " +
    "to a time 0.005 s before.",
  ],
  [
    ["moving average"],
    "Some counters show the mean power over the last part of the run, such as the last 0.1 s. The " +
    "value is the length of this part, in seconds.",
  ],
  [
    ["time constant"],
    "A measure of the delay with which the power follows the load, in seconds. After this time, " +
    "the power has made 63 % of its change.",
  ],
  [
    ["resolution"],
    "The smallest step of a counter, in its unit: 0.00006 J for many RAPL counters, 1 J for " +
    "Cray pm_counters.",
  ],
  [
    ["time.duration.ns", "time.duration"],
    "Time since the thread's last annotation, in nanoseconds. Caliper's snapshots and joulemark " +
    "top --context have this value.",
  ],
  [
    ["busy"],
    "Share of the time in which CPUs or GPUs worked, in percent.",
  ],
  [["threads"], "Number of threads that are in a region at this moment."],
  [
    ["power now"],
    "Power of the node since the last update of the page. joulemark top divides it among the " +
    "regions in proportion to the time of their threads.",
  ],
  [
    ["since start"],
    "Energy since joulemark top was started. joulemark top divides it among the regions in " +
    "proportion to the time of their threads.",
  ],
  [
    ["last minute"],
    "Mean power, highest power and energy of the last 60 seconds.",
  ],
  [
    ["source"],
    "The file, device or register that a signal is read from.",
  ],
  [
    ["frequency"],
    "Clock frequency of the CPUs while they were busy, calculated from counted cycles.",
  ],
  [
    ["span", "spans"],
    "A named interval that may overlap regions and other spans, such as a transfer. A span has " +
    "a count and a time. Spans have no energy, because they may overlap.",
  ],
  [
    ["maximum ÷ mean", "most / mean"],
    "The highest value divided by the mean. 1 means that the load is balanced.",
  ],
  [
    ["marked"],
    "A report is marked if it contains the exit status or the signal of a command that " +
    "failed. joulemark compare refuses such a report.",
  ],
  [
    ["still open", "open"],
    "Regions that had begun and not ended when the command was interrupted or killed.",
  ],
  [
    ["recovered", ".recovered"],
    "The report was made from the file REPORT.partial, because the monitor was killed. The values " +
    "end at the last checkpoint: at most one second before that, on a file server at most 10 s " +
    "(--checkpoint). With more than about 500 regions it may be longer.",
  ],
  [
    ["[not running]"],
    "Energy of the CPUs that the command used, in the time when these CPUs did not run the " +
    "command. This energy belongs to no function.",
  ],
  [["_[i]", "name_[i]", "[i]"], "A function that the compiler inlined into the frame before it."],
  [["_[k]", "name_[k]", "[k]"], "Code of the kernel."],
  [["_[g]", "name_[g]", "[g]"], "The frame is a guess, because the code has no unwind table."],
  [["[…]", "[...]"], "Outer frames of the stack are missing."],
  [["[unknown]"], "An address that belongs to no file."],
  [["[short threads]"], "CPU time of threads that ended before their first sample."],
  [
    ["[jit]", "jit"],
    "CPU time in code that a JIT compiler made during the run, without names. For names of its " +
    "functions start Node.js with --perf-basic-prof. Start Java 17 or later with " +
    "-XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit, and " +
    "Python 3.12 or later with -X perf.",
  ],
  [["[kernel, not visible]"], "CPU time in the kernel, which this user may not sample."],
  [["[kernel thread]"], "CPU time of a thread of the kernel."],
  [["[lost]"], "CPU time of threads whose samples were all lost."],
  [["[off CPU]"], "Time in which threads waited (--off-cpu). This time is not CPU time."],
  [
    ["[preempted]"],
    "Time in which threads were ready but did not run (--off-cpu). This time is not CPU time.",
  ],
  [
    ["more regions", "more functions"],
    "Regions or functions that have no row of their own. The row has the sums of their values.",
  ],
  [
    ["sweet spot"],
    'The setting of a study with the minimum energy. The remark "front" marks a setting if no other ' +
    "setting needs both less time and less energy.",
  ],
];
