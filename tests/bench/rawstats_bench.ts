/**
 * Raw stats: one collection, one pass over a file, and what reading costs the plain way.
 *
 * @module
 */
import { parseRawStats } from "../../src/rawstats/format/rawstats.ts";
import { RawScanner } from "../../src/rawstats/format/scanner.ts";
import { RawWriter } from "../../src/rawstats/format/writer.ts";
import { MachineHost } from "../../src/os/host.ts";
import { RawMachine } from "../../src/os/raw_machine.ts";
import { NodeInputs } from "../../src/rawstats/analysis/metric_inputs.ts";
import { JobFilter, RawNode } from "../../src/rawstats/analysis/node.ts";
import { lookAtRawFiles } from "../../src/rawstats/analysis/files.ts";
import { type SeriesFormat, writeSeries } from "../../src/rawstats/analysis/print/print_series.ts";
import { NodeTotals } from "../../src/rawstats/analysis/totals.ts";
import { RawCollection } from "../../src/rawstats/daemon/collection.ts";
import { generatedRaw } from "./_generated_raw.ts";
import { memoryFolder, writeRegisterTree } from "../_support/register_files.ts";
import { loadRawNode, writeRawTree } from "../_support/raw_node.ts";

const VECTOR = new URL("../vectors/rawstats/node-cray-xc30-ivb.raw", import.meta.url);
/**
 * Some 8 MB: the records of a node with 48 CPUs, a hundred times over. Its counters step back at
 * every sixth record, which makes the deltas dearer than those of a real file.
 */
const FILE = repeated(Deno.readTextFileSync(VECTOR), 100);

function repeated(text: string, times: number): Uint8Array {
  const [header, ...records] = text.split("\n\n");
  let seconds = 1421049600;
  const all = Array.from({ length: times }, () =>
    records.map((record) => {
      const [, ...lines] = record.trimEnd().split("\n");
      return `\n${seconds += 10}.250000 4001 nid00012\n${lines.join("\n")}\n`;
    }).join("")).join("");
  return new TextEncoder().encode(`${header}\n${all}`);
}

Deno.bench("8 MB of raw stats: split, and BigInt for every value", {
  group: "read",
  baseline: true,
}, () => {
  let sum = 0n;
  for (const line of new TextDecoder().decode(FILE).split("\n")) {
    if (!/^[a-z]/.test(line)) continue;
    for (const word of line.split(" ").slice(2)) sum += BigInt(word);
  }
  if (sum === 0n) throw new Error("nothing read");
});

Deno.bench("8 MB of raw stats: RawScanner", { group: "read" }, () => {
  let rows = 0;
  const scanner = new RawScanner("bench", {
    row: () => void rows++,
    error: (error) => {
      throw error;
    },
  });
  scanner.push(FILE);
  scanner.end();
  if (rows === 0) throw new Error("nothing read");
});

Deno.bench("8 MB of raw stats: parseRawStats", { group: "read" }, () => {
  if (parseRawStats(FILE).records.length === 0) throw new Error("nothing read");
});

Deno.bench("8 MB of raw stats: deltas, sums and metrics", { group: "read" }, () => {
  const listeners: JobFilter[] = [];
  const node = new RawNode("h", listeners);
  const totals = new NodeTotals("h");
  listeners.push(new JobFilter(undefined, totals), new JobFilter(undefined, new NodeInputs(node)));
  const scanner = new RawScanner(
    "bench",
    node.startFile((error) => {
      throw error;
    }),
  );
  scanner.push(FILE);
  scanner.end();
  node.endSample();
  if (totals.samples === 0) throw new Error("nothing read");
});

/** Some 8 MB of a node whose counters go forward, as those of most nodes do. */
const FORWARD = new TextEncoder().encode([...generatedRaw(8e6)].join(""));

/** What is written goes nowhere. */
async function write(format: SeriesFormat): Promise<void> {
  const path = `${memoryFolder()}/forward`;
  Deno.writeFileSync(path, FORWARD);
  let bytes = 0;
  await writeSeries({
    format,
    files: await lookAtRawFiles([path]),
    job: undefined,
    types: undefined,
    error() {},
    check() {},
    write: (piece) => void (bytes += piece.length),
  });
  Deno.removeSync(path);
  if (bytes < FORWARD.length) throw new Error("nothing written");
}

for (const format of ["csv", "jsonl", "json"] as const) {
  const name = `8 MB of raw stats: as ${format}`;
  Deno.bench(name, { group: "write", baseline: format === "csv" }, () => write(format));
}

function collect(collection: RawCollection): () => void {
  const writer = new RawWriter();
  return () => {
    writer.clear();
    collection.record(writer, { timeUs: 1e15, jobs: "-", marks: [] }, undefined);
  };
}

const here = new RawCollection(new RawMachine(new MachineHost()));
Deno.bench("one record: this machine", { group: "collect", baseline: true }, collect(here));

const root = memoryFolder();
const node = loadRawNode("cray-xc30-ivb");
writeRawTree(root, node, 0);
writeRegisterTree(root, node);
const tree = new RawCollection(new RawMachine(new MachineHost(root)));
Deno.bench("one record: 48 CPUs, registers as files", { group: "collect" }, collect(tree));
globalThis.addEventListener("unload", () => Deno.removeSync(root, { recursive: true }));
