/**
 * Memory and placement of users' processes, from /proc/PID/status.
 *
 * Truth: proc(5). Left out, as in hpcperfstats: processes of root, of users that the node does not
 * know and of its services, and shells; what remains are the programs of jobs.
 * @module
 */
import { fileType, hashOf, hashTable, LINES, type Lines } from "./_lines.ts";
import { keyNames, type RawRow } from "./raw_type.ts";

const KEYS = "Uid VmPeak,U=kB VmSize,U=kB VmLck,U=kB VmHWM,U=kB VmRSS,U=kB VmData,U=kB " +
  "VmStk,U=kB VmExe,U=kB VmLib,U=kB VmPTE,U=kB VmSwap,U=kB Threads";
const SERVICES = new Set(["postfix", "rpc", "rpcuser", "dbus", "daemon", "ntp"]);
const SHELLS = new Set(["bash", "ssh", "sshd", "metacity"]);
const NAME = hashOf("Name");
const CPUS = hashOf("Cpus_allowed_list");
const MEMORIES = hashOf("Mems_allowed_list");

/** Raw figures of users' processes. Device: `NAME/PID/CPUS/MEMORIES`; a name may hold blanks. */
export const proc = fileType({
  name: "proc",
  keys: KEYS,
  paths: ["/proc/"],
  open({ host, machine }) {
    const table = hashTable(keyNames(KEYS));
    return (row) => {
      for (const pid of host.list("/proc")) {
        const first = pid.charCodeAt(0);
        if (first < 48 || first > 57) continue;
        const uid = machine.ownerOf(pid);
        if (uid === undefined || uid === 0) continue;
        const user = machine.userName(uid);
        if (user === undefined || SERVICES.has(user)) continue;
        try {
          using file = host.keep(`/proc/${pid}/status`);
          if (LINES.open(file)) status(LINES, pid, table, row);
        } catch {
          // gone in between
        }
        row.clear();
      }
    };
  },
});

function status(lines: Lines, pid: string, table: Map<number, number>, row: RawRow): void {
  let name = "";
  let cpus = "";
  let memories = "";
  while (lines.next()) {
    const word = lines.word();
    if (word === NAME) {
      // the kernel escapes line ends in names, so a name is always one line
      name = lines.rest();
      if (SHELLS.has(name)) return;
    } else if (word === CPUS) cpus = lines.rest();
    else if (word === MEMORIES) memories = lines.rest();
    else {
      const key = table.get(word);
      if (key !== undefined && lines.number()) row.put(key, LINES.low, LINES.high);
    }
  }
  row.emit(`${name}/${pid}/${cpus}/${memories}`);
}
