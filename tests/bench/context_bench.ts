/**
 * Events through the channels of a run: marks of a ring to a `.cali` stream, and to rows. Each round is
 * a step with its marks: nested regions, iterations, two processes of two threads.
 *
 * Run: `deno bench -A --config CONFIG tests/bench/context_bench.ts`; EVENTS over the time of a round
 * is the rate.
 */
import { TYPE } from "../../src/core/events/ring_layout.ts";
import { Channel } from "../../src/caliper/model/services/channel.ts";
import { CaliStream } from "../../src/caliper/model/services/recorder.ts";
import { ContextNode } from "../caliper/channels/_node.ts";

const REGIONS = ["main", "solve", "assemble", "exchange", "precondition", "residual"];
/** asvalue, thread scope. */
const ITERATION = 1 | 20;
/** Marks a round. */
export const EVENTS = 10_000;

/** A node with channels, and what tells it one more round. */
function prepared(variables: Record<string, string>, streams: boolean) {
  let bytes = 0;
  const node = new ContextNode([variables], {
    value: (_name, instance, timeS) => 100 * timeS * (instance + 1),
    make(config, options) {
      if (!streams) return new Channel(config, options);
      const made: { stream?: CaliStream } = {};
      const channel = new Channel(config, {
        ...options,
        stream: (record) => made.stream!.record(record),
      });
      made.stream = new CaliStream(channel.tree, (line) => bytes += line.length);
      return channel;
    },
  });
  let timeS = 0, iteration = 0;
  const processes = [node.start(0, 100, [0, 1]), node.start(0, 101, [2, 3])];
  node.step(0);
  const handles = REGIONS.map((name) => node.region(name));
  const round = () => {
    const { calls } = node;
    let told = 0;
    for (let lap = 0; told < EVENTS; lap++) {
      const process = processes[lap & 1], thread = (lap & 2) === 0 ? 0 : process + 1000;
      const at = () => timeS += 1e-6;
      calls.at(lap & 3);
      node.attribute(at(), process, "begin", "iteration#loop", iteration++ & 1023, {
        type: TYPE.int,
        properties: ITERATION,
        thread,
      });
      for (const region of handles) calls.enter(at(), process, region, 0, thread);
      for (let i = handles.length; i > 0; i--) calls.exit(at(), process, handles[i - 1], thread);
      node.attribute(at(), process, "end", "iteration#loop", "", { thread });
      told += 2 * handles.length + 2;
    }
    node.step(timeS);
  };
  for (let i = 0; i < 3; i++) round();
  return { round, bytes: () => bytes, rows: () => streams ? 0 : node.records().length };
}

const CASES: [name: string, services: string, streams: boolean][] = [
  ["event-trace into a stream", "event,timer,trace,recorder", true],
  ["event-trace with energies into a stream", "event,timer,joulemark,trace,recorder", true],
  ["aggregate", "event,timer,aggregate,recorder", false],
  ["aggregate with energies", "event,timer,joulemark,aggregate,recorder", false],
];

for (const [name, services, streams] of CASES) {
  const { round } = prepared({
    CALI_SERVICES_ENABLE: services,
    CALI_JOULEMARK_SIGNALS: "CPU_ENERGY,BOARD_ENERGY",
  }, streams);
  Deno.bench(`${EVENTS} events: ${name}`, round);
}
