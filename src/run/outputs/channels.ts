/**
 * `--cali`, `--cali-config` and `CALI_` variables: Caliper's channels of a run.
 * @module
 */
import { contextReplay, contextRun, requestedSamplesHz } from "../../caliper/channels/request.ts";
import type { OptionValue, OptionValues } from "../../core/option.ts";
import { BESIDE_REPORT, timelinePath } from "../../job/place/part_files.ts";
import { isWrittenInto, placeOf } from "../../os/output_place.ts";
import { DEFAULT_HZ, HZ_MOST } from "./function_options.ts";
import type { Opener, OutputSite } from "./output.ts";

/** The channels that were asked for. @param made Options whose values are files that a run makes. */
export function makeChannels(
  values: OptionValues,
  site: OutputSite,
  made: readonly string[],
): Opener {
  const request = {
    caliPath: values.get("cali")?.text,
    caliConfig: values.get("cali-config")?.text,
    whoseIs: (path: string) => whoseIs(path, values, made, site.reportPath),
  };
  const run = site.isLive
    ? contextRun({ ...request, command: site.command }, Deno.env.toObject(), site)
    : contextReplay(request, site, site.ranks);
  return (view) => {
    const { tracker, batch, table, topology, host } = view;
    const own = site.part !== undefined
      ? { host, part: site.part }
      : site.hostSuffix === undefined
      ? {}
      : { host: site.hostSuffix };
    const treeSource = () => {
      const { energies } = view;
      if (energies === undefined) return undefined;
      const isFolded = (path: number) => tracker.regionPaths.isFolded(path);
      return { paths: tracker.paths, energies, tree: view.tree(), isFolded };
    };
    const place = { ...own, treeSource };
    const recorder = run.begin(tracker, place);
    run.attach(batch, table, topology, view.sampledFunctions);
    return {
      events: recorder,
      order: run.order,
      sample: (timeS) => recorder.samples(timeS, batch),
      flush: () => run.flush(),
      finish: () => run.finish(),
    };
  };
}

/**
 * Makes samples of functions for channels that take samples, as `--functions` does.
 *
 * @param values The option is set there.
 * @param env Caliper's variables; absent: a replay, where they do not count.
 */
export function askFunctions(
  values: Map<string, OptionValue>,
  env: Readonly<Record<string, string>> | undefined,
  log: (line: string) => void,
): void {
  const request = {
    caliPath: values.get("cali")?.text,
    caliConfig: values.get("cali-config")?.text,
  };
  const hz = Math.min(HZ_MOST, requestedSamplesHz(request, env)), given = values.get("functions");
  if (hz === 0) return;
  const givenHz = given?.text === "" ? DEFAULT_HZ : Number(given?.text ?? 0);
  if (!(givenHz < hz)) return;
  if (given !== undefined && given.text !== "") {
    log(`functions are sampled ${hz} times per second, as Caliper's sampler requests`);
  }
  values.set("functions", { text: String(hz), origin: "flag", name: "--functions" });
}

/** The output that has a path already: the name of its option, or what it is. */
function whoseIs(
  path: string,
  values: OptionValues,
  made: readonly string[],
  reportPath: string | undefined,
): string | undefined {
  if (path === "" || isWrittenInto(path)) return undefined;
  const place = placeOf(path), isAt = (other: string) => other !== "" && placeOf(other) === place;
  const option = made.find((name) => isAt(values.get(name)?.text ?? ""));
  if (option !== undefined) return values.get(option)!.name;
  if (reportPath === undefined || isWrittenInto(reportPath)) return undefined;
  if (isAt(reportPath)) return "the report";
  const hasTimeline = !values.has("no-timeline") && isAt(timelinePath(reportPath));
  return hasTimeline ? BESIDE_REPORT : undefined;
}
