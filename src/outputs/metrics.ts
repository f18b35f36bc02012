/**
 * `--openmetrics`, `--otlp` and `--metrics`: figures of a run for monitoring systems, as files and live.
 * docs/viewers.md.
 * @module
 */
import { keySignal } from "../aggregate/report_signals.ts";
import type { OptionValue, OptionValues } from "../core/option.ts";
import { writeDocument } from "../files/whole_file.ts";
import {
  type MetricFamily,
  openMetricsText,
  otlpJson,
  prometheusText,
} from "../formats/metrics.ts";
import { reportMetrics } from "../formats/report_metrics.ts";
import { pushQuantities, type Quantity } from "../signals/quantities.ts";
import { MetricsServer } from "./metrics_server.ts";
import { parseMetricsAddress } from "./metrics_address.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";
import type { RunView } from "./run_view.ts";

/** node_exporter's textfile collector takes files of this name, in Prometheus' own format. */
const TEXTFILE = ".prom";

/** The files of `--openmetrics` and `--otlp`. */
export function makeMetricFiles(values: OptionValues, site: OutputSite): Opener {
  return (run) => new MetricFiles(run, values, site);
}

/** The address of `--metrics`. */
export function makeLiveMetrics(values: OptionValues, site: OutputSite): Opener {
  return (run) => openLive(run, values.get("metrics")!, site);
}

/** What a run shows to monitoring. */
class RunMetrics {
  /** Of the last sample. */
  timeS = 0;
  hasEnded = false;
  readonly #run: RunView;
  readonly #quantities: readonly Quantity[];

  constructor(run: RunView) {
    this.#run = run;
    const { table, topology, batch } = run;
    this.#quantities = pushQuantities(batch, { table, count: (domain) => topology.count(domain) });
  }

  get #counters(): string {
    return this.#quantities.some(({ quality }) => quality === "simulated") ? "simulated" : "node";
  }

  families(): MetricFamily[] {
    const { host, header, table, batch } = this.#run;
    const isKnown = (key: string) => {
      const signal = keySignal(key);
      return signal === undefined || table.resolve(signal).kind !== "absent";
    };
    const up: MetricFamily = {
      ...{ name: "joulemark_run_up", unit: "", kind: "gauge" },
      help: "1 while the run goes on, 0 when it has ended",
      samples: [{
        labels: {
          host,
          profile: header.profile,
          version: header.version,
          counters: this.#counters,
        },
        value: this.hasEnded ? 0 : 1,
      }],
    };
    const duration: MetricFamily = {
      ...{ name: "joulemark_run_duration", unit: "s", kind: "gauge" },
      help: "Time since the run began",
      samples: [{ labels: { host }, value: this.timeS }],
    };
    const node = nodeMetrics(this.#quantities, host, (handle) => batch.sample(handle));
    const report = this.#run.report({ partial: !this.hasEnded });
    return [up, duration, ...node, ...reportMetrics(report, isKnown)];
  }
}

class MetricFiles implements OpenOutput {
  readonly #run: RunView;
  readonly #site: OutputSite;
  readonly #metrics: RunMetrics;
  readonly #openPath: string | undefined;
  readonly #otlpPath: string | undefined;
  #failed = false;

  constructor(run: RunView, values: OptionValues, site: OutputSite) {
    this.#run = run;
    this.#site = site;
    this.#metrics = new RunMetrics(run);
    this.#openPath = pathOf("openmetrics", values, site);
    this.#otlpPath = pathOf("otlp", values, site);
  }

  sample(timeS: number): void {
    this.#metrics.timeS = timeS;
  }

  flush(): void {
    // What is left of a run that is killed; a replay writes at its end.
    if (this.#site.isLive && this.#run.steps > 0) this.#write(this.#openPath, () => this.#text());
  }

  finish(): void {
    this.#metrics.hasEnded = true;
    this.#write(this.#openPath, () => this.#text());
    this.#write(this.#otlpPath, () => this.#otlp());
  }

  #text(): string {
    const print = this.#openPath!.endsWith(TEXTFILE) ? prometheusText : openMetricsText;
    return print(this.#metrics.families());
  }

  #otlp(): string {
    const { host, profile, version } = this.#run.header;
    const startS = this.#site.zeroS();
    return otlpJson(this.#metrics.families(), {
      version: version.replace(/^.*joulemark\./, ""),
      resource: { "service.name": "joulemark", "host.name": host, "joulemark.profile": profile },
      startS,
      timeS: startS + this.#metrics.timeS,
    });
  }

  #write(path: string | undefined, make: () => string): void {
    if (path === undefined) return;
    try {
      if (this.#site.isLive) writeDocument(path, make());
      else this.#site.lines(path)?.write(make());
    } catch (error) {
      if (!this.#failed) this.#site.tell((error as Error).message);
      this.#failed = true;
    }
  }
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
    site.tell(`${(error as Error).message}; the command runs, and its metrics cannot be scraped`);
    return undefined;
  }
  return {
    sample(timeS) {
      metrics.timeS = timeS;
      server.serve(timeS);
    },
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
    ...{ name: `joulemark_node_${name}`, unit, kind },
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
