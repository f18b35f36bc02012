/** PMC logs of live runs: the library's calls answered, epochs of the application, one node. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parsePmc } from "../../src/formats/pmc/pmc.ts";
import { compile, preloaded } from "../_support/preload.ts";
import { BINARY, build, endToEnd, joulemark } from "../_support/programs.ts";

const DIALECTS = "cc -O2 -Wall -Wextra -Werror -o dialects PROGRAMS/dialects.c";

endToEnd("run --pmc logs the calls of pm_mpi_lib, and a second open begins anew", (dir) => {
  compile(dir, DIALECTS);
  const steps = (version: string) => {
    const options = ["--simulate", "--pmc", "live.pmc", "--pmc-version", version];
    preloaded(dir, "pm_mpi", ["./dialects", "pm_mpi"], { options });
    return parsePmc(Deno.readFileSync(`${dir}/live.pmc`)).records.map((r) => r.step);
  };
  assertEquals(steps("4.3"), [-1, 7, 8]);
  // Binary logs are appended to; a record with both flags is two.
  assertEquals(steps("6.0"), [-1, 1, 2, 2, 3, 4, -1, 7, 8]);
});

endToEnd("run --pmc takes epochs as steps; energy grows and adds up with the report", (dir) => {
  const app = build("steps", dir);
  const out = joulemark(dir, [
    ...["run", "-q", "--simulate", "--pmc", "job.pmc", "--pmc-version", "4.3"],
    ...["--", app, "10", "60"],
  ]);
  assertEquals(out.code, 0, out.stderr);
  const { records } = parsePmc(Deno.readFileSync(`${dir}/job.pmc`));
  assertEquals(records.map((r) => r.step), [-1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (let i = 1; i < records.length; i++) {
    assert(records[i].energyJ >= records[i - 1].energyJ);
    assert(records[i].timeS > records[i - 1].timeS);
  }
  const [last] = records.slice(-1);
  assert(last.timeS > 0.55 && last.timeS < 2, String(last.timeS));
  assert(last.energyJ > 50 && last.energyJ < 1000, String(last.energyJ));
});

endToEnd("run --pmc says when there are no steps", (dir) => {
  const out = joulemark(dir, ["run", "-q", "--simulate", "--pmc", "x.pmc", "--", "true"]);
  assertEquals(out.code, 0);
  assert(out.stderr.includes("no steps for the PMC log"), out.stderr);
  const wrong = joulemark(dir, ["run", "--pmc", "x", "--pmc-version", "9", "--", "true"]);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
});

endToEnd(
  'pm_mpi_open: "a NULL parameter will set the output file name to ./PMC", X writes X',
  (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o pm_log PROGRAMS/pm_log.c");
    Deno.mkdirSync(`${dir}/deep`);
    const cases = [[[], "PMC"], [["X"], "X"], [["deep/X"], "deep/X"], [[`${dir}/whole`], "whole"]];
    for (const [words, file] of cases as [string[], string][]) {
      const options = ["--simulate", "--pmc-version", "4.3"];
      const out = preloaded(dir, "pm_mpi", ["./pm_log", ...words], { options });
      const { version, records } = parsePmc(Deno.readFileSync(`${dir}/${file}`), { path: file });
      assertEquals([version, records.map((r) => r.step)], ["4.3", [-1, 1, 2, 3, 4]], out.stderr);
      assert(records.at(-1)!.energyJ > 0);
    }
    const card = joulemark(dir, [
      "run",
      "--simulate",
      "--preload",
      "pm_mpi",
      "--",
      "./pm_log",
      "X",
    ]);
    assertStringIncludes(card.stderr, "steps: 3 (calls of pm_mpi_lib); to see them: joulemark pmc");
    assert(!card.stderr.includes("--preload all"), card.stderr);
    // --pmc says where, whatever the calls name
    preloaded(dir, "pm_mpi", ["./pm_log", "Y"], { options: ["--simulate", "--pmc", "mine"] });
    assertEquals(parsePmc(Deno.readFileSync(`${dir}/mine`)).records.length, 5);
    const names = [...Deno.readDirSync(dir)].map(({ name }) => name);
    assert(!names.includes("Y"), names.join());
  },
);

endToEnd("a log that the program names late and elsewhere is written all the same", (dir) => {
  compile(dir, "cc -O2 -Wall -Wextra -Werror -o pm_log PROGRAMS/pm_log.c");
  const elsewhere = Deno.makeTempDirSync();
  try {
    const command = ["sh", "-c", `sleep 0.3; exec ./pm_log ${elsewhere}/X`];
    const { stderr } = preloaded(dir, "pm_mpi", command, { options: ["--simulate"] });
    assertEquals(parsePmc(Deno.readFileSync(`${elsewhere}/X`)).records.length, 5, stderr);
  } finally {
    Deno.removeSync(elsewhere, { recursive: true });
  }
});

endToEnd("each pm_mpi_open has its log, and ./PMC where the name cannot be written", (dir) => {
  Deno.writeTextFileSync(
    `${dir}/opens.c`,
    `#include <stddef.h>
extern int pm_mpi_open(char *) __attribute__((weak));
extern int pm_mpi_monitor(int, int) __attribute__((weak));
extern int pm_mpi_close(void) __attribute__((weak));
int main(int count, char **words) {
  if (!pm_mpi_open) return 3;
  for (int i = 1; i < count; i++) {
    pm_mpi_open(words[i]);
    for (int k = 0; k < i; k++) pm_mpi_monitor(10 * i, 1);
    pm_mpi_close();
  }
  return 0;
}
`,
  );
  compile(dir, "cc -O2 -Wall -Wextra -Werror -o opens opens.c");
  const elsewhere = Deno.makeTempDirSync();
  try {
    const steps = (path: string) => parsePmc(Deno.readFileSync(path)).records.map((r) => r.step);
    const names = ["first", `${elsewhere}/second`, "no/such/third", "first", "fifth"];
    const out = joulemark(dir, [
      ...["run", "-q", "--simulate", "--preload", "pm_mpi", "--", "./opens", ...names],
    ]);
    assertEquals([out.code, out.stderr], [0, ""]);
    // What is opened again begins anew.
    assertEquals(steps(`${dir}/first`), [-1, 40, 40, 40, 40, 41]);
    assertEquals(steps(`${elsewhere}/second`), [-1, 20, 20, 21]);
    assertEquals(steps(`${dir}/PMC`), [-1, 30, 30, 30, 31]);
    assertEquals(steps(`${dir}/fifth`), [-1, 50, 50, 50, 50, 50, 51]);
  } finally {
    Deno.removeSync(elsewhere, { recursive: true });
  }
});

endToEnd("the layout of the log follows the calls: version 2.0 has no substep", (dir) => {
  for (const parameters of ["int", "int, int"]) {
    const isOld = parameters === "int";
    Deno.writeTextFileSync(
      `${dir}/calls.c`,
      `extern int pm_mpi_open(char *) __attribute__((weak));
extern int pm_mpi_monitor(${parameters}) __attribute__((weak));
extern int pm_mpi_close(void) __attribute__((weak));
#include <time.h>
int main(void) {
  struct timespec t = {0, 3000000};
  pm_mpi_open("log");
  for (int i = 1; i <= 3; i++) {
    nanosleep(&t, 0);
    pm_mpi_monitor(${isOld ? "i" : "i, 1"});
  }
  return pm_mpi_close();
}
`,
    );
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o calls calls.c");
    const run = (...options: string[]) => {
      const words = ["run", "-q", "--simulate", "--preload", "pm_mpi", ...options];
      const out = joulemark(dir, [...words, "--", "./calls"]);
      assertEquals(out.code, 0, out.stderr);
      return Deno.readTextFileSync(`${dir}/log`).split("\n");
    };
    const [head, first] = run();
    assertEquals(head.startsWith(isOld ? "pm_mpi_lib v2.0.0:" : "pm_mpi_lib v4.4.0:"), true, head);
    assertEquals(first.split(" ").length, isOld ? 4 : 9, first);
    // The version that is asked for counts.
    assertEquals(run("--pmc-version", "4.3")[0].startsWith("pm_mpi_lib v4.3.0:"), true);
  }
});

endToEnd("a library that answers pm_mpi_open and leaves no log loses no step", (dir) => {
  // As linked where there is no Cray, and one that leaves a log of its own.
  const opens: Record<string, string> = {
    idle: "(void)path;",
    empty: 'FILE *f = fopen(path ? path : "PMC", "w"); if (f) fclose(f);',
    own: 'FILE *f = fopen(path ? path : "PMC", "w"); if (f) { fputs("theirs\\n", f); fclose(f); }',
  };
  for (const [name, body] of Object.entries(opens)) {
    Deno.writeTextFileSync(
      `${dir}/${name}.c`,
      `#include <stdio.h>
int pm_mpi_open(char *path) { ${body} return 0; }
int pm_mpi_monitor(int step, int substep) { return (void)step, (void)substep, 0; }
int pm_mpi_close(void) { return 0; }
`,
    );
    compile(dir, `cc -shared -fPIC -Wall -Wextra -Werror -o lib${name}.so ${name}.c`);
    const link = `-L. -Wl,--no-as-needed -l${name} -Wl,-rpath,$PWD`;
    compile(dir, `cc -O2 -Wall -Wextra -Werror -o with_${name} PROGRAMS/pm_log.c ${link}`);
    for (const [words, file] of [[[], "PMC"], [["X"], "X"]] as [string[], string][]) {
      // One of an earlier run is no log of this one's.
      Deno.writeTextFileSync(`${dir}/${file}`, "earlier\n");
      Deno.utimeSync(`${dir}/${file}`, 1e9, 1e9);
      const out = joulemark(dir, [
        ...["run", "--simulate", "--preload", "pm_mpi", "--", `./with_${name}`],
        ...words,
      ]);
      assertEquals(out.code, 0, out.stderr);
      assertStringIncludes(out.stderr, "3 (calls of pm_mpi_lib)", out.stderr);
      const bytes = Deno.readFileSync(`${dir}/${file}`);
      if (name === "own") assertEquals(new TextDecoder().decode(bytes), "theirs\n");
      else assertEquals(parsePmc(bytes).records.map((r) => r.step), [-1, 1, 2, 3, 4]);
    }
  }
});

endToEnd(
  "pm_mpi_open(NULL) on several nodes leaves one ./PMC of all, as rank 0 does",
  async (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o pm_log PROGRAMS/pm_log.c");
    const hosts = ["nid00012", "nid00013", "nid00014"];
    const runs = hosts.map((host, i) => {
      const write = (name: string, text: string) => {
        const path = `${dir}/${host}/${name}`;
        Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
        Deno.writeTextFileSync(path, `${text}\n`);
      };
      write("proc/sys/kernel/hostname", host);
      const counters = { freshness: "1", startup: "1", version: "1", energy: "5000 J" };
      for (const [name, text] of Object.entries({ ...counters, power: `${100 + 30 * i} W` })) {
        write(`sys/cray/pm_counters/${name}`, text);
      }
      const env = {
        SLURM_JOB_ID: "4711",
        SLURM_STEP_ID: "0",
        SLURM_NTASKS: "3",
        SLURM_NNODES: "3",
        SLURM_STEP_NUM_NODES: "3",
        SLURM_STEP_NODELIST: "nid000[12-14]",
        SLURM_NODEID: String(i),
        SLURM_PROCID: String(i),
        SLURMD_NODENAME: host,
      };
      const args = ["run", "-q", "--root", host, "--preload", "pm_mpi", "--", "./pm_log"];
      return new Deno.Command(BINARY, { args, cwd: dir, env, stdin: "null", stderr: "piped" })
        .output();
    });
    for (const out of await Promise.all(runs)) {
      assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
    }
    const { records } = parsePmc(Deno.readFileSync(`${dir}/PMC`));
    assertEquals(records.map((record) => record.step), [-1, 1, 2, 3, 4]);
    // The mean over the nodes.
    assertEquals(records.map((record) => record.powerW), [130, 130, 130, 130, 130]);
  },
);

endToEnd("run --preload pm_mpi of a program without its calls leaves no log", (dir) => {
  compile(dir, DIALECTS);
  const options = ["--simulate"];
  const out = preloaded(dir, "pm_mpi", ["./dialects", "roctx"], { options });
  const names = [...Deno.readDirSync(dir)].map(({ name }) => name);
  assert(!names.includes("PMC") && !out.stderr.includes("PMC"), names.join() + out.stderr);
});

endToEnd(
  "Energy: the energy used by all assigned compute nodes since the last call to pm_mpi_open, exact",
  (dir) => {
    const counters = `${dir}/tree/sys/cray/pm_counters`;
    Deno.mkdirSync(counters, { recursive: true });
    const first = 9_007_199_254_740_993n;
    const write = (name: string, text: string) =>
      Deno.writeTextFileSync(`${counters}/${name}`, text);
    for (const name of ["freshness", "startup", "version"]) write(name, "1\n");
    write("power", "100 W\n");
    write("energy", `${first} J\n`);
    compile(dir, "cc -O2 -Wall -Wextra -Werror -o counting PROGRAMS/pm_counting.c");
    const options = [
      "--root",
      "tree",
      "--record",
      "kept",
      "--pmc",
      "live.pmc",
      "--pmc-version",
      "4.3",
    ];
    preloaded(dir, "pm_mpi", ["./counting", `${counters}/energy`, String(first)], { options });
    const energies = (file: string) =>
      parsePmc(Deno.readFileSync(`${dir}/${file}`)).records.map((record) => record.energyJ);
    assertEquals(energies("live.pmc"), [0, 1, 3, 6, 10, 10]);
    const again = joulemark(dir, [
      "replay",
      "-q",
      "kept",
      "--pmc",
      "again.pmc",
      "--pmc-version",
      "4.3",
    ]);
    assertEquals(again.code, 0, again.stderr);
    assertEquals(energies("again.pmc"), [0, 1, 3, 6, 10, 10]);
  },
);
