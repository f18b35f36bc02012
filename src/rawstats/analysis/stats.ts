/**
 * Post-processing of raw stats: one pass over the files of each node.
 *
 * @module
 */
import type { FormatError } from "../../core/errors.ts";
import type { RawCorrectionKind } from "./judge.ts";
import type { EnergySource, EnergyUnits } from "./energy_units.ts";
import { NodeInputs } from "./metric_inputs.ts";
import type { MetricSums } from "./metric_sums.ts";
import { JobFilter, type JobListener, type RawListener, RawNode } from "./node.ts";
import type { RawFile } from "./files.ts";
import { type RawCopies, scanRawNode } from "./once.ts";

/** A job as the files show it. */
export interface SeenJob {
  readonly id: string;
  /** By host: what its metrics are made from. */
  readonly inputs: MetricSums[];
  /** Hosts on which its begin or end mark is missing. */
  readonly cut: string[];
}

/** Analysis of one node by a pass; plain data except for the methods of sums. */
export interface RawNodeAnalysis {
  readonly host: string;
  /** Samples read, those of other jobs included. */
  readonly samples: number;
  /** Content that the files hold more than once. */
  readonly copies: RawCopies;
  /** Energies whose unit neither files nor user gave. */
  readonly energySources: readonly EnergySource[];
  /** Steps backwards of its counters; of the job, if one was requested. */
  readonly counts: Readonly<Record<RawCorrectionKind, number>>;
  /** Sums for the metrics over the job, or over all samples if no job was requested. */
  readonly sums: MetricSums;
  readonly jobs: readonly {
    readonly id: string;
    readonly sums: MetricSums;
    readonly cut: boolean;
  }[];
  /** All jobs of the node. */
  readonly jobNames: readonly string[];
  /** All types of the node's files, and those that are derived from them. */
  readonly types: readonly string[];
}

/** Results of the passes. */
export interface RawAnalysis {
  readonly nodes: readonly RawNodeAnalysis[];
  /** Inputs of each node's metrics. */
  readonly inputs: readonly MetricSums[];
  readonly jobs: ReadonlyMap<string, SeenJob>;
  /** All jobs of the files. */
  readonly jobNames: ReadonlySet<string>;
  /** Samples read, those of other jobs included. */
  readonly samples: number;
}

/** Request to a pass. */
export interface RawRequest {
  readonly files: readonly RawFile[];
  /** @default every sample */
  readonly job?: string;
  /** The user's units for energies whose files have none. */
  readonly energyUnits?: EnergyUnits;
  /** Are metrics, of all samples and of jobs, asked for? @default true */
  readonly metrics?: boolean;
  /** The receiver of a node's samples; requested once for each node, in the order of the files. */
  listen?(node: RawNode): JobListener;
  /** A node is done. */
  finish?(node: RawNode): void | Promise<void>;
  error(error: FormatError): void;
}

/** Jobs of a node beyond these have no metrics of their own. */
const MAX_JOBS = 20_000;

/** The files of each node; those of one follow each other. */
export function filesByHost(files: readonly RawFile[]): RawFile[][] {
  const groups: RawFile[][] = [];
  for (const file of files) {
    if (groups.at(-1)?.[0].host === file.host) groups.at(-1)!.push(file);
    else groups.push([file]);
  }
  return groups;
}

/** Reads all files, node by node. */
export async function analyseRawFiles(request: RawRequest): Promise<RawAnalysis> {
  const nodes: RawNodeAnalysis[] = [];
  for (const files of filesByHost(request.files)) {
    nodes.push(await analyseRawNode({ ...request, files }));
  }
  return joinRawNodes(nodes);
}

/** Reads the files of one node. */
export async function analyseRawNode(request: RawRequest): Promise<RawNodeAnalysis> {
  const { host } = request.files[0];
  const listeners: RawListener[] = [];
  const withEnd = new Set(request.files.flatMap((file) => file.withEnd));
  const node = new RawNode(host, listeners, { energyUnits: request.energyUnits, withEnd });
  const own = new NodeInputs(node, request.metrics);
  const perJob = new PerJob(node, request.job, request.metrics);
  let samples = 0;
  const counts = { wrap: 0, reset: 0, dip: 0 };
  listeners.push({ sample: () => void samples++ });
  const counted: JobListener = {
    row: ({ steps }, _, isFirst) => {
      if (!isFirst) steps?.forEach(({ kind }) => counts[kind]++);
    },
  };
  listeners.push(new JobFilter(request.job, counted));
  listeners.push(new JobFilter(request.job, own));
  if (request.listen !== undefined) {
    listeners.push(new JobFilter(request.job, request.listen(node)));
  }
  listeners.push(perJob);
  const copies = await scanRawNode(request.files, node, (error) => request.error(error));
  node.endSample();
  node.differ.end();
  const { sources: energySources } = node.energyUnits;
  const found = {
    host,
    samples,
    copies,
    energySources,
    counts,
    sums: own.finish(),
    jobs: perJob.finish(),
    jobNames: [...node.jobs.seen],
    types: [...new Set([...node.energyUnits.types, ...node.differ.types.keys()])],
  };
  await request.finish?.(node);
  return found;
}

/** All nodes together. */
export function joinRawNodes(nodes: readonly RawNodeAnalysis[]): RawAnalysis {
  const jobs = new Map<string, SeenJob>();
  for (const node of nodes) {
    for (const { id, sums, cut } of node.jobs) {
      let job = jobs.get(id);
      if (job === undefined) {
        jobs.set(id, job = { id, inputs: [], cut: [] });
      }
      job.inputs.push(sums);
      if (cut) job.cut.push(node.host);
    }
  }
  const samples = nodes.reduce((sum, node) => sum + node.samples, 0);
  const jobNames = new Set(nodes.flatMap((node) => node.jobNames));
  return { nodes, inputs: nodes.map((node) => node.sums), jobs, jobNames, samples };
}

/** Metrics of every job that a node shows, or of one, as they come. */
class PerJob implements RawListener {
  readonly #jobs = new Map<string, { filter: JobFilter; inputs: NodeInputs }>();
  #now: { filter: JobFilter; inputs: NodeInputs }[] = [];

  constructor(
    readonly node: RawNode,
    readonly only: string | undefined,
    readonly metrics?: boolean,
  ) {}

  sample(sample: Parameters<NonNullable<RawListener["sample"]>>[0]): void {
    const before = this.#now;
    this.#now = [];
    for (const id of sample.jobs) {
      if (this.only !== undefined && id !== this.only) continue;
      let job = this.#jobs.get(id);
      if (job === undefined) {
        if (this.#jobs.size >= MAX_JOBS) continue;
        const inputs = new NodeInputs(this.node, this.metrics);
        job = { filter: new JobFilter(id, inputs), inputs };
        this.#jobs.set(id, job);
      }
      job.filter.sample(sample);
      this.#now.push(job);
    }
    for (const job of before) {
      if (this.#now.includes(job)) continue;
      job.filter.sample(sample);
      // jobs that are over need no more than their sums
      job.inputs.rest();
    }
  }

  row(...[counters, values]: Parameters<NonNullable<RawListener["row"]>>): void {
    for (const { filter } of this.#now) filter.row(counters, values);
  }

  endSample(): void {
    for (const { filter } of this.#now) filter.endSample();
  }

  /** The node is read. */
  finish(): RawNodeAnalysis["jobs"] {
    const { begun, ended } = this.node.jobs;
    return [...this.#jobs].map(([id, { inputs }]) => ({
      id,
      sums: inputs.finish(),
      cut: !(begun.has(id) && ended.has(id)),
    }));
  }
}
