/**
 * `--html`: one page of the run, or of its job. docs/how-to/show-results.md.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { suffixedPath } from "../../job/place/claim.ts";
import { TIMELINE } from "../../job/place/part_files.ts";
import { mergedReport } from "../../job/place/read_runs.ts";
import { readReport } from "../../job/merge/read_report.ts";
import type { PageData } from "../../show/page/data.ts";
import { loadDeflate } from "../../show/page/deflate.ts";
import { pageHtml } from "../../show/page/html.ts";
import { timelinesIn } from "../../show/page/job_timelines.ts";
import { reportPage } from "../../show/page/page.ts";
import type { MakeOpener, Opener, OutputSite } from "./output.ts";

/** The page of `--html`, with what a large one is compressed by. */
export async function loadHtml(): Promise<MakeOpener> {
  await loadDeflate();
  return makeHtml;
}

function makeHtml(values: OptionValues, site: OutputSite): Opener {
  const value = values.get("html")!;
  const path = site.nameOf(value), { part } = site;
  const jobPath = suffixedPath(value.text, part?.suffix ?? "");
  if (part !== undefined) site.willWrite?.(jobPath);
  const pagePath = part === undefined ? path : jobPath;
  let isFailed = false;
  const write = (make: () => PageData) => {
    try {
      writeDocument(pagePath, pageHtml(make()));
    } catch (error) {
      isFailed = true;
      site.log((error as Error).message);
    }
  };
  return (run) => {
    part?.onMerge.push((read, complete) => write(() => jobPage(read, complete)));
    return {
      get pagePath() {
        return isFailed ? undefined : pagePath;
      },
      document(report, { rankOf }) {
        if (part !== undefined) return;
        const timeline = run.timeline(report, rankOf);
        write(() => reportPage(report, timeline === undefined ? [] : [timeline]));
      },
    };
  };
}

/** The page of a job, made by each node that finds others done before it. */
function jobPage(read: (name: string) => Iterable<string>, complete: boolean): PageData {
  const reads = [...read("report")].map((text, i) => readReport(text, `part ${i + 1}`));
  const report = mergedReport(
    "the parts",
    reads,
    complete ? {} : { incomplete: "without nodes that are not done" },
  );
  return reportPage(report, timelinesIn(read(TIMELINE)));
}
