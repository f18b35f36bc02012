/** Packages, module files, job scripts: what a centre installs, used as its users would. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse as parseYaml } from "@std/yaml";
import { BINARY, build, joulemark, NO_BINARY, NO_COMPILER } from "../_support/programs.ts";
import { outputOf, without } from "../_support/readers_of_others.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { NO_SLURM, Slurm } from "./_slurm.ts";
import { NOT_ROOT, skippedWithout, succeeds, unless } from "../_support/skipped.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const NOBODY = ["--reuid=65534", "--regid=65534", "--clear-groups"];
const IS_ROOT = Deno.uid() === 0;

function inFolder(
  name: string,
  missing: string | undefined,
  body: (dir: string) => unknown,
  limitS = 120,
) {
  Deno.test({
    ...skippedWithout(name, missing, NO_BINARY),
    async fn() {
      const dir = Deno.makeTempDirSync({ prefix: "joulemark-kit-" });
      Deno.chmodSync(dir, 0o777);
      try {
        await withTimeLimit(async () => void await body(dir), limitS);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

/** A package of a kind, built as a user without rights where we can. */
function packageOf(kind: "deb" | "rpm", dir: string): string {
  const executable = `${dir}/joulemark`;
  Deno.copyFileSync(BINARY, executable);
  Deno.chmodSync(executable, 0o755);
  const script = `${dir}/kit`;
  outputOf("cp", ["-r", ...["packaging", "docs"].map((name) => `${ROOT}${name}`), dir]);
  Deno.mkdirSync(script);
  outputOf("mv", [`${dir}/packaging`, `${dir}/docs`, script]);
  for (const name of ["LICENSE", "README.md", "CHANGELOG.md"]) {
    Deno.copyFileSync(`${ROOT}${name}`, `${script}/${name}`);
  }
  outputOf("chmod", ["-R", "a+rX", script]);
  const args = [`${script}/packaging/build.sh`, "--executable", executable, "--output", dir, kind];
  const made = IS_ROOT
    ? outputOf("setpriv", [...NOBODY, "env", `TMPDIR=${dir}`, "HOME=/nonexistent", ...args])
    : outputOf(args[0], args.slice(1));
  return made.trim().split("\n")[0];
}

/**
 * The installed program as nobody in that root, with this machine's libraries: its version, the status
 * of a command that it ran, and the site's setting.
 */
function useInRoot(root: string): string {
  const script = `set -e
mount --make-rprivate /
for d in lib lib64 usr/lib bin proc dev; do
  [ -e /$d ] || continue
  mkdir -p '${root}'/$d && mount --rbind /$d '${root}'/$d
done
mkdir -p -m 1777 '${root}/tmp'
exec chroot '${root}' /bin/setpriv ${NOBODY.join(" ")} /bin/sh -c '
cd /tmp && export PATH=/usr/bin:/bin HOME=/tmp
joulemark --version
joulemark run -q --simulate -- sh -c "exit 3" || echo status $?
joulemark doctor --sources | grep -A2 ^Settings
'
`;
  return outputOf("unshare", ["-m", "bash", "-c", script]);
}

const FILES = [
  ...["/etc/joulemark.conf", "/usr/bin/joulemark", "/usr/share/man/man1/joulemark.1.gz"],
  ...["/usr/share/bash-completion/completions/joulemark"],
  ...["/usr/share/fish/vendor_completions.d/joulemark.fish"],
  "/usr/lib/systemd/system/joulemark-monitor.service",
];

function assertInstalled(root: string): void {
  for (const file of FILES) {
    const { mode, uid } = Deno.statSync(root + file);
    assertEquals([mode! & 0o777, uid], [file.endsWith("bin/joulemark") ? 0o755 : 0o644, 0], file);
  }
  const used = useInRoot(root);
  assertMatch(used, /^joulemark \d/m);
  assertStringIncludes(used, "status 3");
  assertMatch(used, /\/etc\/joulemark.conf +0 settings/);
  // A page that man(1) finds and mandoc has nothing against.
  const page = outputOf("sh", ["-c", `zcat '${root}/usr/share/man/man1/joulemark.1.gz'`]);
  assertMatch(page, /^\.Dd [A-Z][a-z]+ \d+, \d{4}\n\.Dt JOULEMARK 1\n/);
  if (without("mandoc") === undefined) assertEquals(outputOf("mandoc", ["-Tlint"], page), "");
  if (without("man") === undefined) {
    const shown = outputOf("man", ["-M", `${root}/usr/share/man`, "joulemark"]);
    assertMatch(shown, /where the time and the joules went/);
  }
}

const CANNOT_INSTALL = NOT_ROOT ?? without("unshare", "setpriv");

inFolder(
  "the Debian package: built without root, installed, used by a plain user, removed",
  CANNOT_INSTALL ?? without("dpkg-deb"),
  (dir) => {
    const file = packageOf("deb", dir);
    const root = `${dir}/root`;
    Deno.mkdirSync(`${root}/var/lib/dpkg/info`, { recursive: true });
    Deno.mkdirSync(`${root}/var/lib/dpkg/updates`);
    Deno.chmodSync(root, 0o755);
    Deno.writeTextFileSync(`${root}/var/lib/dpkg/status`, "");
    const dpkg = (...args: string[]) =>
      outputOf("dpkg", [`--root=${root}`, "--force-depends", "--log=/dev/null", ...args]);
    dpkg("-i", file);
    assertInstalled(root);
    dpkg("-P", "joulemark");
    assertEquals(
      outputOf("find", [root, "-name", "*joulemark*", "-not", "-path", `${root}/tmp/*`]),
      "",
    );
    // The same executable, the same package.
    const again = `${dir}/again`;
    Deno.mkdirSync(again);
    Deno.chmodSync(again, 0o777);
    const first = Deno.readFileSync(file);
    outputOf(`${dir}/kit/packaging/build.sh`, [
      ...["--executable", `${dir}/joulemark`, "--output", again, "deb"],
    ]);
    assertEquals(first, Deno.readFileSync(`${again}/${file.split("/").at(-1)}`));
  },
);

inFolder(
  "the RPM package: built without root, installed, used by a plain user, removed",
  CANNOT_INSTALL ?? without("rpmbuild"),
  (dir) => {
    const file = packageOf("rpm", dir);
    const root = `${dir}/root`;
    Deno.mkdirSync(root);
    Deno.chmodSync(root, 0o755);
    const rpm = (...args: string[]) => outputOf("rpm", ["--root", root, "--nodeps", ...args]);
    outputOf("rpm", ["--root", root, "--initdb"]);
    rpm("-i", file);
    assertInstalled(root);
    rpm("-e", "joulemark");
    assertEquals(
      outputOf("find", [root, "-name", "*joulemark*", "-not", "-path", `${root}/tmp/*`]),
      "",
    );
  },
);

inFolder("packaging/build.sh says what it cannot do, in one line", undefined, (dir) => {
  for (
    const [args, expected] of [
      [["--executable", `${dir}/none`], /expected the executable/],
      [["--executable", "/bin/true"], /is not joulemark/],
      [["--output", `${dir}/none`], /expected a directory/],
      [["tar"], /unknown argument "tar"/],
    ] as const
  ) {
    const out = new Deno.Command(`${ROOT}packaging/build.sh`, { args: [...args], cwd: dir })
      .outputSync();
    const said = new TextDecoder().decode(out.stderr);
    assertEquals([out.code, said.trimEnd().split("\n").length], [2, 1], said);
    assertMatch(said, expected);
  }
});

Deno.test("recipes and snippets are files that their languages can read", () => {
  parseYaml(Deno.readTextFileSync(`${ROOT}docs/examples/jube-joulemark.yaml`));
  JSON.parse(Deno.readTextFileSync(`${ROOT}docs/examples/grafana-joulemark.json`));
  if (without("python3") !== undefined) return console.log("skipped: no python3");
  const files = [
    ...["docs/examples/reframe_joulemark.py", "docs/examples/ramble_joulemark.py"],
    ...["packaging/spack/package.py", "packaging/easybuild/joulemark-0.1.0.eb"],
  ];
  const script = "import ast,sys\nfor f in sys.argv[1:]: ast.parse(open(f).read(), f)";
  assertEquals(outputOf("python3", ["-c", script, ...files.map((file) => ROOT + file)]), "");
});

/** A module file with a prefix that has the executable. */
function moduleTree(dir: string, kind: "tcl" | "lua"): void {
  Deno.mkdirSync(`${dir}/bin`);
  Deno.symlinkSync(BINARY, `${dir}/bin/joulemark`);
  Deno.mkdirSync(`${dir}/modules/joulemark`, { recursive: true });
  const text = Deno.readTextFileSync(`${ROOT}packaging/modulefile.${kind}`)
    .replaceAll("@PREFIX@", dir).replaceAll("@VERSION@", "1.0");
  Deno.writeTextFileSync(`${dir}/modules/joulemark/1.0${kind === "lua" ? ".lua" : ""}`, text);
}

for (
  const [kind, init] of [
    ["tcl", "/usr/share/modules/init/sh"],
    ["lua", "/usr/share/lmod/lmod/init/sh"],
  ] as const
) {
  inFolder(
    `the ${kind} module file brings joulemark on the PATH and takes it off`,
    unless(succeeds("test", "-e", init), `no ${init}`),
    (dir) => {
      moduleTree(dir, kind);
      const script = `. ${init}; module use '${dir}/modules'; module load joulemark; ` +
        "command -v joulemark; joulemark --version; module unload joulemark; " +
        "command -v joulemark || echo gone";
      const text = outputOf("bash", ["-c", script]);
      assertMatch(text, new RegExp(`^${dir}/bin/joulemark\njoulemark \\d[^\n]*\n`));
      assert(!text.includes(`gone\n${dir}`) && !text.endsWith(`${dir}/bin/joulemark\n`), text);
    },
  );
}

inFolder("completions complete in bash itself", without("bash"), (dir) => {
  Deno.writeTextFileSync(`${dir}/j.bash`, joulemark(dir, ["completions", "bash"]).stdout);
  const complete = (line: string) =>
    outputOf("bash", [
      "--norc",
      "-c",
      `source '${dir}/j.bash'
COMP_LINE='${line}' COMP_POINT=${line.length}
read -ra COMP_WORDS <<< "$COMP_LINE"
COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
command=$(complete -p joulemark | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p')
$command joulemark "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]);
  assertEquals(complete("joulemark repl"), "replay\n");
  assertEquals(complete("joulemark run --checkp"), "--checkpoint\n");
  assertMatch(complete("joulemark client f"), /^fortran$/m);
});

inFolder("completions complete in fish and zsh themselves", without("fish"), (dir) => {
  const written = joulemark(dir, ["completions", "fish"]).stdout;
  Deno.writeTextFileSync(`${dir}/j.fish`, written);
  const complete = (line: string) =>
    outputOf("fish", ["--no-config", "-c", `source ${dir}/j.fish; complete -C '${line}'`]);
  assertMatch(complete("joulemark rep"), /^replay\t/m);
  assertMatch(complete("joulemark run --checkp"), /^--checkpoint\t/m);
  assertMatch(complete("joulemark client f"), /^fortran/m);
  if (without("zsh") !== undefined) return console.log("skipped: no zsh");
  Deno.writeTextFileSync(`${dir}/_joulemark`, joulemark(dir, ["completions", "zsh"]).stdout);
  // A terminal of zsh's own: what Tab makes of a line.
  const zsh = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; fpath=(${dir} \\$fpath); autoload -U compinit; compinit -D -u; print rea''dy"
zpty -r -m z out '*ready*'
zpty -w -n z $'joulemark repl\\t'
zpty -r -m z out '*replay*'
print -r -- "$out"; zpty -d z`;
  assertMatch(outputOf("zsh", ["-f", "-c", zsh]), /joulemark replay/);
});

Deno.test({
  ...skippedWithout(
    "patterns of ReFrame, JUBE and Ramble find the figures of a report",
    NO_BINARY,
  ),
  fn: () => {
    const dir = Deno.makeTempDirSync();
    try {
      assertEquals(joulemark(dir, ["run", "-q", "--simulate", "--", "sleep", "0.2"]).code, 0);
      const report = Deno.readTextFileSync(`${dir}/joulemark.report`);
      const text = (name: string) => Deno.readTextFileSync(`${ROOT}docs/examples/${name}`);
      const jube = [...text("jube-joulemark.yaml").matchAll(/_: '([^']+)'/g)].map(([, p]) => p);
      assertEquals(jube.length, 3);
      const head = /pattern = r"([^"]+)" \+ key \+ r"([^"]+)"/.exec(text("reframe_joulemark.py"))!;
      const keys = [...text("reframe_joulemark.py").matchAll(/application\(r"([^"]+)"/g)];
      const patterns = [...jube, ...keys.map(([, key]) => head[1] + key + head[2])];
      const ramble = [...text("ramble_joulemark.py").matchAll(/", r"([^"]+)", "/g)];
      assertEquals([keys.length, ramble.length], [2, 3]);
      patterns.push(...ramble.map(([, key]) => `^      ${key}: (\\S+)`));
      for (const pattern of patterns) {
        assert(Number(new RegExp(pattern, "m").exec(report)?.[1]) > 0, pattern);
      }
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  },
});

inFolder(
  "Slurm: job script, prolog and epilog; a launcher behind run is said before it starts",
  NO_SLURM ?? NO_COMPILER,
  async (dir) => {
    const counters = `${dir}/powercap/intel-rapl:0`;
    Deno.mkdirSync(counters, { recursive: true });
    Deno.writeTextFileSync(`${counters}/energy_uj`, "1", { mode: 0o400 });
    for (const part of ["prolog", "epilog"]) {
      const script = `${ROOT}docs/examples/slurm-${part}-energy.sh`;
      const text = `#!/bin/sh\nPOWERCAP=${dir}/powercap sh ${script}\n` +
        `stat -c '${part} %a %g' ${counters}/energy_uj >> ${dir}/log\n`;
      Deno.writeTextFileSync(`${dir}/${part}.sh`, text, { mode: 0o755 });
    }
    const more = `Prolog=${dir}/prolog.sh\nEpilog=${dir}/epilog.sh\nPrologFlags=Alloc\n`;
    await using slurm = await Slurm.start(more);
    const app = build("steps", dir);
    const path = `${dir}/bin`;
    Deno.mkdirSync(path);
    Deno.symlinkSync(BINARY, `${path}/joulemark`);
    const batch = async (script: string, args: string[]) => {
      const environment = `--export=ALL,PATH=${path}:${Deno.env.get("PATH")},JOULEMARK_SIMULATE=1`;
      const out = await slurm.sbatch(dir, [environment, "-o", "out", "-e", "err", script, ...args])
        .output();
      return { code: out.code, err: Deno.readTextFileSync(`${dir}/err`) };
    };
    const good = await batch(`${ROOT}docs/examples/slurm-job.sh`, [app, "3", "10"]);
    assertEquals(good.code, 0, good.err);
    const made = [...Deno.readDirSync(dir)].find(({ name }) => /^job-\d+\.report$/.test(name))!;
    const report = Deno.readTextFileSync(`${dir}/${made.name}`);
    assertMatch(report, /^ {2}n1:$/m);
    assertMatch(report, /^ {2}n2:$/m);
    // Each node has files of its own for viewers, and its socket.
    const viewers = [
      "--perfetto",
      "p.pftrace",
      "--openmetrics",
      "m.prom",
      "--metrics",
      "unix:m.sock",
    ];
    const run = [BINARY, "run", "-q", "--simulate", "--report", "v", ...viewers];
    const both = await slurm.srun(dir, ["-N2", "-n2", ...run, "--", app, "3", "10"]).output();
    const said = new TextDecoder().decode(both.stderr);
    assertEquals([both.code, said.replace(/^joulemark: v: \d hosts?.*\n/gm, "")], [0, ""]);
    const names = [...Deno.readDirSync(dir)].map(({ name }) => name)
      .filter((name) => /^(p|m)[.-]/.test(name)).sort();
    assertEquals(names, ["m-n1.prom", "m-n2.prom", "p.pftrace-n1", "p.pftrace-n2"]);
    assertMatch(Deno.readTextFileSync(`${dir}/m-n2.prom`), /joulemark_run_up\{host="n2",/);
    Deno.writeTextFileSync(
      `${dir}/wrong.sh`,
      `#!/bin/sh\n#SBATCH -N2 -n2\njoulemark run -q -- srun ${app} 2 5\n`,
    );
    const wrong = await batch(`${dir}/wrong.sh`, []);
    assertEquals(wrong.code, 0, wrong.err);
    assertStringIncludes(
      wrong.err,
      `joulemark: the job has 2 nodes, but only processes that srun starts on this node are measured. ` +
        `To measure all nodes: srun joulemark run -- ${app} 2 5\n`,
    );
    for (let i = 0; i < 50 && !/epilog/.test(Deno.readTextFileSync(`${dir}/log`)); i++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const log = Deno.readTextFileSync(`${dir}/log`).split("\n");
    assertEquals([log[0], log.find((line) => line.startsWith("epilog"))], [
      ...[`prolog 440 ${Deno.gid()}`, "epilog 400 0"],
    ]);
  },
  200,
);
