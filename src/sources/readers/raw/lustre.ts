/**
 * Lustre clients' counters: lines `KEY COUNT samples [UNIT] MIN MAX SUM [SUMSQ]`, the last four
 * absent for pure counts.
 *
 * Truth: lustre/obdclass/lprocfs_status.c; the files are in /proc/fs/lustre, from 2.12 on partly in
 * /sys/kernel/debug/lustre. Mounts are distinguished by the last 16 characters of an instance, the
 * address of its superblock: /proc/fs/lustre/lov has `NAME-clilov-ADDRESS`, and `NAME-clilov` is
 * the device. One real line: `read_bytes 49311 samples [bytes] 1 23553884 47736624197`.
 *
 * Use of file systems (llite): bytes are sums, all else counts, since operations have a sum of microseconds
 * as well from Lustre 2.13 on, which hpcperfstats stores in place of the count. Due to a bug in Lustre,
 * read_bytes counts what was asked for, not what was returned.
 * @module
 */
import type { Host } from "../../../core/machine/host.ts";
import { fileType, hashOf, hashTable, type KeptFiles, LINES } from "./_lines.ts";
import { keyNames, type RawRow } from "./raw_type.ts";

const LUSTRE_FOLDERS = ["/proc/fs/lustre", "/sys/kernel/debug/lustre"];
const PATHS = LUSTRE_FOLDERS.map((place) => `${place}/`);
const ADDRESS = 16;
const BYTES = hashOf("[bytes]");
const WAIT = hashOf("req_waittime");

const LLITE_KEYS = "read_bytes,E,U=B write_bytes,E,U=B direct_read,E,U=B direct_write,E,U=B " +
  "osc_read,E,U=B osc_write,E,U=B dirty_pages_hits,E dirty_pages_misses,E ioctl,E open,E " +
  "close,E mmap,E seek,E fsync,E setattr,E truncate,E flock,E getattr,E statfs,E alloc_inode,E " +
  "setxattr,E getxattr,E listxattr,E removexattr,E inode_permission,E readdir,E create,E " +
  "lookup,E link,E unlink,E symlink,E mkdir,E rmdir,E mknod,E rename,E";

/** One line: the sums that there are. */
interface LustreLine {
  /** Hash of the key. */
  readonly key: number;
  readonly isBytes: boolean;
  readonly hasSum: boolean;
  readonly count: readonly [low: number, high: number];
  readonly sum: readonly [low: number, high: number];
}

/** The instances of one kind (llite, mdc, osc), by mount. */
class LustreInstances {
  readonly #host: Host;
  readonly #files: KeptFiles;
  readonly #kind: string;
  #names = new Map<string, string>();

  constructor(node: { host: Host; files: KeptFiles }, kind: string) {
    this.#host = node.host;
    this.#files = node.files;
    this.#kind = kind;
  }

  /** Goes through all instances: takes their lines, and emits a row per mount. */
  collect(row: RawRow, take: (line: LustreLine, row: RawRow) => void): void {
    const paths = new Map<string, string[]>();
    let renewed = false;
    for (const place of LUSTRE_FOLDERS) {
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
    for (const place of LUSTRE_FOLDERS) {
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
}

/** Raw counters of Lustre mounts. Device: `NAME-clilov`. */
export const llite = fileType({
  name: "llite",
  keys: LLITE_KEYS,
  paths: PATHS,
  open(node) {
    const instances = new LustreInstances(node, "llite");
    const table = hashTable(keyNames(LLITE_KEYS));
    return (row) => {
      instances.collect(row, ({ key, isBytes, count, sum }) => {
        const index = table.get(key);
        if (index !== undefined) row.put(index, ...(isBytes ? sum : count));
      });
    };
  },
});

/**
 * A type of requests to one kind of server, added over the servers of a mount: `reqs` and `wait` come
 * from the line req_waittime, all other keys from lines of their own names. Device: `NAME-clilov`.
 */
function requests(name: "mdc" | "osc", keys: string) {
  return fileType({
    name,
    keys,
    paths: PATHS,
    open(node) {
      const instances = new LustreInstances(node, name);
      const names = keyNames(keys);
      const table = hashTable(names);
      const [reqs, wait] = [names.indexOf("reqs"), names.indexOf("wait")];
      return (row) => {
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
      };
    },
  });
}

/** Raw counters of requests to metadata servers. */
export const mdc = requests(
  "mdc",
  "ldlm_cancel,E mds_close,E mds_getattr,E mds_getattr_lock,E mds_getxattr,E mds_readpage,E " +
    "mds_statfs,E mds_sync,E reqs,E wait,E,U=us",
);

/** Raw counters of requests to object servers; one that disappears makes the sum fall. */
export const osc = requests(
  "osc",
  "read_bytes,E,U=B write_bytes,E,U=B ost_destroy,E ost_punch,E ost_read,E ost_setattr,E " +
    "ost_statfs,E ost_write,E reqs,E wait,E,U=us",
);
