/**
 * Requests to Lustre's object servers, per mount, added over its servers: one that disappears makes
 * the sum fall.
 *
 * @module
 */
import { hashOf, hashTable } from "./_lines.ts";
import { LUSTRE_FILES, LustreInstances } from "./_lustre.ts";
import { filesOnly, keyNames, type RawStatsType } from "./raw_type.ts";

const KEYS = "read_bytes,E,U=B write_bytes,E,U=B ost_destroy,E ost_punch,E ost_read,E " +
  "ost_setattr,E ost_statfs,E ost_write,E reqs,E wait,E,U=us";
const WAIT = hashOf("req_waittime");

/** See the module. Device: `NAME-clilov`. */
export const osc: RawStatsType = {
  name: "osc",
  keys: KEYS,
  needs: filesOnly(...LUSTRE_FILES),
  open({ host }) {
    const instances = new LustreInstances(host, "osc");
    const names = keyNames(KEYS);
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
