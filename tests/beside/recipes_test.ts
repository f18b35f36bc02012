/**
 * Snippets for benchmark tools and recipes of installers, by those tools themselves, on a simulated
 * node. Python finds what they require by PYTHONPATH.
 *
 *     JOULEMARK_TEST_JUBE=CHECKOUT  JOULEMARK_TEST_REFRAME=CHECKOUT  JOULEMARK_TEST_RAMBLE=CHECKOUT
 *     JOULEMARK_TEST_EASYBUILD=FRAMEWORK:EASYBLOCKS  JOULEMARK_TEST_SPACK=CHECKOUT
 *
 * A Spack without the solver clingo needs `config: concretizer: original` in etc/spack/config.yaml.
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";
import { unless } from "../_support/skipped.ts";
import { shell } from "./_peers.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const EXAMPLES = `${ROOT}docs/examples`;
const PYTHON = "/usr/bin/python3";
const own = Deno.env.get("PYTHONPATH") ?? "";

function withTool(tool: string, name: string, body: (dir: string, at: string) => void): void {
  const variable = `JOULEMARK_TEST_${tool.toUpperCase()}`, at = Deno.env.get(variable);
  const missing = unless(at !== undefined, `${variable} names none`);
  endToEnd(name, (dir) => body(dir, at!), 200, missing);
}

/** The environment of a tool: joulemark on the path, a simulated node, a home of its own. */
function envOf(dir: string, pythonPath: string): Record<string, string> {
  Deno.mkdirSync(`${dir}/bin`);
  Deno.symlinkSync(BINARY, `${dir}/bin/joulemark`);
  const path = `${dir}/bin:${Deno.env.get("PATH")}`;
  const python = `${pythonPath}:${own}`;
  return { PATH: path, PYTHONPATH: python, HOME: dir, JOULEMARK_SIMULATE: "1" };
}

/** Energy and mean power of the one report below a folder. */
function reported(dir: string): { energyJ: number; powerW: number } {
  const [path] = shell(dir, "find . -name joulemark.report").trim().split("\n");
  const totals = parseReport(Deno.readTextFileSync(`${dir}/${path}`), path).hosts[0].application;
  const of = (key: string) => Number(totals[key]);
  return { energyJ: of("package-energy (J)"), powerW: of("power (W)") };
}

withTool("jube", "JUBE has the report's figures in its table", (dir, at) => {
  const env = envOf(dir, at);
  Deno.writeTextFileSync(
    `${dir}/jube.yaml`,
    "name: trial\noutpath: bench\nstep:\n  name: run\n" +
      "  do: joulemark run --quiet --report joulemark.report -- sleep 0.2\n" +
      Deno.readTextFileSync(`${EXAMPLES}/jube-joulemark.yaml`) +
      "result:\n  use: joulemark\n  table: { name: t, style: csv, column: [energy, power] }\n",
  );
  shell(dir, `${PYTHON} ${at}/bin/jube run jube.yaml`, env);
  const table = shell(dir, `${PYTHON} ${at}/bin/jube result bench`, env);
  const { energyJ, powerW } = reported(dir);
  assert(energyJ > 0);
  assert(table.includes(`energy[J],power[W]\n${energyJ},${powerW}\n`), table);
});

withTool("reframe", "ReFrame reports energy and power of a test", (dir, at) => {
  const env = envOf(dir, `${at}:${EXAMPLES}`);
  const partition = `{"name": "p", "scheduler": "local", "launcher": "local", "environs": ["e"]}`;
  Deno.writeTextFileSync(
    `${dir}/settings.py`,
    `site_configuration = {"systems": [{"name": "s", "hostnames": [".*"], "partitions": ` +
      `[${partition}]}], "environments": [{"name": "e", "cc": "cc"}]}\n`,
  );
  Deno.writeTextFileSync(
    `${dir}/check.py`,
    `import reframe as rfm
import reframe.utility.sanity as sn
from reframe_joulemark import JoulemarkMixin

@rfm.simple_test
class Sleep(rfm.RunOnlyRegressionTest, JoulemarkMixin):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "sleep"
    executable_opts = ["0.2"]

    @sanity_function
    def done(self):
        return sn.assert_found("Application Totals", "joulemark.report")
`,
  );
  const main = `${PYTHON} -c "from reframe.frontend.cli import main; main()"`;
  const said = shell(dir, `${main} -C settings.py -c check.py -r --keep-stage-files 2>&1`, env);
  const { energyJ, powerW } = reported(dir);
  assertMatch(said, /PASSED/);
  const figure = (name: string) => Number(new RegExp(`${name}: ([\\d.]+)`).exec(said)?.[1]);
  assertEquals([figure("package_energy"), figure("package_power")], [energyJ, powerW], said);
});

withTool("ramble", "Ramble's modifier measures an experiment", (dir, at) => {
  const env = envOf(dir, "");
  shell(dir, "mkdir -p repo/modifiers/joulemark");
  Deno.writeTextFileSync(`${dir}/repo/modifier_repo.yaml`, "repo:\n  namespace: mine\n");
  Deno.copyFileSync(
    `${EXAMPLES}/ramble_joulemark.py`,
    `${dir}/repo/modifiers/joulemark/modifier.py`,
  );
  const ramble = (words: string) => shell(dir, `${PYTHON} ${at}/bin/ramble ${words}`, env);
  ramble(`repo add -t modifiers ${dir}/repo`);
  ramble("workspace create -d ws");
  Deno.writeTextFileSync(
    `${dir}/ws/configs/ramble.yaml`,
    `ramble:
  variables: { mpi_command: '', batch_submit: '{execute_experiment}', processes_per_node: 1, n_ranks: 1, n_nodes: 1 }
  modifiers:
  - name: joulemark
  applications:
    hostname: { workloads: { parallel: { experiments: { trial: {} } } } }
  software: { packages: {}, environments: {} }
`,
  );
  for (const words of ["workspace setup", "on", "workspace analyze"]) ramble(`-D ws ${words}`);
  const results = Deno.readTextFileSync(`${dir}/ws/results.latest.txt`);
  const { energyJ, powerW } = reported(dir);
  assert(results.includes(`joulemark energy = ${energyJ} J`), results);
  assert(results.includes(`joulemark power = ${powerW} W`), results);
});

withTool("easybuild", "EasyBuild installs by the recipe, and its checks pass", (dir, at) => {
  const env = { ...envOf(dir, at), MODULESHOME: `${dir}/modules` };
  shell(
    dir,
    "mkdir -p src modules/libexec && ln -s $(ls /usr/lib/*/modulecmd.tcl) modules/libexec",
  );
  Deno.copyFileSync(BINARY, `${dir}/src/joulemark`);
  // It refuses to build as root.
  const isRoot = Deno.uid() === 0;
  shell(dir, isRoot ? `chown -R 65534:65534 . && chmod 755 .` : "true");
  const plain = isRoot ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  const main = `${plain}${PYTHON} -m easybuild.main ${ROOT}packaging/easybuild/*.eb`;
  const options = "--sourcepath src --prefix prefix --modules-tool EnvironmentModules " +
    "--module-syntax Tcl";
  const said = shell(dir, `. /usr/share/modules/init/sh; ${main} ${options} 2>&1`, env);
  assertMatch(said, /COMPLETED: Installation ended successfully/);
  assertMatch(shell(dir, "prefix/software/joulemark/*/bin/joulemark --version"), /^joulemark \d/);
});

withTool(
  "spack",
  "Spack installs by the recipe, and its audit has nothing against it",
  (dir, at) => {
    const env = { ...envOf(dir, ""), SPACK_PYTHON: PYTHON, SPACK_DISABLE_LOCAL_CONFIG: "1" };
    shell(dir, "mkdir -p repo/packages/joulemark");
    Deno.writeTextFileSync(`${dir}/repo/repo.yaml`, "repo:\n  namespace: mine\n");
    Deno.copyFileSync(
      `${ROOT}packaging/spack/package.py`,
      `${dir}/repo/packages/joulemark/package.py`,
    );
    const spack = (words: string) => {
      const options = `-c config:install_tree:root:${dir}/tree -c config:build_stage:${dir}/stage`;
      return shell(dir, `${at}/bin/spack ${options} -C ${dir} ${words} 2>&1`, env);
    };
    Deno.writeTextFileSync(`${dir}/repos.yaml`, `repos: [${dir}/repo]\n`);
    spack(`install joulemark executable=${BINARY}`);
    assertMatch(shell(dir, "tree/*/*/joulemark-*/bin/joulemark --version"), /^joulemark \d/);
    shell(dir, "test -s tree/*/*/joulemark-*/share/man/man1/joulemark.1");
    assert(!/[1-9]\d* issues? found/.test(spack("audit packages joulemark")));
    assertMatch(
      shell(dir, `${at}/bin/spack -C ${dir} install joulemark executable=none 2>&1 || true`, env),
      /give the executable: joulemark executable=/,
    );
  },
);
