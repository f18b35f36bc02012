/**
 * Use of Lustre file systems by this client, per mount.
 *
 * Bytes are sums, all else counts: since Lustre 2.13 operations have a sum of microseconds as well,
 * which hpcperfstats stores in place of the count. Due to a bug in Lustre, read_bytes counts what
 * was asked for, not what was returned.
 * @module
 */
import { hashTable } from "./_lines.ts";
import { LUSTRE_FILES, LustreInstances } from "./_lustre.ts";
import { filesOnly, keyNames, type RawStatsType } from "./raw_type.ts";

const KEYS = "read_bytes,E,U=B write_bytes,E,U=B direct_read,E,U=B direct_write,E,U=B " +
  "osc_read,E,U=B osc_write,E,U=B dirty_pages_hits,E dirty_pages_misses,E ioctl,E open,E " +
  "close,E mmap,E seek,E fsync,E setattr,E truncate,E flock,E getattr,E statfs,E alloc_inode,E " +
  "setxattr,E getxattr,E listxattr,E removexattr,E inode_permission,E readdir,E create,E " +
  "lookup,E link,E unlink,E symlink,E mkdir,E rmdir,E mknod,E rename,E";

/** Raw counters of Lustre mounts. Device: `NAME-clilov`. */
export const llite: RawStatsType = {
  name: "llite",
  keys: KEYS,
  needs: filesOnly(...LUSTRE_FILES),
  open({ host }) {
    const instances = new LustreInstances(host, "llite");
    const table = hashTable(keyNames(KEYS));
    return {
      collect(row) {
        instances.collect(row, ({ key, isBytes, count, sum }) => {
          const index = table.get(key);
          if (index !== undefined) row.put(index, ...(isBytes ? sum : count));
        });
      },
      [Symbol.dispose]: () => instances[Symbol.dispose](),
    };
  },
};
