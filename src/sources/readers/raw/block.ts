/**
 * Traffic of block devices: the first eleven numbers of /sys/block/DEV/stat.
 *
 * Truth: Documentation/block/stat.rst; later kernels append more. The tick fields are 32 bits wide
 * in older kernels, although no width is declared.
 * @module
 */
import { fileType, LINES } from "./_lines.ts";

const DIRECTORY = "/sys/block/";
const KEYS = 11;

/** Raw counters of block devices. Device: name of the block device, without loop and ram devices. */
export const block = fileType({
  name: "block",
  keys: "rd_ios,E rd_merges,E rd_sectors,E,U=512B rd_ticks,E,U=ms wr_ios,E wr_merges,E " +
    "wr_sectors,E,U=512B wr_ticks,E,U=ms in_flight io_ticks,E,U=ms time_in_queue,E,U=ms",
  paths: [DIRECTORY],
  open: ({ files, host }) => (row) => {
    for (const name of host.list(DIRECTORY)) {
      if (name.startsWith("ram") || name.startsWith("loop") || name.startsWith(".")) continue;
      const lines = files.lines(`${DIRECTORY}${name}/stat`);
      if (!lines?.next()) continue;
      for (let k = 0; k < KEYS && lines.number(); k++) row.put(k, LINES.low, LINES.high);
      row.emit(name);
    }
  },
});
