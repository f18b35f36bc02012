/**
 * `--openmetrics`, `--otlp` and `--metrics`: figures of a run for monitoring systems, as files and live.
 * docs/how-to/viewers.md.
 * @module
 */
import { keySignal } from "../../energy/totals/report_signals.ts";
import type { OptionValue, OptionValues } from "../../core/option.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import {
  type MetricFamily,
  openMetricsText,
  otlpJson,
  prometheusText,
} from "../../formats/metrics.ts";
import { reportMetrics } from "../../formats/report_metrics.ts";
import { pushQuantities, type Quantity } from "../../sources/signals/quantities.ts";
import { MetricsServer } from "./metrics_server.ts";
import { parseMetricsAddress } from "./metrics_address.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";
import type { RunView } from "./run_view.ts";

/** node_exporter's textfile collector takes files of this name, in Prometheus' own format. */
const TEXTFILE = ".prom";

/** The files of `--openmetrics` and `--otlp`. */
export function makeMetricFiles(values: OptionValues, site: OutputSite): Opener {
  return (run) => {
    const metrics = new RunMetrics(run);
    const openPath = pathOf("openmetrics", values, site), otlpPath = pathOf("otlp", values, site);
    const failed = new Set<string>();
    const write = (path: string | undefined, make: (path: string) => string) => {
      if (path === undefined) return;
      try {
        if (site.isLive) writeDocument(path, make(path));
        else site.lines(path)?.write(make(path));
      } catch (error) {
        if (!failed.has(path)) site.log((error as Error).message);
        failed.add(path);
      }
    };
    const writeOpen = () =>
      write(openPath, (path) => {
        return (path.endsWith(TEXTFILE) ? prometheusText : openMetricsText)(metrics.families());
      });
    return {
      sample: (timeS) => void (metrics.timeS = timeS),
      flush() {
        // What is left of a run that is killed; a replay writes at its end.
        if (site.isLive && run.steps > 0) writeOpen();
      },
      finish() {
        metrics.hasEnded = true;
        writeOpen();
        write(otlpPath, () => otlpOf(metrics, run, site.zeroS()));
      },
    };
  };
}

/** The address of `--metrics`. */
export function makeLiveMetrics(values: OptionValues, site: OutputSite): Opener {
  return (run) => openLive(run, values.get("metrics")!, site);
}

/** Metrics of a run for monitoring. */
class RunMetrics {
  /** Time of the last sample, s. */
  timeS = 0;
  hasEnded = false;
  readonly #run: RunView;
  readonly #quantities: readonly Quantity[];

  constructor(run: RunView) {
    this.#run = run;
    const { table, topology, batch } = run;
    this.#quantities = pushQuantities(batch, { table, count: (domain) => topology.count(domain) });
  }

  families(): MetricFamily[] {
    const { host, header, table, batch } = this.#run;
    const isKnown = (key: string) => {
      const signal = keySignal(key);
      return signal === undefined || table.resolve(signal).kind !== "absent";
    };
    const isSimulated = this.#quantities.some(({ quality }) => quality === "simulated");
    const counters = isSimulated ? "simulated" : "node";
    const up: MetricFamily = {
      name: "joulemark_run_up",
      unit: "",
      kind: "gauge",
      help: "1 while the run goes on, 0 when it has ended",
      samples: [{
        labels: { host, profile: header.profile, version: header.version, counters },
        value: this.hasEnded ? 0 : 1,
      }],
    };
    const duration: MetricFamily = {
      name: "joulemark_run_duration",
      unit: "s",
      kind: "gauge",
      help: "Time since the run began",
      samples: [{ labels: { host }, value: this.timeS }],
    };
    const node = nodeMetrics(this.#quantities, host, (handle) => batch.shown(handle));
    const report = this.#run.report({ partial: !this.hasEnded });
    return [up, duration, ...node, ...reportMetrics(report, isKnown)];
  }
}

function otlpOf(metrics: RunMetrics, run: RunView, startS: number): string {
  const { host, profile, version } = run.header;
  return otlpJson(metrics.families(), {
    version: version.replace(/^.*joulemark\./, ""),
    resource: { "service.name": "joulemark", "host.name": host, "joulemark.profile": profile },
    startS,
    timeS: startS + metrics.timeS,
  });
}

function openLive(run: RunView, value: OptionValue, site: OutputSite): OpenOutput | undefined {
  const metrics = new RunMetrics(run);
  const address = parseMetricsAddress(value.text);
  let server: MetricsServer;
  try {
    server = new MetricsServer(
      // Of a shared directory each node has its own socket.
      typeof address === "string" ? site.nameOf({ ...value, text: address }) : address,
      value.text,
      (isOpen) => (isOpen ? openMetricsText : prometheusText)(metrics.families()),
    );
  } catch (error) {
    site.log(
      `${
        (error as Error).message
      }. The command runs anyway, but Prometheus cannot read its metrics`,
    );
    return undefined;
  }
  return {
    sample(timeS) {
      metrics.timeS = timeS;
      server.serve(timeS);
    },
    idle: (timeS) => server.serve(timeS),
    finish() {
      metrics.hasEnded = true;
      server.finish(metrics.timeS);
      server[Symbol.dispose]();
    },
  };
}

/** The node's own quantities as metrics, with how each value comes about. */
export function nodeMetrics(
  quantities: readonly Quantity[],
  host: string,
  sample: (handle: number) => number,
): MetricFamily[] {
  return quantities.map(({ name, unit, kind, title, domain, handles, quality }) => ({
    name: `joulemark_node_${name}`,
    unit,
    kind,
    help: `${title} of the node, by ${domain}`,
    samples: handles.map((handle, index) => {
      return { labels: { host, domain, index: String(index), quality }, value: sample(handle) };
    }),
  }));
}

function pathOf(option: string, values: OptionValues, site: OutputSite): string | undefined {
  const value = values.get(option);
  if (value === undefined) return undefined;
  const isTextfile = value.text.endsWith(TEXTFILE);
  const text = isTextfile ? value.text.slice(0, -TEXTFILE.length) : value.text;
  return site.nameOf({ ...value, text }) + (isTextfile ? TEXTFILE : "");
}
