/**
 * System V shared memory: size and number of segments, from /proc/sysvipc/shm.
 *
 * Truth: proc(5); the first line is a title, the fourth column is the size in bytes.
 * @module
 */
import { fileType, LINES } from "./_lines.ts";

const PATH = "/proc/sysvipc/shm";

/** Raw figures of shared memory segments. Device: `-`. */
export const sysvShm = fileType({
  name: "sysv_shm",
  keys: "mem_used,U=B segs_used",
  paths: [PATH],
  open: ({ files }) => (row) => {
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
});
