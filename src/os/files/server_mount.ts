/**
 * Files of a server: what is written to them goes over the network.
 * @module
 */
import { readText, statPath } from "../files.ts";

/** Types of such file systems, as /proc/self/mountinfo has them (proc_pid_mountinfo(5)). */
const TYPES: ReadonlySet<string> = new Set([
  ...["nfs", "nfs4", "lustre", "gpfs", "beegfs", "ceph", "cifs", "smb3", "afs", "panfs", "wekafs"],
  ...["orangefs", "fuse.sshfs", "fuse.glusterfs", "fuse.ceph"],
]);

/** Is the directory on a file server? False if that is not known. */
export function isOnServer(directory: string): boolean {
  const facts = statPath(directory);
  const mounts = facts === undefined ? undefined : readText("/proc/self/mountinfo");
  return mounts !== undefined && TYPES.has(typeOfDevice(mounts, facts!.device) ?? "");
}

/** The type of the file system that has a device number: `36 35 0:52 / /home rw shared:1 - nfs4 …`. */
export function typeOfDevice(mountinfo: string, device: number): string | undefined {
  // new_encode_dev() in the kernel's include/linux/kdev_t.h.
  const major = device >>> 8 & 0xfff, minor = (device & 0xff) + (device >>> 20 << 8);
  const line = mountinfo.split("\n").find((one) => one.split(" ")[2] === `${major}:${minor}`);
  return line === undefined ? undefined : / - (\S+)/.exec(line)?.[1];
}
