/**
 * `--counters`, or CrayPat's PAT_RT_PERFCTR: figures of counters by node, one for each instance, from
 * which `pmc --summary craypat` makes pat_report's table. M. Bareford (2015), section 2.
 *
 * What grows is reported as its growth while the application ran, what varies as its maximum, what
 * is constant as its value.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import type { Nested } from "../../core/report.ts";
import type { Behavior } from "../../core/signal.ts";
import { messageFor } from "../../core/errors.ts";
import { signalOf } from "../../sources/signals/batch.ts";
import type { Opener, OpenOutput, OutputSite } from "./output.ts";
import type { RunView } from "./run_view.ts";

interface Counter {
  readonly name: string;
  readonly unit: string;
  readonly behavior: Behavior;
  /** By instance of its domain. */
  readonly handles: readonly number[];
  /** First and last value, maximum value. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  readonly most: Float64Array;
}

/** The counters of `--counters` or PAT_RT_PERFCTR. */
export function makeCounters(values: OptionValues, site: OutputSite): Opener {
  const given = values.get("counters")!;
  // A job script may break the list into lines, and may name what this node's CrayPat has.
  const names = given.text.split(/[\s,/\\]+/).filter((name) => name !== "");
  return (run) => {
    const counters: Counter[] = [];
    for (const name of names) {
      try {
        const counter = counterOf(run, name);
        if (counter.handles.length > 0) counters.push(counter);
        else site.log(`${given.name}: no ${name} on this node`);
      } catch (error) {
        // A mistake in our own request is one; in what was meant for CrayPat it stops nothing.
        if (given.origin === "flag" || given.origin === "joulemark") throw error;
        site.log(`${given.name}: ${messageFor(error, false)}. This counter is left out`);
      }
    }
    return figuresOf(run, counters);
  };
}

function counterOf({ batch, table, topology }: RunView, name: string): Counter {
  const domain = batch.nativeDomain(name);
  const behavior = batch.behavior(name);
  const signal = signalOf(table, name);
  const instances = signal === undefined ? 0 : topology.count(domain);
  const handles = Array.from({ length: instances }, (_, i) => batch.pushSignal(name, domain, i));
  const row = () => new Float64Array(handles.length).fill(NaN);
  const unit = signal?.row.unit ?? "";
  return { name, unit, behavior, handles, first: row(), last: row(), most: row() };
}

/** Continues the counters with each sample. */
function figuresOf({ batch }: RunView, counters: readonly Counter[]): OpenOutput {
  return {
    asked: counters.map(({ name }) => name),
    sample() {
      for (const { handles, first, last, most } of counters) {
        for (let i = 0; i < handles.length; i++) {
          const value = batch.sample(handles[i]);
          if (value !== value) continue;
          if (first[i] !== first[i]) first[i] = value;
          last[i] = value;
          if (!(most[i] >= value)) most[i] = value;
        }
      }
    },
    restart() {
      for (const { first, last, most } of counters) {
        for (const row of [first, last, most]) row.fill(NaN);
      }
    },
    addTo(host) {
      const figures: { [key: string]: Nested } = {};
      for (const { name, unit, behavior, first, last, most } of counters) {
        const each = behavior === "monotone"
          ? last.map((value, i) => value - first[i])
          : behavior === "variable"
          ? most
          : last;
        figures[name] = { ...(unit === "" ? {} : { unit }), each: [...each] };
      }
      host.joulemark = { ...host.joulemark, counters: figures };
    },
  };
}
