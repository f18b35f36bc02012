/**
 * `joulemark collector`: counters that root alone may read, for monitors without rights.
 * @module
 */
import { COLLECTOR_SOCKET } from "../os/collector_client.ts";
import { confineToOpenFiles } from "../os/confinement/confine.ts";
import { dropPermissions } from "../os/confinement/drop_permissions.ts";
import { MachineHost } from "../os/host.ts";
import { libc } from "../os/libc.ts";
import { Listener } from "../os/socket.ts";
import { groupId, userId } from "../os/users.ts";
import { CounterServer } from "../sources/serve/counter_server.ts";
import { CounterTable } from "../sources/serve/counter_table.ts";
import { type Audience, listenForMonitors } from "../sources/serve/listen.ts";
import { quietOption, ROOT } from "./command_line/common_options.ts";
import { misused, type ParsedOptions } from "./command_line/options.ts";
import type { Verb } from "./command_line/verb.ts";
import { EXIT } from "./exit_codes.ts";
import { say } from "./io.ts";

/** The user "nobody", without files of its own. */
const NOBODY_UID = 65534;

/** Serves counters to monitors without rights. */
export const collector: Verb = {
  name: "collector",
  usage: ["[--user LIST | --group NAME] [options]"],
  about: `Privileged helper: reads restricted counters for unprivileged runs.

The collector opens the energy counters of powercap, hwmon and pm_counters, and the registers of
"doctor --allow-list". Then the collector drops all its rights. It sends values over a socket, only
to the named users. "run", "read", "sample" and "doctor" use it for counters that you may not read.
A client cannot request other files. Energy is read at most once a millisecond. "doctor --unit"
prints files that start the collector with systemd and Slurm.`,
  options: [
    {
      name: "socket",
      value: "PATH",
      default: COLLECTOR_SOCKET,
      help: "socket to listen on. If systemd passes a socket, the collector uses that one",
    },
    {
      name: "user",
      value: "LIST",
      help: "users that may connect, comma-separated; root may always connect",
    },
    {
      name: "group",
      value: "NAME",
      help: "group whose members may connect; the collector gives the socket this group",
    },
    ROOT,
    quietOption("print only errors on stderr"),
  ],
  notes:
    "Without --user and --group, only the collector's own user may connect. If systemd passes " +
    "the socket, the file mode of the socket decides which users may connect. Frequent energy readings reveal computations of other " +
    "users (CVE-2020-8694). Give access only to users who have the node for themselves.",
  examples: [
    "joulemark collector --user $SLURM_JOB_USER",
    "joulemark collector --group hpc",
    "joulemark collector --root TREE --socket TREE/socket",
  ],
  run: serve,
};

const usage = (expected: string, found: string) => misused("collector", expected, found);

function audienceOf({ text, words }: ParsedOptions): Audience {
  if (words.length > 0) throw usage("options only", words[0]);
  if (text.user !== undefined && text.group !== undefined) {
    throw usage("either --user or --group", "both");
  }
  const names = text.user?.split(",").map((name) => name.trim());
  const users = names?.map((name) => {
    const id = userId(name);
    if (id === undefined) throw usage("a user of this node for --user", name);
    return id;
  });
  const group = text.group === undefined ? undefined : groupId(text.group);
  if (text.group !== undefined && group === undefined) {
    throw usage("a group of this node for --group", text.group);
  }
  return { users: users === undefined ? undefined : new Set(users), group };
}

function serve(options: ParsedOptions): number {
  const audience = audienceOf(options);
  const root = options.text.root ?? "";
  const host = new MachineHost(root);
  if (root !== "" && host.list("/").length === 0) throw usage("--root: a directory like /", root);
  using table = new CounterTable(host);
  if (table.table.files.length + table.table.cpus.length === 0) {
    say("no restricted counter can be read on this node by this user. See joulemark doctor");
    return EXIT.failed;
  }
  const path = options.text.socket ?? COLLECTOR_SOCKET;
  const given = Listener.given((name) => Deno.env.get(name));
  using listener = given ?? listenForMonitors(path, audience);
  const own = libc().geteuid();
  using server = new CounterServer(table, listener, (uid) => {
    const { users } = audience;
    const isNamed = users === undefined || users.has(uid) || uid === 0 || uid === own;
    return isNamed ? undefined : "this collector is for other users";
  });
  // Samples of others wait for the answers; what may be asked of it is bounded.
  libc().setpriority(0, 0, -20);
  const { privileges, calls } = confineToOpenFiles(NOBODY_UID);
  dropPermissions();
  if (!options.flags.has("quiet")) {
    const { files, cpus, registers } = table.table;
    const what = cpus.length === 0 ? "" : `, ${registers.length} registers of ${cpus.length} CPUs`;
    const where = given === undefined ? path : "the socket of systemd";
    say(`${files.length} files${what} on ${where}; rights: ${privileges}, system calls: ${calls}`);
  }
  for (;;) server.turn();
}
