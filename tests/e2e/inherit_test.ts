/** What the application inherits is exactly what it would have without us. */
import { assertEquals } from "@std/assert";
import { BINARY, endToEnd } from "../_support/programs.ts";

/** State of a process, without what differs from one process to the next anyway. */
const STATE = `
  grep -vE '^(Pid|PPid|Tgid|NSpid|NStgid|NSpgid|Ngid|Vm|Rss|Hugetlb|Threads|SigQ|voluntary|nonvol|THP_)' \\
    /proc/self/status
  cat /proc/self/limits /proc/self/timerslack_ns /proc/self/oom_score_adj /proc/self/cgroup
  cat /proc/self/personality /proc/self/coredump_filter
  # group, session, terminal and its group, priority, nice, real-time priority, scheduling class
  cut -d' ' -f5-8,18,19,40,41 /proc/self/stat
  ionice -p $$
  ls -l /proc/self/fd | sed 's/.* \\([0-9]* ->\\)/\\1/; s/pipe:.*/pipe/; s/socket:.*/socket/; s/[0-9]*.fd$/itself/'
  umask; pwd
  env | sort | grep -vE '^(JOULEMARK_SESSION|_|SHLVL|PWD|OLDPWD)='
`;

function stateOf(before: string, command: string[], env: Record<string, string>): string[] {
  // An outer shell sets limits and dispositions that the application must find again.
  const script = before.includes('"$@"') ? before : `${before}\nexec "$@"`;
  const out = new Deno.Command("sh", {
    args: ["-c", script, "sh", ...command, "sh", "-c", STATE],
    env,
    stdin: "null",
    stderr: "inherit",
  }).outputSync();
  assertEquals(out.code, 0);
  return new TextDecoder().decode(out.stdout).split("\n");
}

const BEFORE: Record<string, string> = {
  "as it is": "true",
  "a low limit of open files": "ulimit -Sn 256",
  "no core, little stack": "ulimit -c 0; ulimit -Ss 4096",
  "SIGHUP, SIGINT and SIGPIPE ignored, as under nohup": "trap '' HUP INT PIPE",
  "another umask": "umask 077",
  "lower priority of CPU and disk, one CPU": 'exec nice -n 3 ionice -c 3 taskset -c 0 "$@"',
  "a class of its own": 'exec chrt -b 0 "$@"',
  "other addresses, more memory that can be executed": 'exec setarch -R -X "$@"',
  "no new privileges": 'exec setpriv --no-new-privs "$@"',
  "blocked signals": 'exec env --block-signal=USR1,TERM,CHLD,RTMIN "$@"',
  "a score for the end of memory, what a core holds, a timer that may be late":
    "echo 300 >/proc/$$/oom_score_adj; echo 7 >/proc/$$/coredump_filter; echo 70000 >/proc/$$/timerslack_ns",
  "open files": "exec 5</dev/null 7>/dev/null 9</etc/passwd",
  "closed streams": "exec 0<&-",
};

endToEnd("run spawns the application with the state that it would have without us", (dir) => {
  for (const [what, before] of Object.entries(BEFORE)) {
    const plain = stateOf(before, ["env"], {});
    const ours = stateOf(before, [BINARY, "run", "-q", "--report", `${dir}/r`, "--"], {});
    assertEquals(ours, plain, what);
  }
});

endToEnd("run hands its process over with the state that it would have without us", async (dir) => {
  const job = { PMIX_NAMESPACE: `test-${Deno.pid}-${Math.random()}` };
  const first = new Deno.Command(BINARY, {
    args: ["run", "-q", "--report", `${dir}/r`, "--", "sleep", "60"],
    env: job,
    stdin: "null",
    stdout: "null",
  }).spawn();
  await new Promise((go) => setTimeout(go, 400));
  for (const [what, before] of Object.entries(BEFORE)) {
    const plain = stateOf(before, ["env"], job);
    const ours = stateOf(before, [BINARY, "run", "-q", "--report", `${dir}/r2`, "--"], job);
    assertEquals(ours, plain, what);
  }
  first.kill("SIGTERM");
  await first.status;
  // One report per node: the processes that came later wrote none.
  assertEquals([...Deno.readDirSync(dir)].map((e) => e.name).sort(), ["r", "r.timeline"]);
});
