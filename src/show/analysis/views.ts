/**
 * Output of `joulemark pmc`: tables, plots, and a line in words for each finding.
 * @module
 */
import type { CraypatCounter } from "./craypat.ts";
import { compareRuns, type RunGroup } from "./compare_runs.ts";
import { cumulative, fitNormal, histogram } from "./histogram.ts";
import { groupOutliers } from "./outlier_groups.ts";
import { type Peak, peaksOf } from "./peaks.ts";
import type { Panel, Series } from "./picture.ts";
import { figures, withDeviation } from "./quantity_text.ts";
import { QUANTITIES, type Quantity, type Run, valuesOf } from "./runs.ts";
import { normalDensity } from "./statistics.ts";
import { type Sweep } from "./sweep.ts";
import { columnsOf, details, type Table } from "./table.ts";

/** One way to look at runs. */
export interface View {
  readonly tables: readonly Table[];
  readonly panels: readonly Panel[];
  /** Two panels per row. */
  readonly inPairs?: boolean;
  /** For people. */
  readonly notes: readonly string[];
}

const ALL = Object.keys(QUANTITIES) as Quantity[];

/** Totals of each run, and what its steps are like. */
export function summaryView(runs: readonly Run[]): View {
  const totals: Table = {
    title: "Runs",
    columns: columnsOf("run", "steps", "energy (J)", "runtime (s)", "power of the job (W)"),
    rows: runs.map((r) => [r.name, r.steps.length, r.energyJ, r.runtimeS, r.meanPowerW]),
  };
  const notes = [...runs.flatMap((run) => groupNotes(run, "energy")), ...STEP_COLUMNS];
  const energies = runs.map((run): Series => ({
    name: run.name,
    about: aboutEnergy(run),
    kind: "line",
    x: run.steps.map((s) => s.step),
    y: run.steps.map((s) => s.energyJ),
  }));
  const panel: Panel = {
    title: QUANTITIES.energy.title,
    xTitle: "step",
    yTitle: "energy (J)",
    series: energies,
  };
  return { tables: [totals, stepTable(runs, ALL)], panels: [panel], notes };
}

function aboutEnergy(run: Run): string {
  const { mean, deviation } = groupsOf(run, "energy").body;
  return withDeviation(mean, deviation, "J");
}

function stepTable(runs: readonly Run[], quantities: readonly Quantity[]): Table {
  return {
    title: "Steps without outliers (body), and groups of outliers (apart)",
    columns: columnsOf(
      ...["run", "figure", "group", "count", "mean", "deviation"],
      ...[...details(["median", "min", "max"]), "sum", "factor", "every"],
    ),
    rows: runs.flatMap((run) =>
      quantities.flatMap((quantity) => {
        const { unit } = QUANTITIES[quantity];
        const { body, groups } = groupsOf(run, quantity);
        const title = `${quantity} (${unit})`;
        const one = (name: string, s: typeof body, factor: number, every: number) => {
          // The sum of powers means nothing.
          const sum = quantity === "power" ? NaN : s.sum;
          const start = [run.name, title, name, s.count, s.mean, s.deviation, s.median];
          return [...start, s.min, s.max, sum, factor, every];
        };
        return [
          one("body", body, 1, 1),
          ...groups.map((g, i) => one(`apart ${i + 1}`, g, g.factor, g.every || NaN)),
        ];
      })
    ),
  };
}

/** Bins of the body and of the outliers, with the normal distribution of the body. */
export function histogramView(
  runs: readonly Run[],
  quantities: readonly Quantity[] = ALL,
  bins?: number,
): View {
  const rows: (string | number)[][] = [];
  const fits: (string | number)[][] = [];
  const peaks: (string | number)[][] = [];
  const notes: string[] = [];
  const panels: Panel[] = [];
  for (const quantity of quantities) {
    const { unit, title } = QUANTITIES[quantity];
    const body: Series[] = [];
    const far: Series[] = [];
    runs.forEach((run, colour) => {
      const { bodyValues, limit } = groupsOf(run, quantity);
      const apart = valuesOf(run, quantity).filter((value) => value > limit);
      const fit = fitNormal(bodyValues);
      const found = peaksOf(bodyValues);
      const main = found.reduce((a, b) => b.count > a.count ? b : a, found[0]);
      found.forEach((one, i) => {
        const { at, deviation, count, share } = one;
        const start = [run.name, `${quantity} (${unit})`, i + 1, at, deviation, count, share];
        peaks.push([...start, one === main ? "main" : ""]);
      });
      if (found.length > 1) notes.push(peakNote(run.name, quantity, found, main));
      fits.push([run.name, `${quantity} (${unit})`, fit.mean, fit.deviation, fit.distance]);
      for (
        const [group, values, list] of [["body", bodyValues, body], ["apart", apart, far]] as const
      ) {
        if (values.length === 0) continue;
        const { low, width, counts } = histogram(values, bins);
        const x = Array.from(counts, (_, i) => low + (i + 0.5) * width);
        x.forEach((at, i) => {
          const [from, to] = [shortEdge(at - width / 2), shortEdge(at + width / 2)];
          rows.push([run.name, `${quantity} (${unit})`, group, from, to, counts[i]]);
        });
        const shown = width > 0 ? width : Math.max(1e-9, Math.abs(low) * 0.02);
        list.push({ name: run.name, kind: "bars", x, y: counts, width: shown, colour });
        if (group === "body" && fit.deviation > 0 && width > 0) {
          body.push(normalLine(run.name, fit, width * values.length, colour));
        }
      }
    });
    const axes = { xTitle: `${quantity} (${unit})`, yTitle: "steps" };
    panels.push({ title, ...axes, series: body });
    if (far.length > 0) panels.push({ title: `${title}: outliers`, ...axes, series: far });
    // Only power has one peak, which mean and deviation describe.
    if (quantity === "power" && runs.length > 1) panels.push(normalsPanel(runs));
  }
  const fitTable: Table = {
    title:
      "Normal distribution of the body, and its maximum distance from the measured distribution",
    columns: columnsOf("run", "figure", "mean", "deviation", "distance"),
    rows: fits,
  };
  const binTable: Table = {
    title: "Histogram",
    columns: columnsOf("run", "figure", "group", "from", "to", "steps"),
    rows,
  };
  const peakTable: Table = {
    title: "Peaks of the body",
    columns: columnsOf("run", "figure", "peak", "at", "deviation", "steps", "share", "remark"),
    rows: peaks,
  };
  notes.push(...runs.flatMap((run) => quantities.flatMap((quantity) => groupNotes(run, quantity))));
  return { tables: [fitTable, peakTable, binTable], panels, notes };
}

function peakNote(
  run: string,
  quantity: Quantity,
  peaks: readonly Peak[],
  main: Peak,
): string {
  const list = peaks.map((peak) => {
    const share = `${figures(100 * peak.share, 3)} % of the steps`;
    const at = withDeviation(peak.at, 0, QUANTITIES[quantity].unit);
    return `${at} (${share}${peak === main ? ", the main one" : ""})`;
  });
  return `${run}: ${quantity} of a step has ${peaks.length} peaks: ${list.join(", ")}`;
}

/** The normal distributions of several runs' power alone: figures 3 and 5 of the paper. */
function normalsPanel(runs: readonly Run[]): Panel {
  const { unit, title } = QUANTITIES.power;
  const series = runs.flatMap((run, colour) => {
    const fit = fitNormal(groupsOf(run, "power").bodyValues);
    return fit.deviation > 0 ? [{ ...normalLine(run.name, fit, 1, colour), name: run.name }] : [];
  });
  return {
    title: `${title}: normal distributions`,
    xTitle: `power (${unit})`,
    yTitle: `share of steps per ${unit}`,
    series,
  };
}

function normalLine(
  name: string,
  fit: { mean: number; deviation: number },
  area: number,
  colour: number,
): Series {
  const x = Array.from({ length: 101 }, (_, i) => fit.mean + fit.deviation * (i - 50) / 12.5);
  const y = x.map((at) => area * normalDensity(at, fit.mean, fit.deviation));
  const about = `${figures(fit.mean, 4)} ± ${figures(fit.deviation, 2)}`;
  return { name: `${name}: normal`, about, kind: "line", x, y, colour };
}

/** Shares of steps up to a value. */
export function cdfView(runs: readonly Run[], quantities: readonly Quantity[] = ALL): View {
  const rows: (string | number)[][] = [];
  const panels = quantities.flatMap((quantity): Panel[] => {
    const { unit, title } = QUANTITIES[quantity];
    const series = runs.map((run): Series => {
      const { values, shares } = cumulative(valuesOf(run, quantity));
      values.forEach((value, i) =>
        rows.push([run.name, `${quantity} (${unit})`, value, shares[i]])
      );
      const { mean, deviation } = groupsOf(run, quantity).body;
      const about = withDeviation(mean, deviation, unit);
      return { name: run.name, about, kind: "line", x: values, y: shares };
    });
    const panel = { title, xTitle: `${quantity} (${unit})`, yTitle: "share of steps", series };
    return quantity === "power" ? [normalsPanel(runs), panel] : [panel];
  });
  const table: Table = {
    title: "Cumulative distribution",
    columns: columnsOf("run", "figure", "value", "share"),
    rows,
  };
  return { tables: [table], panels, notes: [], inPairs: quantities.join() === "power" };
}

/** Groups of runs beside each other. */
export function compareView(groups: readonly RunGroup[]): View {
  const summaries = compareRuns(groups);
  const table: Table = {
    title: "Groups of runs: means and standard deviations",
    columns: columnsOf(
      ...["group", "runs", "energy (J)", "± energy (J)", "runtime (s)", "± runtime (s)"],
      ...[...details(["power of the job (W)", "± power (W)"]), "ratio"],
      ...details(["steps apart", "their factor", "their energy (J)"]),
      ...details(["energy with like steps (J)", "its ratio"]),
    ),
    rows: summaries.map((
      { name, energyJ, runtimeS, meanPowerW, ratio, outliers, likeJ, likeRatio },
    ) => [
      ...[name, energyJ.count, energyJ.mean, energyJ.deviation],
      ...[runtimeS.mean, runtimeS.deviation, meanPowerW.mean, meanPowerW.deviation],
      ...[ratio, outliers.count, outliers.factor, outliers.energyJ],
      ...[likeJ.mean, likeRatio],
    ]),
  };
  const notes = summaries.flatMap(({ name, energyJ, runtimeS, outliers, likeJ, likeRatio }) => {
    const energy = withDeviation(energyJ.mean, energyJ.deviation, "J");
    const start = `${name}: ${energy} over ${
      withDeviation(runtimeS.mean, runtimeS.deviation, "s")
    }`;
    if (!(outliers.count > 0)) return [start];
    const apart = `${figures(outliers.count, 3)} outliers with ${
      figures(outliers.factor, 3)
    } times`;
    const like = withDeviation(likeJ.mean, likeJ.deviation, "J");
    return [
      `${start}; ${apart} the usual energy, ${withDeviation(outliers.energyJ, 0, "J")} in all`,
      `  if the outliers had the usual energy: ${like}, ratio ${figures(likeRatio, 3)}`,
    ];
  });
  const series = summaries.map(({ name, energyJ, runtimeS }): Series => ({
    name,
    kind: "points",
    x: [runtimeS.mean],
    y: [energyJ.mean],
    xError: [runtimeS.deviation],
    yError: [energyJ.deviation],
    labels: [name],
  }));
  const panel: Panel = {
    title: "Energy and runtime of groups of runs",
    xTitle: "runtime (s)",
    yTitle: "energy (J)",
    series,
    fromZero: false,
  };
  return { tables: [table], panels: [panel], notes };
}

/** Energy against runtime over a setting. */
export function sweepView(sweep: Sweep): View {
  const { points, leastEnergy, alike, leastTime, leastProduct, front } = sweep;
  const table: Table = {
    title: "Sweep",
    columns: columnsOf(
      ...["setting", "runs", "energy (J)", ...details(["± energy (J)"]), "runtime (s)"],
      ...[...details(["± runtime (s)", "energy x time (Js)"]), "remark"],
    ),
    rows: points.map((p) => [
      ...[p.label, p.runs, p.energyJ, p.energyDeviationJ, p.runtimeS, p.runtimeDeviationS],
      ...[
        p.energyJ * p.runtimeS,
        p === leastEnergy ? "sweet spot" : front.includes(p) ? "front" : "",
      ],
    ]),
  };
  const spot = leastEnergy === undefined ? "not known" : leastEnergy.label;
  const notes = [
    leastEnergy === undefined ? "sweet spot: not known, no run has an energy" : (
      `sweet spot: ${spot}, ${withDeviation(leastEnergy.energyJ, 0, "J")} over ` +
      `${withDeviation(leastEnergy.runtimeS, 0, "s")}`
    ),
    ...(leastEnergy === undefined || points.some(({ runs }) => runs > 1) ? [] : [
      "one run per setting: the variation between runs is not known. More runs may change the sweet spot",
    ]),
    ...(alike.length === 0 ? [] : [
      `perhaps as little energy: ${alike.map(({ label }) => label).join(", ")} (less than 2 ` +
      "standard errors above the sweet spot). Make more runs to decide",
    ]),
    ...(leastTime === undefined || leastTime === leastEnergy
      ? []
      : [`fastest: ${leastTime.label}`]),
    ...(leastProduct === undefined || leastProduct === leastEnergy
      ? []
      : [`minimum energy-delay product: ${leastProduct.label}`]),
  ];
  const x = points.map((p) => p.runtimeS);
  const y = points.map((p) => p.energyJ);
  const panel: Panel = {
    title: `Energy against runtime (sweet spot: ${spot})`,
    xTitle: "runtime (s)",
    yTitle: "energy (J)",
    fromZero: false,
    series: [
      { name: "in their order", kind: "line", x, y, colour: 5 },
      {
        name: "settings",
        kind: "points",
        x,
        y,
        // A whole command line would cover its neighbours.
        labels: points.map((p) => p.label.length > 12 ? String(p.value) : p.label),
        xError: points.map((p) => p.runtimeDeviationS),
        yError: points.map((p) => p.energyDeviationJ),
      },
    ],
  };
  return { tables: [table], panels: [panel], notes };
}

/** Counters as pat_report prints them. */
export function craypatView(counters: readonly CraypatCounter[]): View {
  const table: Table = {
    title: "Table 1:  Program HW Performance Counter Data\n",
    columns: columnsOf("counter", { name: "value", decimals: 3 }, "unit", "aggregation"),
    rows: counters.map((c) => [c.name, c.value, c.unit, c.aggregation]),
  };
  return { tables: [table], panels: [], notes: [] };
}

function groupsOf(run: Run, quantity: Quantity) {
  return groupOutliers(valuesOf(run, quantity), run.steps.map((step) => step.step));
}

function groupNotes(run: Run, quantity: Quantity): string[] {
  return groupsOf(run, quantity).groups.map(({ count, factor, every, sum }) => {
    const regular = every > 0 ? `, every ${every} steps` : "";
    const total = withDeviation(sum, 0, QUANTITIES[quantity].unit);
    const more = quantity === "power" ? regular : `${regular}, ${total} in all`;
    const size = `${figures(factor, 3)} times the usual ${quantity}`;
    return `${run.name}: ${count} outliers with ${size}${more}`;
  });
}

/** Meaning of two columns of the table of steps. */
const STEP_COLUMNS = [
  "factor: mean of the group divided by the mean of the body",
  "every: number of steps from one step of the group to the next",
];

/** An edge of a bin without the last digits of its sum, 80.65 for 80.64999999999999. */
function shortEdge(value: number): number {
  return Number(value.toPrecision(12));
}
