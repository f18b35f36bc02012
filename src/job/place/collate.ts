/**
 * A job's report by MPI: each process reads its share of the parts, which may be on its node's own
 * disk, and rank 0 writes.
 *
 * 1. Who sees which files: processes with the same list share it, others have their own.
 * 2. Digests of all reports go to rank 0, which decides what belongs to the job, by the same rules
 *    and in the same order as the merger of files.
 * 3. Sums, extremes and who has them are reduced; single values of a few fields are gathered.
 * 4. The hosts' sections go to rank 0, one process after the other, so that memory stays bounded.
 *
 * The result equals that of merging the same files, byte for byte.
 * @module
 */
import { HostStatistics } from "../merge/host_statistics.ts";
import { ReportMerger } from "../merge/merge.ts";
import type { ReadReport, ReportDigest } from "../merge/read_report.ts";
import { type FieldName, fieldNames, restore, Share } from "../merge/reduction.ts";
import { statPath } from "../../os/files.ts";
import type { Mpi } from "../../os/mpi.ts";
import { checksum } from "../../core/names.ts";
import { jobFacts, type PartFacts, partFacts, reportFiles } from "./part_files.ts";
import { type MergeOutcome, readFile, refuseNothing, Spool } from "./merge_parts.ts";

/** Sections travel in pieces of this size. */
const PIECE_BYTES = 8 << 20;

/** One report of some process. */
interface Offered {
  /** Place in the order of all files. */
  readonly order: number;
  readonly rank: number;
  readonly digest: ReportDigest;
  readonly facts?: PartFacts;
}

/** Decision of rank 0. */
interface Verdict {
  /** By order: which hosts are kept. */
  readonly kept: Record<number, boolean[]>;
  /** All kept hosts, sorted. */
  readonly hosts: string[];
  /** Nothing can be merged, for this reason. */
  readonly stop?: string;
}

/**
 * Collates; called by every process.
 *
 * @returns At rank 0 how it went, elsewhere `undefined`.
 * @throws {UsageError} At rank 0, if nothing could be merged.
 */
export function collate(
  mpi: Mpi,
  { directory, out }: { directory: string; out: string },
): MergeOutcome | undefined {
  const reads = ownReports(mpi, directory, out);
  const statistics = new HostStatistics();
  const merger = new ReportMerger(statistics);
  const own = reads.map(({ order, read, facts }): Offered => {
    return { order, rank: mpi.rank, digest: read.digest, facts };
  });
  const offered = gatherJson<Offered[]>(mpi, own).flat().sort((a, b) => a.order - b.order);
  const verdict = broadcastJson(mpi, () => decide(merger, offered));
  if (verdict.stop !== undefined) {
    if (mpi.rank === 0) refuseNothing(merger, offered.length);
    return undefined;
  }
  const numbers = new Map(verdict.hosts.map((host, i) => [host, i]));
  const share = new HostStatistics();
  const texts: { host: string; text: Uint8Array<ArrayBuffer> }[] = [];
  for (const { order, read } of reads) {
    verdict.kept[order].forEach((isKept, i) => {
      if (!isKept) return;
      share.add(read.hosts[i]);
      texts.push({ host: read.hosts[i].host, text: read.texts[i] });
    });
  }
  reduce(mpi, { share, into: statistics, hosts: verdict.hosts, number: (h) => numbers.get(h)! });
  if (mpi.rank !== 0) {
    sendTexts(mpi, texts.map(({ text }) => text));
    return undefined;
  }
  using spool = new Spool(out);
  for (const { host, text } of texts) spool.keep(host, text);
  receiveTexts(mpi, offered, verdict, spool);
  const facts = jobFacts(offered.flatMap((one) => one.facts ?? []));
  const head = merger.head(facts);
  spool.finish(head);
  return { head, hosts: merger.hosts, leftOut: merger.leftOut, partial: merger.isPartial(facts) };
}

/** Reads this process's share of the files. */
function ownReports(
  mpi: Mpi,
  directory: string,
  out: string,
): { order: number; read: ReadReport; facts?: PartFacts }[] {
  let paths: string[] = [];
  try {
    paths = reportFiles([directory], out);
  } catch {
    // A node without parts of its own; rank 0 reports it if there are none at all.
  }
  const listing = paths.map((path) => {
    const facts = statPath(path);
    return `${path} ${facts?.size} ${facts?.modifiedNs} ${facts?.inode}`;
  }).join("\n");
  const seen = gatherJson(mpi, { listing: checksum(listing) + listing.length });
  const shares = broadcastJson(mpi, () => {
    const groups = [...Map.groupBy(seen.keys(), (rank) => seen[rank].listing).values()];
    return seen.map((_, rank) => {
      const group = groups.findIndex((ranks) => ranks.includes(rank));
      return { group, index: groups[group].indexOf(rank), of: groups[group].length };
    });
  });
  const { group, index, of } = shares[mpi.rank];
  return paths.map((path, i) => ({ path, order: group * 1e7 + i, mine: i % of === index }))
    .filter(({ mine }) => mine)
    .map(({ path, order }) => ({ order, read: readFile(path), facts: partFacts(path) }));
}

function decide(merger: ReportMerger, offered: readonly Offered[]): Verdict {
  const kept: Record<number, boolean[]> = {};
  const hosts: string[] = [];
  for (const { order, digest } of offered) {
    kept[order] = merger.admit(digest);
    hosts.push(...digest.hosts.filter((_, i) => kept[order][i]).map(({ host }) => host));
  }
  return { kept, hosts: hosts.sort(), ...(hosts.length === 0 ? { stop: "nothing" } : {}) };
}

function reduce(
  mpi: Mpi,
  { share, into, hosts, number }: {
    share: HostStatistics;
    into: HostStatistics;
    hosts: readonly string[];
    number: (host: string) => number;
  },
): void {
  const names = commonNames(mpi, fieldNames(share));
  const mine = new Share(share, names);
  const sums = mpi.sumAtRoot(mine.sums());
  const min = mpi.extremes(mine.extreme("min"), "min");
  const max = mpi.extremes(mine.extreme("max"), "max");
  const minHosts = mpi.extremes(mine.extremeHosts("min", min, number), "min");
  const maxHosts = mpi.extremes(mine.extremeHosts("max", max, number), "min");
  const watched = mpi.gather(bytesOf(mine.watched(number))).map((bytes) => {
    return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  });
  if (mpi.rank === 0) {
    restore(into, { names, hosts, sums, min, max, minHosts, maxHosts, watched });
  }
}

/** Rank 0's names, and those that others have beside them. Hosts of a job have the same, mostly. */
function commonNames(mpi: Mpi, own: FieldName[]): FieldName[] {
  const first = broadcastJson(mpi, () => own);
  const known = new Set(first.map((name) => JSON.stringify(name)));
  const more = own.filter((name) => !known.has(JSON.stringify(name)));
  const gathered = gatherJson(mpi, more).flat().map((name) => JSON.stringify(name));
  const added = broadcastJson(mpi, () => [...new Set(gathered)]);
  return [...first, ...added.map((text) => JSON.parse(text) as FieldName)];
}

function sendTexts(mpi: Mpi, texts: readonly Uint8Array[]): void {
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const all = new Uint8Array(total);
  let at = 0;
  for (const text of texts) {
    all.set(text, at);
    at += text.length;
  }
  for (at = 0; at < total; at += PIECE_BYTES) mpi.sendToRoot(all.slice(at, at + PIECE_BYTES));
}

function receiveTexts(
  mpi: Mpi,
  offered: readonly Offered[],
  { kept }: Verdict,
  spool: Spool,
): void {
  for (let rank = 1; rank < mpi.size; rank++) {
    const coming = offered.filter((one) => one.rank === rank).flatMap(({ order, digest }) =>
      digest.hosts.filter((_, i) => kept[order][i])
    );
    const all = new Uint8Array(coming.reduce((sum, { bytes }) => sum + bytes, 0));
    for (let at = 0; at < all.length; at += PIECE_BYTES) {
      all.set(mpi.receive(rank, Math.min(PIECE_BYTES, all.length - at)), at);
    }
    let at = 0;
    for (const { host, bytes } of coming) {
      spool.keep(host, all.subarray(at, at + bytes));
      at += bytes;
    }
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Everybody's value at rank 0, elsewhere an empty list. */
function gatherJson<T>(mpi: Mpi, value: T): T[] {
  return mpi.gather(encoder.encode(JSON.stringify(value)))
    .map((bytes) => JSON.parse(decoder.decode(bytes)));
}

/** Rank 0's value everywhere. */
function broadcastJson<T>(mpi: Mpi, value: () => T): T {
  const own = mpi.rank === 0 ? encoder.encode(JSON.stringify(value())) : new Uint8Array();
  return JSON.parse(decoder.decode(mpi.broadcast(own)));
}

function bytesOf(values: Float64Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(values.buffer as ArrayBuffer);
}
