/**
 * The files that grow while a run goes on: trace, event log, recording. One that cannot be made or
 * written is told in one line, and the run goes on without it.
 * @module
 */
import type { PlatformTopology } from "../core/topology.ts";
import type { LineSink } from "../formats/trace/header.ts";
import type { RunFiles } from "../job/run_names.ts";
import type { RegionTracker } from "../regions/tracker.ts";
import { makeDirectories } from "../os/user_file.ts";
import type { Batch } from "../signals/batch.ts";
import { LineFile } from "../files/line_file.ts";
import { unwritable, writeDocument } from "../files/whole_file.ts";
import { RecordingWriter, recordingYaml } from "../recordings/recording.ts";

/** What the files are named after. */
export type StreamOptions =
  & Pick<RunFiles, "tracePath" | "eventLogPath" | "recordPath" | "hostSuffix">
  & { readonly profile: string };

/** The files that grow. */
export interface Streams {
  readonly trace?: LineSink;
  readonly eventLog?: LineSink;
  readonly recorder?: RecordingWriter;
  /** Writes what the recording is about; the engine has pushed all its signals. */
  describe(batch: Batch, startTime: string, topology: PlatformTopology): void;
  flush(): void;
  [Symbol.dispose](): void;
}

/** Opens what was asked for. */
export function openStreams(
  request: StreamOptions,
  host: string,
  tracker: RegionTracker,
  tell: (line: string) => void,
): Streams {
  const files: LineFile[] = [];
  const open = (path: string | undefined): LineFile | undefined => {
    if (path === undefined) return undefined;
    try {
      const file = new LineFile(path, tell);
      files.push(file);
      return file;
    } catch (error) {
      tell(`${(error as Error).message}; the command runs without it`);
      return undefined;
    }
  };
  const named = (path: string | undefined, suffix: boolean) => {
    return path === undefined || !suffix ? path : `${path}-${host}`;
  };
  const trace = open(named(request.tracePath, request.hostSuffix.trace));
  const eventLog = open(named(request.eventLogPath, request.hostSuffix.eventLog));
  const recorder = recording(request.recordPath, tracker, open, tell);
  return {
    trace,
    eventLog,
    recorder,
    describe(batch, startTime, topology) {
      if (recorder === undefined) return;
      const about = {
        host,
        profile: request.profile,
        agent: "monitor",
        startTime,
        topology,
      };
      try {
        writeDocument(`${request.recordPath}/recording.yaml`, recordingYaml(about, batch));
      } catch (error) {
        tell((error as Error).message);
      }
    },
    flush() {
      for (const file of files) file.flush();
    },
    [Symbol.dispose]() {
      for (const file of files) file[Symbol.dispose]();
    },
  };
}

function recording(
  path: string | undefined,
  tracker: RegionTracker,
  open: (path: string) => LineFile | undefined,
  tell: (line: string) => void,
): RecordingWriter | undefined {
  if (path === undefined) return undefined;
  try {
    makeDirectories(path);
  } catch (error) {
    tell(`${unwritable(path, error).message}; nothing is recorded`);
    return undefined;
  }
  const events = open(`${path}/events.csv`);
  const samples = open(`${path}/samples.csv`);
  if (events === undefined || samples === undefined) return undefined;
  return new RecordingWriter(events, samples, {
    regionName: (handle) => tracker.table.name(handle),
    pid: (handle) => tracker.process(handle).pid,
  });
}
