/**
 * Profiles lose no visit and no place, whatever services and configurations make them: at a high rate,
 * with values of the process around threads, with MPI's calls inside of own marks.
 */
import { assert, assertEquals } from "@std/assert";
import { build, endToEnd, joulemark } from "../_support/programs.ts";
import { CACHE, compile, needing, works } from "../_support/preload.ts";

const MPI = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
};

function succeed(dir: string, args: string[], env: Record<string, string> = {}): string {
  const out = joulemark(dir, args, { XDG_CACHE_HOME: CACHE, ...env });
  assertEquals(out.code, 0, out.stderr);
  return out.stdout;
}

type Row = Record<string, string | number>;

function rows(dir: string, file: string, query: string): Row[] {
  return JSON.parse(succeed(dir, ["query", "-q", `${query} format json`, file]));
}

/** The tree that a configuration prints: paths, with the last column where it is one of calls. */
function paths(text: string): string[] {
  const open: string[] = [];
  return text.trimEnd().split("\n").slice(1).map((line) => {
    const [, indent, name] = /^( *)(\S+) /.exec(line)!;
    open.splice(indent.length / 2, open.length, name);
    return open.join("/");
  });
}

/** A channel of services that has begins and ends of `nested 20000`. */
function services(dir: string, info: boolean): Row[] {
  const app = build("nested", dir);
  succeed(dir, ["run", "-q", "--", app, "20000"], {
    CALI_SERVICES_ENABLE: "event,timer,aggregate,recorder",
    CALI_EVENT_ENABLE_SNAPSHOT_INFO: String(info),
    CALI_RECORDER_FILENAME: "own.cali",
  });
  return rows(
    dir,
    "own.cali",
    "select region,event.begin#region,event.end#region,sum(count) as n," +
      "sum(sum#region.count) as visits " +
      "where region group by region,event.begin#region,event.end#region",
  );
}

const VISITS: Record<string, number> = {
  "main/cycle": 20_000,
  "main/cycle/force": 100_000,
  "main/cycle/force/stress": 100_000,
  "main/cycle/energy": 60_000,
  "worker/step": 80_000,
};

endToEnd("event,timer,aggregate counts each begin and each end, however fast they come", (dir) => {
  const begun: Record<string, number> = {}, ended: Record<string, number> = {};
  for (const row of services(dir, true)) {
    const begin = row["event.begin#region"], path = String(row.path);
    if (begin !== undefined) begun[`${path}/${begin}`] = Number(row.n);
    else if (row["event.end#region"] !== undefined) {
      ended[path] = Number(row.n);
      assertEquals(row.n, row.visits);
    }
  }
  assertEquals(begun, VISITS);
  assertEquals(ended, { ...VISITS, main: 1, worker: 1 });
});

endToEnd("without its entries, the counts of snapshots are those of all begins and ends", (dir) => {
  const found = Object.fromEntries(services(dir, false).map((row) => [row.path, row.n]));
  assertEquals(found, {
    "main": 1 + 20_000,
    "main/cycle": 20_000 + 100_000 + 60_000,
    "main/cycle/force": 100_000 + 100_000,
    "main/cycle/force/stress": 100_000,
    "main/cycle/energy": 60_000,
    "worker": 1 + 80_000,
    "worker/step": 80_000,
  });
});

for (const count of [1, 1000]) {
  endToEnd(`${count} visits of a thread are below the process's own stage`, (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -pthread -o app PROGRAMS/process_stage.c");
    const config = "runtime-report(output=report.txt),runtime-profile(output=profile.cali," +
      "region.count),event-trace(output=trace.cali)";
    const run = (config: string) =>
      succeed(
        dir,
        [
          ...["run", "-q", "--simulate", "--preload", "caliper", "--cali-config", config],
          ...["--", "./app", String(count)],
        ],
      );
    const expected = {
      "first": 1,
      "inner": count,
      "inner/step": count,
      "total": 1,
      "total/inner": count,
      "total/inner/step": count,
    };
    const counts = (file: string, of: string) =>
      Object.fromEntries(
        rows(dir, file, `select *,sum(${of}) as n where ${of} group by path`)
          .map(({ path, n }) => [path, Number(n)]),
      );
    for (const alone of [true, false]) {
      Deno.writeTextFileSync(`${dir}/report.txt`, "");
      run(alone ? config.replace(/,event-trace.*/, "") : config);
      const tree = paths(Deno.readTextFileSync(`${dir}/report.txt`));
      assertEquals(tree.toSorted(), Object.keys(expected).toSorted());
      assertEquals(counts("profile.cali", "sum#rc.count"), expected);
    }
  });
}

endToEnd(
  "visits of threads keep their time among events of other threads where they fold",
  (dir) => {
    compile(dir, "cc -O2 -Wall -Wextra -Werror -pthread -o app PROGRAMS/process_stage.c");
    const config = "runtime-profile(output=profile.cali,region.count)";
    const args = ["run", "-q", "--simulate", "--preload", "caliper", "--cali-config", config];
    succeed(dir, [...args, "--", "./app", "200000"]);
    const found = Object.fromEntries(
      rows(dir, "profile.cali", "select *,sum(sum#rc.count) as n where sum#rc.count group by path")
        .map(({ path, n }) => [path, Number(n)]),
    );
    // Of two threads in one interval it is not known whose visits had no room.
    assertEquals(found["inner/step"] + found["total/inner/step"], 400_000);
    assert(Math.abs(found["inner/step"] - 200_000) < 100_000, JSON.stringify(found));
  },
);

endToEnd("a profile of one stack for all threads has it where the trace has it", (dir) => {
  compile(dir, "cc -O2 -Wall -Wextra -Werror -pthread -o app PROGRAMS/process_stage.c");
  const config = "runtime-report(output=report.txt)";
  succeed(
    dir,
    ["run", "-q", "--simulate", "--preload", "caliper", "--cali-config", config, "--", "./app"],
    { CALI_CALIPER_ATTRIBUTE_DEFAULT_SCOPE: "process" },
  );
  const tree = paths(Deno.readTextFileSync(`${dir}/report.txt`));
  assertEquals(
    tree.toSorted(),
    ["first", "inner", "inner/step", "total", "total/inner"].concat([
      "total/inner/step",
    ]),
  );
});

for (const mpi of ["openmpi", "mpich"]) {
  needing(
    `mpicc.${mpi}`,
    works(`mpicc.${mpi} --version && command -v mpirun.${mpi}`),
    `profiles have MPI's calls inside of own marks: ${mpi}`,
    (dir) => {
      joulemark(dir, ["client", "c", "--dir", dir]);
      compile(dir, `mpicc.${mpi} -O2 -I. -o app PROGRAMS/../mpi_own.c`);
      const config = "runtime-report(profile.mpi,output=report.txt)," +
        "runtime-profile(profile.mpi,output=profile.cali)";
      succeed(
        dir,
        [
          ...["run", "-q", "--simulate", "--preload", "mpi", "--cali-config", config],
          ...["--", `mpirun.${mpi}`, "-n", "2", "./app"],
        ],
        MPI,
      );
      const expected = ["main", "main/exchange", "main/exchange/MPI_Barrier", "main/MPI_Allreduce"];
      const ofMain = (all: string[]) => all.filter((path) => /main|Barrier|Allreduce/.test(path));
      const printed = ofMain(paths(Deno.readTextFileSync(`${dir}/report.txt`)));
      assertEquals(printed.toSorted(), expected.toSorted());
      const profile = rows(dir, "profile.cali", "select *,count() group by path");
      const found = new Set(ofMain(profile.map(({ path }) => String(path))));
      assertEquals([...found].toSorted(), expected.toSorted());
    },
  );
}
