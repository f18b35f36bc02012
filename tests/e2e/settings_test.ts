/** Configuration files of the user and of the site, as the executable takes them. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BINARY, endToEnd, joulemark, NO_BINARY } from "../_support/programs.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { NOT_ROOT, skippedWithout, succeeds, unless } from "../_support/skipped.ts";

/** A user's configuration. @returns The variable that names its directory. */
function userFile(dir: string, text: string): Record<string, string> {
  Deno.mkdirSync(`${dir}/config`, { recursive: true });
  Deno.writeTextFileSync(`${dir}/config/joulemark.conf`, text, { mode: 0o644 });
  return { XDG_CONFIG_HOME: `${dir}/config` };
}

const exists = (path: string) => {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
};

endToEnd("a user's file sets options of run, variables and flags go before it", (dir) => {
  const env = userFile(dir, "report = from-file\nsimulate =\nquiet = on\n");
  const first = joulemark(dir, ["run", "--", "true"], env);
  assertEquals([first.code, first.stderr], [0, ""]);
  assertMatch(Deno.readTextFileSync(`${dir}/from-file`), /simulated/);
  assertEquals(joulemark(dir, ["run", "--report", "flag", "--", "true"], env).code, 0);
  assertEquals(joulemark(dir, ["run", "--", "true"], { ...env, JOULEMARK_REPORT: "ours" }).code, 0);
  assert(exists(`${dir}/flag`) && exists(`${dir}/ours`));
});

endToEnd("whatever is wrong in a file, the command of run runs, measured by the rest", (dir) => {
  for (
    const [text, line] of [
      [
        "reprot = x\nreport = r",
        'joulemark.conf:1: unknown option of run "reprot" (did you mean "report"?)',
      ],
      ["period = soon\nreport = r", "expected a number of seconds from"],
      ["attribution = magic\nreport = x", "The configuration files are ignored"],
      ["report-signals = CPU_ENERGIE", "The configuration files are ignored"],
      ["idle = /none/such", "The configuration files are ignored"],
      ["[rnu]\nreport = x", 'unknown verb "rnu" (did you mean "run"?)'],
    ]
  ) {
    const env = userFile(dir, `${text}\n`);
    const { code, stderr } = joulemark(dir, ["run", "-q", "--", "sh", "-c", "exit 7"], env);
    assertEquals(code, 7, stderr);
    assertStringIncludes(stderr, line);
    assertEquals(stderr.trimEnd().split("\n").length, 1, stderr);
    const report = text.includes("report = r") ? "r" : "joulemark.report";
    assert(exists(`${dir}/${report}`), `${text}: no ${report}`);
    Deno.removeSync(`${dir}/${report}`);
  }
});

endToEnd("other verbs end with a wrong key of their own, and doctor shows all", (dir) => {
  const env = userFile(dir, "period = 0.01\n[read]\nroto = /x\n[monitor]\ninterval = 60\n");
  const read = joulemark(dir, ["read", "TIME", "board", "0"], env);
  assertEquals([read.code, read.stderr.trimEnd().split("\n").length], [2, 1]);
  assertMatch(
    read.stderr,
    /joulemark.conf:3: unknown option of read "roto" \(did you mean "root"\?\)/,
  );
  assertEquals(joulemark(dir, ["--version"], env).code, 0);
  const doctor = joulemark(dir, ["doctor", "--sources"], { ...env, JOULEMARK_REPORT: "x" });
  assertEquals([doctor.code, doctor.stderr], [0, ""]);
  // Long paths are broken after a slash.
  const flat = doctor.stdout.replace(/\/\n +/g, "/").replace(/\s+/g, " ");
  assertStringIncludes(flat, "joulemark.conf 3 settings /etc/joulemark.conf");
  assertStringIncludes(flat, `period 0.01 (${dir}/config/joulemark.conf:1)`);
  assertStringIncludes(flat, "report x (JOULEMARK_REPORT)");
  assertStringIncludes(flat, "monitor: interval 60");
  assertStringIncludes(flat, 'unknown option of read "roto" (did you mean "root"?)');
  const json = JSON.parse(joulemark(dir, ["doctor", "--json"], env).stdout);
  assertEquals(json.settings.inForce.map((s: { option: string }) => s.option), [
    ...["period", "interval"],
  ]);
});

endToEnd("a file that others can write is not taken, and said so", (dir) => {
  const env = userFile(dir, "report = x\n");
  Deno.chmodSync(`${dir}/config/joulemark.conf`, 0o666);
  const { code, stderr } = joulemark(dir, ["run", "-q", "--", "true"], env);
  assertEquals([code, exists(`${dir}/x`)], [0, false]);
  assertMatch(
    stderr,
    /^joulemark: .*joulemark.conf is ignored: others may write to it: chmod go-w\n$/,
  );
});

Deno.test({
  ...skippedWithout(
    "the site's file is /etc/joulemark.conf, below the user's; setcap takes no user's file",
    NO_BINARY,
    NOT_ROOT,
    unless(succeeds("unshare", "-m", "true"), "unshare -m is not allowed"),
  ),
  fn: () =>
    withTimeLimit(() => {
      const dir = Deno.makeTempDirSync();
      try {
        Deno.chmodSync(dir, 0o755);
        const env = userFile(dir, "profile = mine\n");
        const script = `set -e
mount --make-rprivate /
cp -a /etc '${dir}/etc'
printf 'profile = site\\nquiet = on\\nreport = ${dir}/out/r\\n' > '${dir}/etc/joulemark.conf'
mount --bind '${dir}/etc' /etc
# Where root's own directory is not in the way of the namespace's root.
mount -t tmpfs none /dev/shm
chmod 1777 /dev/shm
mkdir -m 777 '${dir}/out'
'${BINARY}' run -- true
grep Profile '${dir}/out/r'
XDG_CONFIG_HOME=/none '${BINARY}' run -- true
grep Profile '${dir}/out/r'
cp '${BINARY}' '${dir}/elevated'
chmod 755 '${dir}/elevated'
setpriv --reuid=1234 --regid=1234 --clear-groups unshare -U true && {
  chown 1234 '${dir}/out'
  rm -rf /dev/shm/joulemark-0
  XDG_CONFIG_HOME=/none setpriv --reuid=1234 --regid=1234 --clear-groups \\
    unshare -U -r '${dir}/elevated' run -- true 2>&1
  sed -n 's/^Profile/Namespace/p' '${dir}/out/r'
} || echo no user namespace
setcap cap_sys_nice+ep '${dir}/elevated' || { echo no setcap; exit 0; }
chown -R 65534:65534 '${dir}/out' '${dir}/config'
setpriv --reuid=65534 --regid=65534 --clear-groups '${dir}/elevated' run -- true 2>&1
grep Profile '${dir}/out/r'
`;
        const out = new Deno.Command("unshare", { args: ["-m", "bash", "-c", script], env })
          .outputSync();
        const text = new TextDecoder().decode(out.stdout) + new TextDecoder().decode(out.stderr);
        assert(out.success, text);
        const lines = text.trimEnd().split("\n");
        assertEquals(lines.slice(0, 2), [`Profile: "mine"`, `Profile: "site"`]);
        // In a user namespace root is nobody, and /etc is root's still.
        if (lines[2] !== "no user namespace") assertEquals(lines[2], `Namespace: "site"`);
        if (lines[3] === "no setcap") return;
        assertMatch(lines[3], /config\/joulemark.conf is ignored: joulemark has more rights/);
        assertEquals(lines[4], `Profile: "site"`);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    }),
});

endToEnd("signals of GEOPM's variables that cannot be are ignored, and the command runs", (dir) => {
  const run = (env: Record<string, string>, ...args: string[]) => {
    return joulemark(dir, ["run", "-q", "--simulate", ...args, "--", "sh", "-c", "exit 4"], env);
  };
  for (
    const [name, value, why] of [
      ["GEOPM_REPORT_SIGNALS", "nosuch", 'unknown signal "nosuch"'],
      ["GEOPM_REPORT_SIGNALS", "CPU_POWER@nodomain", "expected one of the domains"],
      ["GEOPM_REPORT_SIGNALS", "@@", "with one @"],
      ["GEOPM_TRACE_SIGNALS", "nosuch", 'unknown signal "nosuch"'],
      [
        "GEOPM_TRACE_SIGNALS",
        "CPU_ENERGY@core",
        "expected one of the domains board, package, found core",
      ],
    ]
  ) {
    const { code, stderr } = run({ GEOPM_REPORT: "", GEOPM_TRACE: "t", [name]: value });
    assertEquals([code, stderr.trimEnd().split("\n").length], [4, 1], stderr);
    assertStringIncludes(stderr, why);
    assertStringIncludes(stderr, `. ${name} is ignored\n`);
    assertEquals(Deno.statSync(`${dir}/geopm.report`).isFile, true);
    Deno.removeSync(`${dir}/geopm.report`);
    // Words of the user are refused.
    const own = name.replace("GEOPM_", "--").toLowerCase().replace("_", "-");
    const flag = run({}, "--trace", "u", `${own}=${value}`);
    assertEquals([flag.code, flag.stderr.includes(why)], [2, true], flag.stderr);
  }
});
