/**
 * Input of the job metrics: a few sums per node, gathered in one pass.
 *
 * Each type's columns feed named inputs; counters with control registers feed the input of the
 * event that they were programmed to count. An input that no line has fed is NaN, never zero.
 * @module
 */
import type { RawValues } from "../format/columns.ts";
import { parseRawUnit } from "../format/schema.ts";
import { AT_LEAST, type RawCounters, type RawType } from "./differ.ts";
import { eventOf, FIXED_EVENTS, isIntelCore } from "./events.ts";
import { MetricSums } from "./metric_sums.ts";
import type { JobListener, RawNode, RawSample } from "./node.ts";

/** Operations on metadata, as llite counts them. */
const METADATA_OPERATIONS = new Set(
  ("open close mmap fsync setattr truncate flock getattr statfs alloc_inode setxattr listxattr " +
    "removexattr readdir create lookup link unlink symlink mkdir rmdir mknod rename").split(" "),
);

/** Inputs of a type's column; the 2026 generation's names lead to the same. */
function inputsOf(type: string, device: string, key: string): readonly string[] {
  switch (type) {
    case "cpu":
    case "host_cpu":
      return [`cpu.${key}`];
    case "block":
    case "host_block":
      return key === "rd_sectors" || key === "wr_sectors" ? ["block_bytes"] : [];
    case "net":
    case "host_net":
      return (key === "rx_bytes" || key === "tx_bytes") && !/^(lo|ib\d)/.test(device)
        ? ["ethernet_bytes"]
        : [];
    case "lnet":
    case "lustre_lnet":
      return key === "rx_bytes" || key === "tx_bytes" ? ["lnet_bytes"] : [];
    case "ib":
    case "ib_ext":
      if (key === "port_xmit_data" || key === "port_rcv_data") return [`${type}_bytes`];
      return /^port_(xmit|rcv)_(pkts|packets)$/.test(key) ? [`${type}_packets`] : [];
    case "opa":
    case "host_opa":
      if (/^port(Xmit|Rcv)Data$/i.test(key)) return ["opa_flits"];
      return /^port(Xmit|Rcv)Pkts$/i.test(key) ? ["opa_packets"] : [];
    case "llite":
    case "lustre_llite": {
      if (key === "read_bytes" || key === "write_bytes") return ["lustre_bytes"];
      if (!METADATA_OPERATIONS.has(key)) return [];
      return key === "open" || key === "close" ? ["metadata", "open_close"] : ["metadata"];
    }
    case "amd64_core":
      return key === "SSE_FLOPS" ? ["SSE_FLOPS"] : [];
    case "amd64_sock":
      return key === "DRAM" ? ["DRAM"] : ["HYPERTRANSPORT"];
    case "mdc":
    case "osc":
      return key === "reqs" || key === "wait" ? [`${type}.${key}`] : [];
    default:
      return [];
  }
}

/** There are some sixty. */
const MAX_INPUTS = 128;
/** An energy of a smaller share of the job's time is a lower limit. */
const MIN_COVERED = 0.99;

/** One entry per column and input that it feeds. */
interface Plan {
  readonly columns: Int32Array;
  readonly scales: Float64Array;
  /** Numbers of the inputs. */
  readonly inputs: Int32Array;
  /** Columns of control registers, and what they held when the plan was made. */
  readonly controls: Int32Array;
  readonly held: Float64Array;
}

const NO_PLAN: Plan = {
  columns: new Int32Array(),
  scales: new Float64Array(),
  inputs: new Int32Array(),
  controls: new Int32Array(),
  held: new Float64Array(),
};

/** Gathers the inputs of one node. */
export class NodeInputs implements JobListener {
  readonly #node: RawNode;
  readonly #wanted: boolean;
  readonly #sums: MetricSums;
  /** Numbers of the known inputs; sums of this sample and of all; maximum rates. */
  readonly #inputs = new Map<string, number>();
  readonly #now = new Float64Array(MAX_INPUTS);
  /** Parts of these sums in this interval: a delta may be of a longer time. */
  readonly #paced = new Float64Array(MAX_INPUTS);
  readonly #fed = new Uint8Array(MAX_INPUTS);
  readonly #totals = new Float64Array(MAX_INPUTS).fill(NaN);
  readonly #peaks = new Float64Array(MAX_INPUTS).fill(NaN);
  readonly #flags = new Uint8Array(MAX_INPUTS);
  /** Inputs that are energies: seconds of their deltas, over all registers; registers of this sample, and most. */
  readonly #isEnergy = new Uint8Array(MAX_INPUTS);
  readonly #coveredS = new Float64Array(MAX_INPUTS);
  readonly #registers = new Int32Array(MAX_INPUTS);
  readonly #mostRegisters = new Int32Array(MAX_INPUTS);
  readonly #plans: (Plan | undefined)[] = [];
  #beforeUs = NaN;
  #memory = NaN;
  #gpu = { count: 0, utilization: 0, watts: 0 };

  /**
   * @param wanted Are metrics asked for? If not, only energies are looked at: an unknown unit is reported
   * with any output.
   */
  constructor(node: RawNode, wanted = true) {
    this.#node = node;
    this.#wanted = wanted;
    this.#sums = new MetricSums(node.host);
  }

  /** Gathered sums; no sample may follow. */
  finish(): MetricSums {
    const sums = this.#sums;
    sums.nominalHz = this.#node.nominalHz;
    sums.inputs = [...this.#inputs.keys()];
    sums.totals = this.#totals.slice(0, sums.inputs.length);
    sums.peaks = this.#peaks.slice(0, sums.inputs.length);
    sums.flags = this.#flags.slice(0, sums.inputs.length);
    for (let i = 0; i < sums.inputs.length; i++) {
      const wholeS = this.#mostRegisters[i] * sums.seconds;
      if (this.#coveredS[i] < MIN_COVERED * wholeS) sums.flags[i] |= AT_LEAST;
    }
    return sums;
  }

  /** Frees the memory that is kept for speed, when no sample comes for a while. */
  rest(): void {
    this.#plans.length = 0;
  }

  sample({ timeUs }: RawSample, isFirst: boolean): void {
    const sums = this.#sums;
    if (sums.samples++ === 0) sums.firstUs = timeUs;
    else if (isFirst) sums.gapsUs += timeUs - sums.lastUs;
    this.#beforeUs = isFirst ? NaN : sums.lastUs;
    sums.lastUs = timeUs;
    this.#now.fill(0);
    this.#paced.fill(0);
    this.#fed.fill(0);
    this.#memory = NaN;
    this.#gpu = { count: 0, utilization: 0, watts: 0 };
  }

  row(counters: RawCounters, values: RawValues, isFirst: boolean): void {
    const { type } = counters;
    if (!this.#wanted && !type.isEnergy) return;
    const name = type.schema.type;
    if (name === "mem") this.#addMemory(type, values);
    else if (name === "nvidia_gpu") this.#addGpu(type, values);
    if (isFirst) return;
    const plan = this.#planOf(counters, values);
    const { columns, scales, inputs } = plan;
    const { deltas, flags } = counters;
    const elapsed = this.#elapsedS;
    const isEven = !counters.hasWaited && counters.elapsedS === elapsed;
    for (let i = 0; i < columns.length; i++) {
      if (flags !== undefined) this.#flags[inputs[i]] |= flags.get(columns[i]) ?? 0;
      const delta = deltas[columns[i]];
      if (delta !== delta) continue;
      const amount = delta * scales[i];
      this.#now[inputs[i]] += amount;
      this.#paced[inputs[i]] += isEven
        ? amount
        : amount * (elapsed / counters.secondsOf(columns[i]));
      this.#fed[inputs[i]] = 1;
      if (this.#isEnergy[inputs[i]] === 0) continue;
      this.#coveredS[inputs[i]] += counters.secondsOf(columns[i]);
      this.#registers[inputs[i]]++;
    }
  }

  endSample(): void {
    const sums = this.#sums;
    const elapsed = this.#elapsedS;
    for (let i = 0; i < this.#inputs.size; i++) {
      if (this.#fed[i] === 0) continue;
      this.#mostRegisters[i] = Math.max(this.#mostRegisters[i], this.#registers[i]);
      this.#registers[i] = 0;
      this.#totals[i] = (this.#totals[i] || 0) + this.#now[i];
      const rate = this.#paced[i] / elapsed;
      if (elapsed > 0 && !(rate <= this.#peaks[i])) this.#peaks[i] = rate;
    }
    if (!(this.#memory <= sums.memoryBytes)) sums.memoryBytes = this.#memory;
    if (this.#gpu.count > 0) {
      sums.gpuUtilization.push(this.#gpu.utilization / this.#gpu.count);
      sums.gpuWatts.push(this.#gpu.watts);
    }
    const user = this.#inputs.get("cpu.user");
    if (!(elapsed > 0) || user === undefined || this.#fed[user] === 0) return;
    sums.userTimes.push(sums.lastUs / 1e6);
    sums.userRates.push(this.#paced[user] / 100 / elapsed);
  }

  /** Seconds since the sample before; NaN for one that has none. */
  get #elapsedS(): number {
    return (this.#sums.lastUs - this.#beforeUs) / 1e6;
  }

  #addMemory({ keys, units }: RawType, { numbers }: RawValues): void {
    const bytes = (key: string) => {
      const k = keys.findIndex(({ name }) => name === key);
      return k < 0 ? NaN : numbers[k] * units[k].scale;
    };
    const file = bytes("FilePages");
    const slab = bytes("Slab");
    const used = bytes("MemUsed") - (file === file ? file : 0) - (slab === slab ? slab : 0);
    this.#memory = this.#memory === this.#memory ? this.#memory + used : used;
  }

  #addGpu(type: RawType, values: RawValues): void {
    const of = (key: string) => values.numbers[type.keys.findIndex((k) => k.name === key)] ?? NaN;
    this.#gpu.count++;
    this.#gpu.utilization += of("utilization");
    this.#gpu.watts += of("power") / 1000;
  }

  #planOf(counters: RawCounters, values: RawValues): Plan {
    let plan = this.#plans[counters.index];
    if (plan !== undefined) {
      const { controls, held } = plan;
      let same = true;
      for (let i = 0; i < controls.length; i++) {
        if (values.numbers[controls[i]] !== held[i]) same = false;
      }
      if (same) return plan;
    }
    plan = this.#makePlan(counters, values);
    this.#plans[counters.index] = plan;
    return plan;
  }

  #makePlan({ type, device }: RawCounters, { numbers }: RawValues): Plan {
    const controls = Int32Array.from(
      type.keys.flatMap((key, k) => key.kind === "control" ? [k] : []),
    );
    // single processes come and go: what feeds nothing has no plan of its own
    const feeds: [column: number, scale: number, input: number][] = [];
    const name = type.schema.type;
    type.keys.forEach((key, column) => {
      if (key.kind !== "event") return;
      const joules = this.#node.energyUnits.of(name, key.name) ??
        nodeJoules(name, key.name, type.units[column].name);
      const event = pmcEvent(type, device, key.name, numbers);
      const scale = joules ?? event?.scale ?? type.units[column].scale;
      const inputs = joules !== undefined
        ? [`joules.${energyOf(key.name)}`]
        : event !== undefined
        ? [event.input]
        : inputsOf(name, device, key.name);
      for (const input of inputs) feeds.push([column, scale, this.#numberOf(input)]);
    });
    if (feeds.length === 0 && controls.length === 0) return NO_PLAN;
    return {
      columns: Int32Array.from(feeds, ([column]) => column),
      scales: Float64Array.from(feeds, ([, scale]) => scale),
      inputs: Int32Array.from(feeds, ([, , input]) => input),
      controls,
      held: Float64Array.from(controls, (k) => numbers[k]),
    };
  }

  #numberOf(input: string): number {
    const number = this.#inputs.getOrInsert(input, this.#inputs.size);
    if (input.startsWith("joules.")) this.#isEnergy[number] = 1;
    return number;
  }
}

/** Types that hold the meter of a whole node. */
const NODE_METERS = ["cray_pm", "pm_counters"];

/** Joules of a count of a node's own meter; `undefined`: it is none. */
function nodeJoules(type: string, key: string, unit: string): number | undefined {
  if (!NODE_METERS.includes(type) || !/^(node_)?energy$/.test(key)) return undefined;
  return unit === "J" ? 1 : unit === "mJ" ? 1e-3 : undefined;
}

/** The part of a node that an energy counter covers, by its name. */
function energyOf(key: string): string {
  if (/^(node_)?energy$/.test(key)) return "node";
  const word = /PKG|PP0|DRAM|CORE/i.exec(key)?.[0].toLowerCase() ?? "other";
  return word === "core" ? "pp0" : word;
}

/** The event that a programmed counter counts. */
function pmcEvent(
  type: RawType,
  device: string,
  key: string,
  numbers: Float64Array,
): { scale: number; input: string } | undefined {
  const name = type.schema.type;
  if (name === "amd64_pmc" && FIXED_EVENTS.includes(key)) return { scale: 1, input: key };
  const match = /^(FIXED_CTR|CTR)(\d)$/.exec(key);
  if (match === null) return undefined;
  if (match[1] === "FIXED_CTR") {
    const fixed = FIXED_EVENTS[Number(match[2])];
    return isIntelCore(name) && fixed !== undefined ? { scale: 1, input: fixed } : undefined;
  }
  const control = type.keys.findIndex((k) => k.name === `CTL${match[2]}`);
  const event = control < 0 ? undefined : eventOf(name, device, numbers[control]);
  if (event === undefined) return undefined;
  const bytes = event.unit.endsWith("B");
  return { scale: bytes ? parseRawUnit(event.unit).scale : 1, input: event.name };
}
