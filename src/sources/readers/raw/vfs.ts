/**
 * Directory entries, open files and inodes in use, from /proc/sys/fs.
 *
 * Truth: Documentation/admin-guide/sysctl/fs.rst: `dentry-state` and `inode-state` begin with the
 * number there is and the number that is free, `file-nr` with the number in use.
 * @module
 */
import { fileType, LINES } from "./_lines.ts";

const DIRECTORY = "/proc/sys/fs/";

/** Raw figures of the kernel's file tables. Device: `-`. */
export const vfs = fileType({
  name: "vfs",
  keys: "dentry_use file_use inode_use",
  paths: [DIRECTORY],
  open({ files }) {
    const read = (name: string) => {
      const lines = files.lines(DIRECTORY + name);
      if (!lines?.next() || !lines.number()) return undefined;
      const first = LINES.high * 4294967296 + LINES.low;
      const second = lines.number() ? LINES.high * 4294967296 + LINES.low : 0;
      return [first, second] as const;
    };
    return (row) => {
      const dentries = read("dentry-state");
      if (dentries !== undefined) row.putNumber(0, Math.max(0, dentries[0] - dentries[1]));
      const open = read("file-nr");
      if (open !== undefined) row.putNumber(1, open[0]);
      const inodes = read("inode-state");
      if (inodes !== undefined) row.putNumber(2, Math.max(0, inodes[0] - inodes[1]));
      row.emit("-");
    };
  },
});
