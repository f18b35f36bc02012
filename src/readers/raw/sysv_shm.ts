/**
 * System V shared memory: size and number of segments, from /proc/sysvipc/shm.
 *
 * Truth: proc(5); the first line is a title, the fourth column is the size in bytes.
 * @module
 */
import { KeptFiles, LINES } from "./_lines.ts";
import { filesOnly, type RawStatsType } from "./raw_type.ts";

const PATH = "/proc/sysvipc/shm";

/** Raw figures of shared memory segments. Device: `-`. */
export const sysvShm: RawStatsType = {
  name: "sysv_shm",
  keys: "mem_used,U=B segs_used",
  needs: filesOnly(PATH),
  open({ host }) {
    const files = new KeptFiles(host);
    return {
      collect(row) {
        const lines = files.lines(PATH);
        if (!lines?.next()) return;
        row.put(0, 0, 0);
        let segments = 0;
        while (lines.next()) {
          for (let i = 0; i < 3; i++) lines.word();
          if (!lines.number()) continue;
          row.add(0, LINES.low, LINES.high);
          segments++;
        }
        row.putNumber(1, segments);
        row.emit("-");
      },
      [Symbol.dispose]: () => files[Symbol.dispose](),
    };
  },
};
