/**
 * `--record`: events and samples as they were, for replays. docs/reference/formats/recording.md.
 * @module
 */
import type { OptionValues } from "../../core/option.ts";
import { unreadIn } from "../../core/job_totals.ts";
import { outcomeIn } from "../../formats/recording.ts";
import { writeDocument } from "../../os/files/whole_file.ts";
import { RecordingWriter, recordingYaml } from "../recordings/recording.ts";
import { asksFunctions } from "./function_options.ts";
import type { Opener, OutputSite } from "./output.ts";

/** The recording of `--record`. */
export function makeRecording(values: OptionValues, site: OutputSite): Opener {
  const path = site.nameOf(values.get("record")!);
  if (!site.makeDirectory(path)) return () => undefined;
  const events = site.lines(`${path}/events.csv`);
  const samples = site.lines(`${path}/samples.csv`);
  if (events === undefined || samples === undefined) return () => undefined;
  return (run) => {
    const { tracker, batch, host, topology, agent, policy } = run;
    const writer = new RecordingWriter(events, samples, {
      regionName: (handle) => tracker.table.name(handle),
      pid: (handle) => tracker.process(handle).pid,
      trackName: (handle) => tracker.tracks.name(handle),
      hasThread: (process, thread) => tracker.hasThread(process, thread),
      paths: tracker.paths,
    });
    let begun = false, outcome: ReturnType<typeof outcomeIn>;
    let unread: readonly string[] = [];
    const ranks: Record<string, string> = {};
    const describe = () => {
      const { profile, startTime } = run.header;
      const { hasTracks, hasThreadRows } = writer;
      const features = [
        ...asksFunctions(values) ? ["functions"] : [],
        ...hasThreadRows ? ["threads"] : [],
      ];
      const about = {
        host,
        profile,
        agent: agent.name,
        policy,
        startTime,
        topology,
        hasTracks,
        outcome,
        unread,
        ranks,
        features,
      };
      try {
        writeDocument(`${path}/recording.yaml`, recordingYaml(about, batch));
      } catch (error) {
        site.log((error as Error).message);
      }
    };
    writer.onChange = () => {
      if (begun) describe();
    };
    return {
      events: writer,
      order: "kept",
      begin() {
        begun = true;
        describe();
      },
      sample: (timeS) => writer.samples(timeS, batch),
      document({ joulemark, hosts: [own] }, { rankOf }) {
        outcome = outcomeIn(joulemark);
        unread = unreadIn(own);
        for (const { pid } of tracker.processes()) {
          const rank = rankOf(pid);
          if (rank !== undefined) ranks[pid] = rank;
        }
        if (outcome !== undefined) describe();
      },
    };
  };
}
