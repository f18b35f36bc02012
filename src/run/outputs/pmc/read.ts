/**
 * PMC files as runs: text logs as they are, binary ones collated over the ranks that wrote them. A
 * binary log may hold several runs, since the library appends; a text log, where somebody joined some.
 * @module
 */
import { baseName } from "../../../core/names.ts";
import { unparsed, UsageError } from "../../../core/errors.ts";
import { parsePmc, type PmcLog, type PmcRecord } from "../../../formats/pmc/pmc.ts";
import { collateSteps } from "../../../job/merge/steps.ts";
import { OsError, UserFile } from "../../../os/user_file.ts";

/** One run out of a file. */
export interface PmcRun {
  readonly name: string;
  /** Collated over nodes. */
  readonly log: PmcLog;
  /** Raw readings by node, of the calls that the log has; of a text log, none. */
  readonly nodes: readonly (readonly PmcRecord[])[];
}

/**
 * Reads a file.
 *
 * @param log Logs one line for the user: steps missing on nodes, a cut.
 * @throws {UsageError} If it cannot be read.
 * @throws {FormatError} If it is no PMC log.
 */
export function readPmcRuns(path: string, log: (line: string) => void): PmcRun[] {
  const pmc = parsePmc(readBytes(path), { path });
  if (pmc.cut) log(`${path}: the last line is truncated and is left out`);
  const name = baseName(path).replace(/\.(pmc|bin|ascii|out)$/, "");
  if (pmc.form === "text") {
    const texts = splitText(pmc.records);
    return texts.map((all, i) => {
      const records = upToRestart(all, (line) => log(`${path}: ${line}`));
      const cut = records.length < all.length || pmc.cut === true && i === texts.length - 1;
      return {
        name: texts.length === 1 ? name : `${name}#${i + 1}`,
        log: { version: pmc.version, form: pmc.form, records, ...(cut ? { cut } : {}) },
        nodes: [],
      };
    });
  }
  const { records, form } = pmc;
  const runs = form === "ascii" ? splitRanks(records, path) : splitRuns(records);
  return runs.map((ranks, i) => {
    const parts = [...ranks].map(([rank, records]) => ({ host: `rank ${rank}`, rank, records }));
    const { log: collated, troubles } = collateSteps(parts, "4.4");
    for (const line of troubles) log(`${path}: ${line}`);
    const own = runs.length === 1 ? name : `${name}#${i + 1}`;
    const kept = Map.groupBy(collateSteps(parts, "6.0").log.records, ({ rank }) => rank);
    const cut = collated.cut || pmc.cut && i === runs.length - 1;
    return {
      name: own,
      log: { ...collated, ...(cut ? { cut } : {}) },
      nodes: [...kept.values()],
    };
  });
}

/** The whole text of a file, for tables. */
export function readTableText(path: string): string {
  return new TextDecoder().decode(readBytes(path));
}

function readBytes(path: string): Uint8Array {
  try {
    using file = UserFile.read(path);
    return file.readAll();
  } catch (error) {
    if (!(error instanceof OsError)) throw error;
    throw new UsageError({
      action: "read",
      target: path,
      found: error.message,
      cause: error,
    });
  }
}

/** Is it the reading at open? */
const isOpen = ({ step, timeS }: PmcRecord) => step === -1 && timeS === 0;

/** A text log's records, run by run: one begins at a header behind others, or at the reading at open. */
function splitText(records: readonly PmcRecord[]): PmcRecord[][] {
  const runs: PmcRecord[][] = [[]];
  for (const record of records) {
    const last = runs[runs.length - 1];
    if (last.length > 0 && (record.headed || isOpen(record))) runs.push([record]);
    else last.push(record);
  }
  return runs;
}

/** A counter that fell was restarted: what follows cannot be compared with the baseline. */
function upToRestart(records: PmcRecord[], log: (line: string) => void): PmcRecord[] {
  const at = records.findIndex((record, i) => i > 0 && record.energyJ < records[i - 1].energyJ);
  if (at < 0) return records;
  log(
    `the energy fell from ${records[at - 1].energyJ} J to ${records[at].energyJ} J at step ` +
      `${records[at].step}, a counter was restarted; the log ends there`,
  );
  return records.slice(0, at);
}

/**
 * Records by rank, a map for each run. The library appends calls one after the other: a run begins
 * where a rank opens the log again.
 */
function splitRuns(records: readonly PmcRecord[]): Map<number, PmcRecord[]>[] {
  const runs = [new Map<number, PmcRecord[]>()];
  for (const record of records) {
    const rank = record.rank ?? 0;
    if (record.step === -1 && runs[runs.length - 1].has(rank)) runs.push(new Map());
    runs[runs.length - 1].getOrInsertComputed(rank, () => []).push(record);
  }
  return runs;
}

/**
 * Records by rank of the text made of a binary log, which is sorted by rank; a map for each run.
 *
 * @throws {FormatError} If the ranks have different numbers of runs.
 */
function splitRanks(records: readonly PmcRecord[], path: string): Map<number, PmcRecord[]>[] {
  const runs: Map<number, PmcRecord[]>[] = [];
  const counts = new Map<number, number>();
  for (const [rank, own] of Map.groupBy(records, (record) => record.rank ?? 0)) {
    let n = -1;
    for (const record of own) {
      if (record.step === -1 || n < 0) n++;
      const run = runs[n] ??= new Map();
      run.getOrInsertComputed(rank, () => []).push(record);
    }
    counts.set(rank, n + 1);
  }
  const other = [...counts].find(([, count]) => count !== runs.length);
  if (other !== undefined) {
    const found = `rank ${other[0]} with ${other[1]} of ${runs.length} runs`;
    throw unparsed(path, 0, "as many runs of each rank, or the binary log", found);
  }
  return runs;
}
