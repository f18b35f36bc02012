/**
 * Requests to Lustre's metadata servers, per mount, added over its servers.
 *
 * @module
 */
import { hashOf, hashTable } from "./_lines.ts";
import { LUSTRE_FILES, LustreInstances } from "./_lustre.ts";
import { filesOnly, keyNames, type RawStatsType } from "./raw_type.ts";

const KEYS = "ldlm_cancel,E mds_close,E mds_getattr,E mds_getattr_lock,E mds_getxattr,E " +
  "mds_readpage,E mds_statfs,E mds_sync,E reqs,E wait,E,U=us";
const WAIT = hashOf("req_waittime");

/** See the module. Device: `NAME-clilov`. */
export const mdc: RawStatsType = {
  name: "mdc",
  keys: KEYS,
  needs: filesOnly(...LUSTRE_FILES),
  open({ host }) {
    const instances = new LustreInstances(host, "mdc");
    const names = keyNames(KEYS);
    const table = hashTable(names);
    const [reqs, wait] = [names.indexOf("reqs"), names.indexOf("wait")];
    return {
      collect(row) {
        instances.collect(row, ({ key, hasSum, count, sum }) => {
          if (!hasSum) return;
          if (key === WAIT) {
            row.add(reqs, ...count);
            row.add(wait, ...sum);
            return;
          }
          const index = table.get(key);
          if (index !== undefined) row.add(index, ...count);
        });
      },
      [Symbol.dispose]: () => instances[Symbol.dispose](),
    };
  },
};
