/**
 * `--cali`, `--cali-config` and `CALI_` variables: Caliper's channels of a run.
 * @module
 */
import { contextReplay, contextRun } from "../../caliper/channels/request.ts";
import type { OptionValues } from "../../core/option.ts";
import { BESIDE_REPORT, timelinePath } from "../../job/place/part_files.ts";
import { isWrittenInto, placeOf } from "../../os/output_place.ts";
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
    : contextReplay(request, site);
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
      return { paths: tracker.paths, energies, isFolded };
    };
    const place = { ...own, treeSource };
    const recorder = run.begin(tracker, place);
    run.attach(batch, table, topology);
    return {
      events: recorder,
      order: run.order,
      sample: (timeS) => recorder.samples(timeS, batch),
      flush: () => run.flush(),
      finish: () => run.finish(),
    };
  };
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
