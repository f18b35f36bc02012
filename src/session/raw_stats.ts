/**
 * Post-processing of raw stats: one pass over the files of all nodes.
 *
 * @module
 */
import type { FormatError } from "../core/errors.ts";
import { NodeInputs } from "../rawstats/metric_inputs.ts";
import { JobFilter, type JobListener, type RawListener, RawNode } from "../rawstats/node.ts";
import { type RawFile, scanRawFile } from "./raw_files.ts";

/** A job as the files show it. */
export interface SeenJob {
  readonly id: string;
  /** By host: the inputs of its metrics. */
  readonly inputs: NodeInputs[];
  /** Hosts on which its begin or end mark is missing. */
  readonly cut: string[];
}

/** What a pass found. */
export interface RawAnalysis {
  readonly nodes: readonly RawNode[];
  /** Inputs of the metrics over the job, or over all samples where none was asked for. */
  readonly inputs: readonly NodeInputs[];
  readonly jobs: ReadonlyMap<string, SeenJob>;
  /** Samples read, those of other jobs included. */
  readonly samples: number;
}

/** What a pass is to do. */
export interface RawRequest {
  readonly files: readonly RawFile[];
  /** @default every sample */
  readonly job?: string;
  /** Whatever wants the samples of a node; asked once for each node, in the order of the files. */
  listen?(node: RawNode): JobListener;
  /** A node is done. */
  finish?(node: RawNode): void | Promise<void>;
  error(error: FormatError): void;
}

/** Jobs beyond these have no metrics of their own. */
const MOST_JOBS = 2000;

/** Reads all files, node by node. */
export async function analyseRawFiles(request: RawRequest): Promise<RawAnalysis> {
  const nodes: RawNode[] = [];
  const inputs: NodeInputs[] = [];
  const jobs = new Map<string, SeenJob>();
  let samples = 0;
  let node: RawNode | undefined;
  let perJob: PerJob | undefined;
  const close = async () => {
    if (node === undefined) return;
    node.endSample();
    node.differ.end();
    inputs.at(-1)!.rest();
    perJob?.end();
    for (const job of jobs.values()) {
      const here = job.inputs.some((input) => input.host === node!.host);
      if (here && !(node.begun.has(job.id) && node.ended.has(job.id))) job.cut.push(node.host);
    }
    await request.finish?.(node);
  };
  for (const file of request.files) {
    if (node?.host !== file.host) {
      await close();
      const listeners: RawListener[] = [];
      node = new RawNode(file.host, listeners);
      const own = new NodeInputs(node);
      nodes.push(node);
      inputs.push(own);
      listeners.push({ sample: () => void samples++ });
      listeners.push(new JobFilter(request.job, own));
      if (request.listen !== undefined) {
        listeners.push(new JobFilter(request.job, request.listen(node)));
      }
      perJob = new PerJob(node, jobs);
      listeners.push(perJob);
    }
    await scanRawFile(file.path, node.startFile((error) => request.error(error)));
  }
  await close();
  return { nodes, inputs, jobs, samples };
}

/** Metrics of every job that a node shows, as they come. */
class PerJob implements RawListener {
  readonly #active = new Map<string, JobFilter>();
  readonly #inputs = new Map<JobFilter, NodeInputs>();
  #now: JobFilter[] = [];

  constructor(readonly node: RawNode, readonly jobs: Map<string, SeenJob>) {}

  sample(sample: Parameters<NonNullable<RawListener["sample"]>>[0]): void {
    const before = this.#now;
    this.#now = [];
    for (const id of sample.jobs) {
      let filter = this.#active.get(id);
      if (filter === undefined) {
        if (!this.jobs.has(id) && this.jobs.size >= MOST_JOBS) continue;
        const inputs = new NodeInputs(this.node);
        filter = new JobFilter(id, inputs);
        this.#inputs.set(filter, inputs);
        this.#active.set(id, filter);
        const job = this.jobs.get(id) ?? { id, inputs: [], cut: [] };
        job.inputs.push(inputs);
        this.jobs.set(id, job);
      }
      filter.sample(sample);
      this.#now.push(filter);
    }
    // jobs that are over need no more than their sums
    for (const filter of before) if (!this.#now.includes(filter)) this.#inputs.get(filter)!.rest();
  }

  /** The node is read. */
  end(): void {
    for (const inputs of this.#inputs.values()) inputs.rest();
  }

  row(...[counters, values]: Parameters<NonNullable<RawListener["row"]>>): void {
    for (const filter of this.#now) filter.row(counters, values);
  }

  endSample(): void {
    for (const filter of this.#now) filter.endSample();
  }
}
