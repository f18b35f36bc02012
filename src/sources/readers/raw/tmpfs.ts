/**
 * Use of memory-backed file systems: the mounts of type tmpfs, by statvfs(3).
 *
 * @module
 */
import { fileType } from "./_lines.ts";

const PATH = "/proc/mounts";

/** Raw figures of tmpfs mounts. Device: mount point, escaped as in /proc/mounts. */
export const tmpfs = fileType({
  name: "tmpfs",
  keys: "bytes_used,U=B files_used",
  paths: [PATH],
  open: ({ host, machine }) => (row) => {
    const seen = new Set<string>();
    for (const line of (host.readText(PATH) ?? "").split("\n")) {
      const [, mount, type] = line.split(" ");
      if (type !== "tmpfs" || seen.has(mount)) continue;
      seen.add(mount);
      const path = mount.replace(
        /\\([0-7]{3})/g,
        (_, octal) => String.fromCharCode(parseInt(octal, 8)),
      );
      const facts = machine.statFileSystem(path);
      if (facts === undefined) continue;
      row.putNumber(0, facts.frsize * (facts.blocks - facts.bfree));
      row.putNumber(1, facts.files - facts.ffree);
      row.emit(mount);
    }
  },
});
