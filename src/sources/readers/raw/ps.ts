/**
 * Processes of the node: context switches and forks from /proc/stat, load and counts from
 * /proc/loadavg.
 *
 * Truth: proc(5). Loads are stored times 100. One real line: `24.78 24.33 22.30 25/600 51222`.
 * @module
 */
import { fileType, hashOf, type KeptFiles, LINES } from "./_lines.ts";
import type { RawRow } from "./raw_type.ts";

const STAT = "/proc/stat";
const LOAD = "/proc/loadavg";
const CTXT = hashOf("ctxt");
const PROCESSES = hashOf("processes");

/** Raw counts of the node's processes. Device: `-`. */
export const ps = fileType({
  name: "ps",
  keys: "ctxt,E processes,E load_1 load_5 load_15 nr_running nr_threads",
  paths: [STAT, LOAD],
  open: ({ files }) => (row) => {
    stat(files, row);
    load(files, row);
    row.emit("-");
  },
});

function stat(files: KeptFiles, row: RawRow): void {
  const lines = files.lines(STAT);
  while (lines?.next()) {
    const word = lines.word();
    const key = word === CTXT ? 0 : word === PROCESSES ? 1 : -1;
    if (key >= 0 && lines.number()) row.put(key, LINES.low, LINES.high);
  }
}

function load(files: KeptFiles, row: RawRow): void {
  const lines = files.lines(LOAD);
  if (!lines?.next()) return;
  for (let k = 2; k < 5; k++) {
    if (!lines.number()) return;
    const whole = LINES.low;
    lines.at++; // the point; two decimals follow, always
    if (!lines.number()) return;
    row.putNumber(k, whole * 100 + LINES.low);
  }
  if (!lines.number()) return;
  row.put(5, LINES.low, LINES.high);
  lines.at++; // the slash
  if (lines.number()) row.put(6, LINES.low, LINES.high);
}
