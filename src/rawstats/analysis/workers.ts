/**
 * The table of many nodes, read by several processes if that pays.
 *
 * A counter's differences go from file to file of its node, so a node's files stay together; each
 * process gets whole nodes. It finds its order in one anonymous file, and leaves what it found in
 * another; what a process did not get done, this one reads itself.
 * @module
 */
import { affinityOf } from "../../os/host.ts";
import { MemoryFile } from "../../os/memory/memory_file.ts";
import { endWithParent, starterOf, waitFor } from "../../os/process.ts";
import { MetricSums } from "./metric_sums.ts";
import { hasPipes, type RawFile } from "./files.ts";
import { filesByHost } from "./stats.ts";
import { type RawTablePart, type RawTableRequest, readRawTable } from "./print/table.ts";

/** Less is read before another process has started. */
const MIN_BYTES = 64 << 20;
/** Each takes some 100 MB; beyond these a login node's other users would notice. */
const MAX_WORKERS = 8;

/** Options of reading with workers. */
export interface RawWorkersOptions {
  /** @default one a CPU, at most 8, if there is enough to read */
  readonly processes: number | undefined;
  /** Starts this program as helper, with two numbers to follow. */
  readonly helper: readonly string[];
  /** One line about what is wrong in a file; those of a node follow each other. */
  error(line: string): void;
  /** Notes the number of processes that read. */
  note(line: string): void;
  /** A helper could not be started, or failed. */
  warn(line: string): void;
}

/** Order to a worker, and the process that it is for. */
interface Order {
  readonly request: RawTableRequest;
  readonly parent: number;
}

/** Result of a worker for each of its nodes. */
interface Done {
  readonly part: RawTablePart;
  readonly errors: readonly string[];
}

/** Reads all nodes; the parts, by host. */
export async function readRawTables(
  request: RawTableRequest,
  options: RawWorkersOptions,
): Promise<RawTablePart[]> {
  const nodes = filesByHost(request.files);
  const count = processCount(nodes, options.processes);
  const done = count > 1 ? await byHelpers(request, share(nodes, count), options) : new Map();
  const parts: RawTablePart[] = [];
  for (const files of nodes) {
    const there = done.get(files[0].host);
    there?.errors.forEach((line: string) => options.error(line));
    const part = there?.part ??
      await readRawTable({ ...request, files }, (error) => options.error(error.message));
    parts.push(part);
  }
  return parts;
}

/** Typical ratio of unpacked to packed size. */
const GZIP_FACTOR = 8;

/** Bytes of a file, as text. */
function weight(file: RawFile): number {
  return file.path.endsWith(".gz") ? file.bytes * GZIP_FACTOR : file.bytes;
}

function processCount(nodes: readonly RawFile[][], wanted: number | undefined): number {
  if (hasPipes()) return 1;
  if (wanted !== undefined) return Math.min(wanted, nodes.length);
  const bytes = nodes.flat().reduce((sum, file) => sum + weight(file), 0);
  if (nodes.length < 2 || bytes < MIN_BYTES) return 1;
  return Math.min(affinityOf(0).length, nodes.length, MAX_WORKERS);
}

/**
 * Distributes whole nodes to the processes: largest first, each to the process that has the fewest
 * bytes.
 */
export function share(nodes: readonly RawFile[][], count: number): RawFile[][] {
  const shares = Array.from({ length: count }, () => ({ bytes: 0, files: [] as RawFile[] }));
  const sized = nodes.map((files) => ({ files, bytes: files.reduce((n, f) => n + weight(f), 0) }));
  for (const { files, bytes } of sized.sort((a, b) => b.bytes - a.bytes)) {
    const least = shares.reduce((a, b) => b.bytes < a.bytes ? b : a);
    least.bytes += bytes;
    least.files.push(...files);
  }
  return shares.map(({ files }) => files).filter((files) => files.length > 0);
}

async function byHelpers(
  request: RawTableRequest,
  shares: readonly RawFile[][],
  options: RawWorkersOptions,
): Promise<Map<string, Done>> {
  const { deserialize, serialize } = await import("node:v8");
  const { job, types, devices, energyUnits } = request;
  const done = new Map<string, Done>();
  const start = starterOf(options.helper);
  if (start === undefined) return done;
  using stack = new DisposableStack();
  const helpers: { pid: number; output: MemoryFile }[] = [];
  try {
    for (const files of shares) {
      const order = MemoryFile.create("joulemark-order");
      const output = MemoryFile.create("joulemark-parts");
      if (order === undefined || output === undefined) break;
      stack.use(order);
      stack.use(output);
      const wanted = { files, job, types, devices, energyUnits };
      order.append(serialize({ request: wanted, parent: Deno.pid } satisfies Order));
      helpers.push({ pid: start(order.fd, output.fd), output });
    }
  } catch (error) {
    // No more processes for this user: those that there are do what they can.
    options.warn(error instanceof Error ? error.message : String(error));
  }
  options.note(`${filesByHost(request.files).length} nodes, read by ${helpers.length} processes`);
  for (const { pid, output } of helpers) {
    const { code } = waitFor(pid);
    const bytes = output.readAll();
    for (let at = 0; at + 4 <= bytes.length;) {
      const length = new DataView(bytes.buffer).getUint32(at, true);
      if (at + 4 + length > bytes.length) break;
      const { part, errors }: Done = deserialize(bytes.subarray(at + 4, at + 4 + length));
      done.set(part.analysis.host, { part: revived(part), errors });
      at += 4 + length;
    }
    if (code !== 0) {
      options.warn(`a reading process ended with status ${code}: its nodes are read once more`);
    }
  }
  return done;
}

/** Methods do not travel. */
function revived(part: RawTablePart): RawTablePart {
  const { sums, jobs } = part.analysis;
  const analysis = {
    ...part.analysis,
    sums: MetricSums.revived(sums),
    jobs: jobs.map((job) => ({ ...job, sums: MetricSums.revived(job.sums) })),
  };
  return { ...part, analysis };
}

/**
 * A helper process.
 *
 * @param args Numbers of the descriptors of its order and of its output.
 * @returns Exit status.
 */
export async function rawTableHelper(args: readonly string[]): Promise<number> {
  endWithParent();
  const { deserialize, serialize } = await import("node:v8");
  const [order, output] = args.map((fd) => MemoryFile.inherited(Number(fd)));
  if (order === undefined || output === undefined) return 2;
  const { request, parent }: Order = deserialize(order.readAll());
  // The parent may have ended before this process asked to end with it.
  if (Deno.ppid !== parent) return 0;
  const length = new Uint8Array(4);
  for (const files of filesByHost(request.files)) {
    const errors: string[] = [];
    const part = await readRawTable({ ...request, files }, ({ message }) => errors.push(message));
    const bytes = serialize({ part, errors } satisfies Done);
    new DataView(length.buffer).setUint32(0, bytes.length, true);
    output.append(length);
    output.append(bytes);
  }
  return 0;
}
