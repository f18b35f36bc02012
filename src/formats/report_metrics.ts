/**
 * A host's section of a report as metrics: one family a key, one sample a region.
 *
 * `package-energy (J)` becomes `joulemark_run_package_energy_joules_total`, the hints of GEOPM one
 * family with a label, signals that the user asked for one family each unit. Energies never fall while
 * a run goes on; times and counts are means over processes, which do where another process comes.
 * @module
 */
import type { ReportFields, ReportHost } from "../core/report.ts";
import type { MetricFamily } from "./metrics.ts";

/** Keys whose energies are estimates: they may fall. */
const ESTIMATED = /-(fit|fit-se|rest|net|idle)\b/;

/** Values of GEOPM's controller: its memory is in KiB behind a `B`, its traffic is never measured. */
const CONTROLLERS = /^geopmctl /;

/** Families of a host. @param isKnown False for keys whose source is absent: their zero is no value. */
export function reportMetrics(host: ReportHost, isKnown: (key: string) => boolean): MetricFamily[] {
  const families = new Map<string, MetricFamily>();
  const add = (fields: ReportFields | undefined, labels: Record<string, string>) => {
    for (const [key, value] of Object.entries(fields ?? {})) {
      if (typeof value !== "number" || CONTROLLERS.test(key) || !isKnown(key)) continue;
      const { name, unit, kind, help, more } = familyOf(key);
      families.getOrInsertComputed(
        `${name} ${unit}`,
        () => ({ name, unit, kind, help, samples: [] }),
      ).samples.push({ labels: { host: host.host, ...labels, ...more }, value });
    }
  };
  for (const { region, fields } of host.regions ?? []) add(fields, { section: "region", region });
  add(host.unmarked, { section: "unmarked" });
  add(host.epoch, { section: "epoch" });
  add(host.application, { section: "application" });
  return [...families.values()];
}

interface Named extends Omit<MetricFamily, "samples"> {
  readonly more: Record<string, string>;
}

const known = new Map<string, Named>();

function familyOf(key: string): Named {
  return known.getOrInsertComputed(key, () => namedBy(key));
}

function namedBy(key: string): Named {
  const [, text, unit = ""] = /^(.*?)(?: \(([^)]*)\))?$/.exec(key)!;
  const named = (name: string, help: string, more: Record<string, string> = {}): Named => {
    const kind = unit === "J" && !ESTIMATED.test(key) && !/^[A-Z]/.test(key) ? "counter" : "gauge";
    return { name: `joulemark_run_${name}`, unit, kind, help, more };
  };
  const hint = /^time-hint-(.*)$/.exec(text)?.[1];
  if (hint !== undefined) return named("hint", "Time in regions with a hint", { hint });
  if (/^[A-Z]/.test(text)) return named("signal", "A signal that was asked for", { signal: text });
  if (text === "count") return named("visits", "Visits of the region");
  const plain = text.replace(/^joulemark-/, "").replace(/[^A-Za-z0-9]+/g, "_").toLowerCase();
  return named(plain, `${key} of the report`);
}
