/**
 * The embedded simulated node beside a run: a live tree in the run's private directory whose
 * counters follow the application's own regions. Nothing read from it is a measurement.
 * @module
 */
import { messageFor, unusable } from "../../core/errors.ts";
import type { PlatformTopology } from "../../core/machine/topology.ts";
import { ROOT } from "../../core/path_stats.ts";
import { realtimeNanoseconds } from "../../os/clock.ts";
import { removeTree } from "../../os/files.ts";
import { WholeFile } from "../../os/files/whole_file.ts";
import { MachineHost } from "../../os/host.ts";
import { cString, libc } from "../../os/libc.ts";
import { readTextSoon } from "../../os/user_file.ts";
import { type ThreadPlace, threadPlace } from "../../os/process.ts";
import type { LaneListener } from "../../marks/tracker/lanes.ts";
import type { RegionTracker } from "../../marks/tracker/tracker.ts";
import { LanePlaces } from "../../sources/sim/lane_places.ts";
import { SimulatedNode } from "../../sources/sim/simulated_node.ts";
import { parseSimSpec, presetSpec, type SimSpec } from "../../sources/sim/spec.ts";
import type { SimTruth } from "../../sources/sim/truth.ts";
import type { Catalogue } from "../../sources/signals/catalogue.ts";
import { hasEnergy } from "./node.ts";
import type { RunRequest } from "../request/request.ts";
import { DirectoryTreeWriter } from "../../sources/sim/run_tree_writer.ts";

/** A simulated node beside a run. */
export interface Simulation {
  readonly host: MachineHost;
  /** Nobody but this node sees the application's marks. */
  readonly isBlind: boolean;
  /** The file that gets the exact energies at the end. */
  readonly truthPath: string | undefined;
  /**
   * The threads of a tracker set the power.
   *
   * @param counted Calls back, and counts the time as the simulation's.
   */
  follow(tracker: RegionTracker, counted: (work: () => void) => void): void;
  /** Brings every counter to its value at a moment, ns since the origin. */
  publish(timeNs: number): void;
  [Symbol.dispose](): void;
}

/** Choices of the caller of {@linkcode simulationFor}. */
export interface SimulationOptions {
  /** The node's catalogue if a blind node may be replaced. */
  blindCatalogue(): Catalogue | undefined;
  /** Logs one line for the user. */
  log(line: string): void;
}

/** Most threads that are looked at before a sample; of more, others each time. */
const MAX_LOOKED = 64;

/** Counters of a stand-in: both kinds, so that every field of the report has something to show. */
const STAND_IN = "both";

/**
 * The simulation, if it was requested, or if the node has no counters and simulation is allowed.
 *
 * @param directory The run's private directory.
 * @throws {UsageError | FormatError} If the description cannot be read.
 */
export function simulationFor(
  request: Pick<RunRequest, "simulate">,
  directory: string,
  machine: MachineHost,
  { blindCatalogue, log }: SimulationOptions,
): Simulation | undefined {
  if (request.simulate === undefined) {
    const catalogue = blindCatalogue();
    if (catalogue === undefined || hasEnergy(catalogue)) return undefined;
  }
  const spec = specFor(request.simulate ?? "", machine.topology);
  const root = `${directory}-node`;
  libc().mkdir(cString(root), 0o700);
  const writer = new DirectoryTreeWriter(root);
  const wallUs = Number(realtimeNanoseconds() / 1000n);
  const node = new SimulatedNode(spec, writer, { startNs: 0, wallUs });
  try {
    node.layOut();
  } catch (error) {
    // No room in the memory file system: the command runs all the same, without the simulation.
    writer[Symbol.dispose]();
    removeTree(root);
    log(`${messageFor(error)}. The command runs without the simulated node`);
    return undefined;
  }
  const places = new LanePlaces(
    node.cpus,
    (timeNs, cpu, { name, hint }) => node.edge(timeNs, cpu, name, hint),
  );
  const threads = new Map<number, LaneThread>();
  let first = 0;
  return {
    host: new MachineHost(root),
    isBlind: spec.blind === true,
    truthPath: spec.truth,
    follow(tracker, counted) {
      tracker.lanes.push(followerOf(tracker, places, threads, counted));
    },
    publish(timeNs) {
      const lanes = places.shared(), seen = new Map<number, ThreadPlace>();
      for (let k = 0; k < Math.min(lanes.length, MAX_LOOKED); k++) {
        const lane = lanes[(first + k) % lanes.length], { process, thread } = threads.get(lane)!;
        const place = threadPlace(process.pid, thread);
        if (place !== undefined) seen.set(lane, { ...place, cpu: place.cpu % node.cpus });
      }
      first += MAX_LOOKED;
      if (lanes.length > 0) places.look(timeNs, seen);
      node.publish(timeNs);
    },
    [Symbol.dispose]() {
      if (spec.truth !== undefined) writeTruth(spec.truth, node.truth(), log);
      writer[Symbol.dispose]();
      removeTree(root);
    },
  };
}

/** The thread that a lane stands for. */
interface LaneThread {
  readonly process: ReturnType<RegionTracker["process"]>;
  readonly thread: number;
}

/** Puts the lanes of a tracker on CPUs. */
function followerOf(
  tracker: RegionTracker,
  places: LanePlaces,
  threads: Map<number, LaneThread>,
  counted: (work: () => void) => void,
): LaneListener {
  return {
    live(timeS, lane, cpus, thread, process) {
      threads.set(lane, { process: tracker.process(process), thread });
      counted(() => places.live(timeS * 1e9, lane, cpus));
    },
    move(timeS, lane, path, cpu) {
      const name = path === ROOT ? undefined : tracker.paths.name(path);
      const hint = name === undefined
        ? undefined
        : threads.get(lane)!.process.hintOf(tracker.table.find(name));
      counted(() => places.move(timeS * 1e9, lane, { name, hint }, cpu));
    },
    end(timeS, lane) {
      threads.delete(lane);
      counted(() => places.end(timeS * 1e9, lane));
    },
  };
}

/** Exact energies as JSON; a file that cannot be written is named in one line. */
function writeTruth(path: string, truth: SimTruth, log: (line: string) => void): void {
  try {
    using file = new WholeFile(path);
    const asObject = (_: string, value: unknown) =>
      value instanceof Map ? Object.fromEntries(value) : value;
    file.write(JSON.stringify(truth, asObject, 1) + "\n");
    file.keep();
  } catch (error) {
    log((error as Error).message);
  }
}

/** A preset's name, a JSON file, or nothing for the stand-in. */
function specFor(text: string, topology: PlatformTopology): SimSpec {
  const cpus = topology.count("cpu");
  // JOULEMARK_SIMULATE=1 is how people switch a thing on.
  if (text === "" || text === "1") return presetSpec(STAND_IN, cpus);
  if (text === "rapl" || text === "cray" || text === "both") return presetSpec(text, cpus);
  const described = "rapl, cray, both, or a JSON file that describes a node";
  const tried = <T>(expected: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      const found = (error as Error).message;
      throw unusable(`--simulate=${text}`, expected, found, `Use ${described}`);
    }
  };
  const content = tried(described, () => readTextSoon(text));
  const data: unknown = tried("JSON", () => JSON.parse(content));
  const spec = parseSimSpec(data, text, cpus);
  const count = spec.packages * spec.coresPerPackage * spec.threadsPerCore;
  if (count >= cpus) return spec;
  // The application runs on this machine's CPUs; on one that is not in the description it would be lost.
  throw unusable(
    `--simulate=${text}`,
    `a node with at least the ${cpus} CPUs of this machine`,
    `packages × coresPerPackage × threadsPerCore = ${count}`,
  );
}
