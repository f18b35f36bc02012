/**
 * Lustre clients' counters: lines `KEY COUNT samples [UNIT] MIN MAX SUM [SUMSQ]`, the last four
 * absent for pure counts.
 *
 * Truth: lustre/obdclass/lprocfs_status.c; the files are in /proc/fs/lustre, from 2.12 on partly in
 * /sys/kernel/debug/lustre. Mounts are distinguished by the last 16 characters of an instance, the
 * address of its superblock: /proc/fs/lustre/lov has `NAME-clilov-ADDRESS`, and `NAME-clilov` is
 * the device. One real line: `read_bytes 49311 samples [bytes] 1 23553884 47736624197`.
 * @module
 */
import type { Host } from "../../core/machine/host.ts";
import { hashOf, hashTable, KeptFiles, LINES } from "./_lines.ts";
import { filesOnly, keyNames, type RawRow, type RawStatsType } from "./raw_type.ts";

const PLACES = ["/proc/fs/lustre", "/sys/kernel/debug/lustre"];
/** What types of Lustre read, for `needs`. */
export const LUSTRE_FILES: readonly string[] = PLACES.map((place) => `${place}/`);
const ADDRESS = 16;
const BYTES = hashOf("[bytes]");
const WAIT = hashOf("req_waittime");

/** One line: the sums that there are. */
export interface LustreLine {
  /** Hash of the key. */
  readonly key: number;
  readonly isBytes: boolean;
  readonly hasSum: boolean;
  readonly count: readonly [low: number, high: number];
  readonly sum: readonly [low: number, high: number];
}

/** The instances of one kind (llite, mdc, osc), by mount. */
export class LustreInstances {
  readonly #host: Host;
  readonly #kind: string;
  readonly #files: KeptFiles;
  #names = new Map<string, string>();

  constructor(host: Host, kind: string) {
    this.#host = host;
    this.#kind = kind;
    this.#files = new KeptFiles(host);
  }

  /** Goes through all instances: takes their lines, and emits a row per mount. */
  collect(row: RawRow, take: (line: LustreLine, row: RawRow) => void): void {
    const paths = new Map<string, string[]>();
    let renewed = false;
    for (const place of PLACES) {
      const directory = `${place}/${this.#kind}`;
      for (const instance of this.#host.list(`${directory}/`)) {
        const address = instance.slice(-ADDRESS);
        let mount = this.#names.get(address);
        if (mount === undefined && !renewed) {
          renewed = true;
          this.#names = this.#mounts();
          mount = this.#names.get(address);
        }
        if (mount === undefined) continue;
        paths.set(mount, [...paths.get(mount) ?? [], `${directory}/${instance}/stats`]);
      }
      if (paths.size > 0) break;
    }
    for (const [mount, files] of paths) {
      for (const path of files) this.#read(path, row, take);
      row.emit(mount);
    }
    this.#files.retain(new Set([...paths.values()].flat()), (path) => path);
  }

  #mounts(): Map<string, string> {
    const names = new Map<string, string>();
    for (const place of PLACES) {
      for (const name of this.#host.list(`${place}/lov/`)) {
        if (name.length <= ADDRESS + 1) continue;
        names.set(name.slice(-ADDRESS), name.slice(0, -ADDRESS - 1));
      }
    }
    return names;
  }

  #read(path: string, row: RawRow, take: (line: LustreLine, row: RawRow) => void): void {
    const lines = this.#files.lines(path);
    while (lines?.next()) {
      const key = lines.word();
      if (!lines.number()) continue;
      const count = [LINES.low, LINES.high] as const;
      lines.word(); // samples
      const isBytes = lines.word() === BYTES;
      const hasSum = lines.number() && lines.number() && lines.number();
      const sum = hasSum ? [LINES.low, LINES.high] as const : count;
      take({ key, isBytes, hasSum, count, sum }, row);
    }
  }

  [Symbol.dispose](): void {
    this.#files[Symbol.dispose]();
  }
}

/**
 * A type of requests to one kind of server: `reqs` and `wait` come from the line req_waittime, all
 * other keys from lines of their own names. Device: `NAME-clilov`.
 */
export function lustreRequests(name: "mdc" | "osc", keys: string): RawStatsType {
  return {
    name,
    keys,
    needs: filesOnly(...LUSTRE_FILES),
    open({ host }) {
      const instances = new LustreInstances(host, name);
      const names = keyNames(keys);
      const table = hashTable(names);
      const [reqs, wait] = [names.indexOf("reqs"), names.indexOf("wait")];
      return {
        collect(row) {
          instances.collect(row, ({ key, isBytes, hasSum, count, sum }) => {
            if (!hasSum) return;
            if (key === WAIT) {
              row.add(reqs, ...count);
              row.add(wait, ...sum);
              return;
            }
            const index = table.get(key);
            if (index !== undefined) row.add(index, ...(isBytes ? sum : count));
          });
        },
        [Symbol.dispose]: () => instances[Symbol.dispose](),
      };
    },
  };
}
