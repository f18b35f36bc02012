/** An executable with file capabilities, setcap(8), run by a user without: they open counters, and nothing else. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { compile } from "../_support/compiled.ts";
import { NO_PRIVATE_NODE, onPrivateNode } from "../_support/private_node.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";
import { NO_STRACE } from "../_support/strace.ts";
import { NOT_ROOT } from "../_support/skipped.ts";

const NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups"];
/** To read and to write any file, and to open /dev/cpu/N/msr. */
const CAPABILITIES = "cap_dac_override,cap_dac_read_search,cap_sys_rawio+ep";
/** The least that a centre gives: perf events where perf_event_paranoid closes them. */
const PERF_ALONE = "cap_perfmon+ep";

/** A copy of the executable with capabilities, in the folder; `undefined`, and said why: there can be none. */
function capableIn(dir: string, capabilities = CAPABILITIES): string | undefined {
  const file = `${dir}/capable`;
  Deno.chmodSync(dir, 0o755);
  if (NOT_ROOT !== undefined) {
    return void console.log("skipped: only root gives a file capabilities");
  }
  for (const copy of [file, `${dir}/plain`]) Deno.copyFileSync(BINARY, copy);
  try {
    if (new Deno.Command("setcap", { args: [capabilities, file] }).outputSync().success) {
      return file;
    }
    return void console.log("skipped: no file capabilities here");
  } catch {
    return void console.log("skipped: no setcap");
  }
}

/** What user 65534 gets by it. */
function asNobody(file: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  const { code, stdout, stderr } = new Deno.Command("setpriv", {
    args: [...NOBODY, file, ...args],
    cwd,
    env,
    stdin: "null" as const,
  }).outputSync();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, text: text(stdout) + text(stderr) };
}

/** A folder of user 65534's, and one that only root writes to, with a file that only root reads. */
function foldersIn(dir: string): { own: string; closed: string; secret: string } {
  const [own, closed] = [`${dir}/own`, `${dir}/closed`];
  Deno.mkdirSync(own);
  Deno.chownSync(own, 65534, 65534);
  Deno.mkdirSync(closed, { mode: 0o755 });
  const secret = `${closed}/secret`;
  Deno.writeTextFileSync(secret, "hunter2 hunter3\n", { mode: 0o600 });
  return { own, closed, secret };
}

endToEnd(
  "with file capabilities no code comes from where the caller writes",
  (dir) => {
    const file = capableIn(dir);
    if (file === undefined) return;
    const { own } = foldersIn(dir);
    const env = { DENO_DIR: own, NODE_OPTIONS: "--require=./x.js", HOME: own, TMPDIR: own };
    const filesOf = (executable: string) => {
      const { code } = new Deno.Command("strace", {
        args: [
          ...["-f", "-qq", "-o", `${dir}/calls`, "-e", "trace=openat,open,capset"],
          ...[
            "setpriv",
            ...NOBODY,
            executable,
            "run",
            "-q",
            "--",
            "grep",
            "Cap",
            "/proc/self/status",
          ],
        ],
        cwd: own,
        env,
        stdin: "null" as const,
        stdout: "null" as const,
      }).outputSync();
      assertEquals(code, 0);
      return Deno.readTextFileSync(`${dir}/calls`);
    };
    const code = /"[^"]*v8_code_cache[^"]*"/g;
    // V8's is laid in the session, which is the caller's: he could exchange it.
    assertMatch(filesOf(`${dir}/plain`), code);
    const calls = filesOf(file);
    assertEquals(calls.match(code), null);
    const opened = [...calls.matchAll(/"([^"]+)", [^)\n]*\) = \d/g)].map(([, path]) => path);
    const isCode = (path: string) => /\.(?:so(?:\.\d+)*|js|node|json|npmrc)$/.test(path);
    const isSystems = (path: string) => /^\/(?:usr\/)?lib(?:64)?\//.test(path);
    assertEquals(opened.filter((path) => isCode(path) && !isSystems(path)), []);
  },
  undefined,
  NO_STRACE,
);

endToEnd("with file capabilities outputs are made by the caller's own rights", (dir) => {
  const file = capableIn(dir);
  if (file === undefined) return;
  const { own, closed } = foldersIn(dir);
  const before = [...Deno.readDirSync(closed)].length;
  const options = ["report", "trace", "record", "event-log", "html", "perfetto", "pmc", "idle"];
  for (const name of options) {
    const args = ["run", "-q", `--${name}`, `${closed}/${name}`, "--", "sh", "-c", "exit 7"];
    const { code, text } = asNobody(file, args, own);
    assert(!text.includes("hunter"), `${name}: ${text}`);
    // What only this program may write is none of the command's business, but for a wrong request.
    assert(code === 7 || code === 2, `${name}: ${code} ${text}`);
    assertStringIncludes(text, closed, name);
  }
  asNobody(file, ["capture", "-q", "--frames", "1", `${closed}/capture`], own);
  asNobody(file, ["monitor", "--once", "--dir", closed], own);
  assertEquals([...Deno.readDirSync(closed)].length, before);
  assertEquals(Deno.readTextFileSync(`${closed}/secret`), "hunter2 hunter3\n");
});

endToEnd("with file capabilities what variables name is read by the caller's own rights", (dir) => {
  const file = capableIn(dir);
  if (file === undefined) return;
  const { own, secret } = foldersIn(dir);
  const tree = `${own}/tree`;
  Deno.mkdirSync(`${tree}/proc/sys/kernel`, { recursive: true });
  for (const name of ["ostype", "osrelease", "version", "hostname"]) {
    Deno.symlinkSync(secret, `${tree}/proc/sys/kernel/${name}`);
  }
  for (const name of ["cpuinfo", "stat"]) Deno.symlinkSync(secret, `${tree}/proc/${name}`);
  for (
    const [args, env] of [
      [["doctor"], { JOULEMARK_ROOT: tree }],
      [["doctor", "--root", tree], {}],
      [["run", "-q", "--", "true"], { JOULEMARK_ROOT: tree }],
      [["run", "-q", "--", "true"], { JOULEMARK_PROBE: `${secret}:main` }],
      [["run", "-q", "--", "true"], { JOULEMARK_IDLE: secret }],
      [["run", "-q", "--", "cat", secret], {}],
      [["run", "-q", "--", secret], {}],
      [["monitor", "--once", "--root", tree], {}],
    ] as const
  ) {
    const { text } = asNobody(file, [...args], own, env as Record<string, string>);
    assert(!text.includes("hunter"), `${args.join(" ")}: ${text}`);
  }
  for (const { name } of Deno.readDirSync(own)) {
    if (name === "tree") continue;
    assert(!Deno.readTextFileSync(`${own}/${name}`).includes("hunter"), name);
  }
});

/**
 * Runs a script as root where /dev has a GPU's device and /opt, from where libraries may be loaded, has
 * a library that leaves `loaded` where it is.
 */
function onNodeWithLibrary(dir: string, script: string): void {
  compile("e2e/loaded_library.c", `${dir}/libnvidia-ml.so.1`, ["-shared", "-fPIC"]);
  Deno.mkdirSync(`${dir}/dev/shm`, { recursive: true });
  const mounts = `set -e
    mount -t tmpfs none /opt
    cp libnvidia-ml.so.1 /opt/
    mount -t tmpfs none dev
    cp -a /dev/null /dev/zero /dev/urandom /dev/random dev/
    mkdir dev/shm
    mount --bind /dev/shm dev/shm
    : > dev/nvidia0
    mount --rbind dev /dev\n`;
  const { success, stderr } = new Deno.Command("unshare", {
    args: ["-m", "sh", "-c", mounts + script],
    cwd: dir,
    stdin: "null",
    stdout: "null",
  }).outputSync();
  assert(success, new TextDecoder().decode(stderr));
}

endToEnd(
  "with file capabilities no library is loaded that the caller names",
  (dir) => {
    const file = capableIn(dir);
    if (file === undefined) return;
    const perf = `${dir}/perf`;
    Deno.copyFileSync(BINARY, perf);
    assert(new Deno.Command("setcap", { args: [PERF_ALONE, perf] }).outputSync().success);
    const { own } = foldersIn(dir);
    const library = "/opt/libnvidia-ml.so.1";
    const variables = {
      nvml: `JOULEMARK_NVML=${library}`,
      path: "LD_LIBRARY_PATH=/opt",
      preload: `LD_PRELOAD=${library}`,
    };
    const lines = ["plain", "capable", "perf"].flatMap((executable) =>
      Object.entries(variables).map(([name, variable]) => {
        const command = ["setpriv", ...NOBODY, "env", variable, `${dir}/${executable}`, "doctor"];
        return `cd ${own}; ${command.join(" ")} || true; ` +
          `[ ! -e loaded ] || mv loaded ${executable}-${name}`;
      })
    );
    onNodeWithLibrary(dir, lines.join("\n"));
    const loaded = [...Deno.readDirSync(own)].map(({ name }) => name).sort();
    // LD_PRELOAD is the application's: no monitor loads it.
    assertEquals(loaded, ["plain-nvml", "plain-path"]);
  },
  undefined,
  NO_PRIVATE_NODE,
);

endToEnd("with the capability for perf events the command and its files have none of it", (dir) => {
  const file = capableIn(dir, PERF_ALONE);
  if (file === undefined) return;
  const { own, closed, secret } = foldersIn(dir);
  const caps = asNobody(file, ["run", "-q", "--", "grep", "^Cap", "/proc/self/status"], own).text;
  assertEquals([...caps.matchAll(/^Cap(?:Inh|Prm|Eff|Amb):\t0+$/gm)].length, 4, caps);
  const raw = asNobody(file, ["eval", "console.log(6 * 7)"], own, { JOULEMARK_RAW_DENO: "1" });
  assert(raw.code !== 0 && !/42/.test(raw.text), raw.text);
  for (const path of [secret, `/proc/self/root${secret}`]) {
    const probe = { JOULEMARK_PROBE: `${path}:main` };
    const { code, text } = asNobody(file, ["run", "-q", "--", "sh", "-c", "exit 7"], own, probe);
    assert(code === 7 || code === 2, text);
    assert(!text.includes("hunter"), text);
  }
  const before = [...Deno.readDirSync(closed)].length;
  asNobody(file, ["run", "-q", "--report", `${closed}/report`, "--", "true"], own);
  assertEquals([...Deno.readDirSync(closed)].length, before);
});

endToEnd(
  "a set-user-ID bit is refused in one line, and nothing is run by it",
  (dir) => {
    Deno.chmodSync(dir, 0o755);
    const { own } = foldersIn(dir);
    const file = `${dir}/joulemark`;
    Deno.copyFileSync(BINARY, file);
    for (const bit of [0o4000, 0o2000]) {
      Deno.chmodSync(file, 0o755 | bit);
      const { code, text } = asNobody(file, ["run", "--", "id"], own);
      assertEquals(code, 126, text);
      assertMatch(
        text,
        /^joulemark: cannot start: the executable has a set-user-ID[^\n]+\n$/,
      );
    }
  },
  undefined,
  NOT_ROOT,
);

onPrivateNode(
  "with file capabilities counters are open that the caller may not read",
  async (node) => {
    const file = capableIn(node.dir);
    if (file === undefined) return;
    const { own, closed } = foldersIn(node.dir);
    const out = await node.joulemark(
      ["run", "-q", "--report", `${own}/r`, "--trace", `${closed}/t`, "--", "sleep", "1"],
      { asNobody: true, executable: file },
    );
    assertEquals(out.code, 0, out.stderr);
    assertStringIncludes(out.stderr, closed);
    const [host] = parseReport(Deno.readTextFileSync(`${own}/r`), "r").hosts;
    const sources = host.joulemark!.sources as Record<string, Record<string, string>>;
    // Registers of mode 0600, and of powercap 0400, root's.
    assertStringIncludes(sources.CPU_ENERGY.source, "/dev/cpu/0/msr, register 0x611");
    const seconds = Number(host.application["sync-runtime (s)"]);
    const joules = Number(host.application["package-energy (J)"]);
    assert(Math.abs(joules - 100 * seconds) < 10, `${joules} J in ${seconds} s`);
    const { capabilities } = host.joulemark!.confinement as Record<string, string>;
    assertEquals(capabilities, "none");
    const zone = await node.joulemark(
      ["read", "POWERCAP::CPU_ENERGY_CONSUMED", "package", "0"],
      { asNobody: true, executable: file },
    );
    assert(Number(zone.stdout) > 0, zone.stderr);
  },
);
