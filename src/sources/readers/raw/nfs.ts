/**
 * NFS mounts of version 3 and earlier: events, bytes, transport and operations of each, from
 * /proc/self/mountstats.
 *
 * Truth: fs/nfs/super.c and net/sunrpc/stats.c of the kernel; only `fstype nfs` with `statvers=1.0`
 * or `1.1` counts, as in hpcperfstats, so that nfs4 mounts are left out.
 * @module
 */
import { fileType } from "./_lines.ts";
import { keyNames, type RawRow } from "./raw_type.ts";

const PATH = "/proc/self/mountstats";
const EVENTS = ("inode_revalidate dentry_revalidate data_invalidate attr_invalidate vfs_open " +
  "vfs_lookup vfs_access vfs_updatepage vfs_readpage vfs_readpages vfs_writepage vfs_writepages " +
  "vfs_getdents vfs_setattr vfs_flush vfs_fsync vfs_lock vfs_release congestion_wait " +
  "setattr_trunc extend_write silly_rename short_read short_write delay").split(" ");
const BYTES = ("normal_read,E,U=B normal_write,E,U=B direct_read,E,U=B direct_write,E,U=B " +
  "server_read,E,U=B server_write,E,U=B read_page,E write_page,E").split(" ");
const TRANSPORT = "xprt_sends,E xprt_recvs,E xprt_bad_xids,E xprt_req_u,E xprt_bklog_u,E"
  .split(" ");
const OPERATIONS = ("ACCESS COMMIT CREATE FSINFO FSSTAT GETATTR LINK LOOKUP MKDIR MKNOD PATHCONF " +
  "READ READDIR READDIRPLUS READLINK REMOVE RENAME RMDIR SETATTR SYMLINK WRITE").split(" ");
const PER_OPERATION = ("ops,E ntrans,E timeouts,E bytes_sent,E,U=B bytes_recv,E,U=B " +
  "queue,E,U=ms rtt,E,U=ms execute,E,U=ms").split(" ");

const KEYS = [
  ...EVENTS.map((name) => `${name},E`),
  ...BYTES,
  ...TRANSPORT,
  ...OPERATIONS.flatMap((operation) => PER_OPERATION.map((key) => `${operation}_${key}`)),
].join(" ");

const INDEX = new Map(keyNames(KEYS).map((name, i) => [name, i]));
const HEAD = /^device .* mounted on (\S+) with fstype nfs statvers=1\.[01]$/;

/** Raw counters of NFS mounts. Device: mount point. */
export const nfs = fileType({
  name: "nfs",
  keys: KEYS,
  paths: [PATH],
  open: ({ host }) => (row) => {
    let mount: string | undefined;
    for (const line of (host.readText(PATH) ?? "").split("\n")) {
      if (line.startsWith("device ")) {
        if (mount !== undefined) row.emit(mount);
        mount = HEAD.exec(line)?.[1];
      } else if (mount !== undefined) section(line.trim(), row);
    }
    if (mount !== undefined) row.emit(mount);
  },
});

function section(line: string, row: RawRow): void {
  const at = line.indexOf(":");
  if (at < 0) return;
  const name = line.slice(0, at);
  const words = line.slice(at + 1).trim().split(/\s+/);
  if (name === "events") putAll(row, 0, words.slice(0, EVENTS.length));
  else if (name === "bytes") putAll(row, EVENTS.length, words.slice(0, BYTES.length));
  else if (name === "xprt") {
    // behind the protocol: port and, for connections, four numbers about them
    const skipped = words[0] === "udp" ? 3 : 6;
    const values = words.slice(skipped, skipped + TRANSPORT.length);
    putAll(row, EVENTS.length + BYTES.length, values);
  } else {
    const first = INDEX.get(`${name}_ops`);
    if (first !== undefined) putAll(row, first, words.slice(0, PER_OPERATION.length));
  }
}

function putAll(row: RawRow, first: number, words: readonly string[]): void {
  words.forEach((word, i) => {
    if (!/^\d{1,20}$/.test(word)) return;
    const value = BigInt(word);
    row.put(first + i, Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn));
  });
}
