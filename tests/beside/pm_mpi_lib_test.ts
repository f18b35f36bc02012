/** Logs of the real pm_mpi_lib under MPI beside ours, of one run over the same counter files. */
import { assert, assertEquals } from "@std/assert";
import { parsePmc } from "../../src/formats/pmc/pmc.ts";
import { joulemark } from "../_support/programs.ts";
import { besidePeer, programPath, shell } from "./_peers.ts";

/** Commits of its repository, by the version that they call themselves. */
const VERSIONS = { "4.3": "f0da425", "4.4": "1dcea04" } as const;
const FILES = "freshness power energy cpu_power cpu_energy memory_power memory_energy cpu0_temp " +
  "cpu1_temp accel_power accel_energy startup power_cap accel_power_cap raw_scan_hz version";
/** Both clocks are read at the same call, in two processes. */
const MOST_APART_S = 0.1;

for (const [version, commit] of Object.entries(VERSIONS)) {
  besidePeer(
    "pmMpiLib",
    `pm_mpi_lib ${version}: the log of a run under MPI is ours`,
    (dir, peer) => {
      const counters = `${dir}/tree/sys/cray/pm_counters`;
      Deno.mkdirSync(counters, { recursive: true });
      for (const name of FILES.split(" ")) Deno.writeTextFileSync(`${counters}/${name}`, "1 \n");
      const start = { energy: "7123456789 J", power: "1200 W", freshness: "100000 " };
      const more = { cpu_energy: "3123456789 J", cpu_power: "1100 W" };
      const most = { memory_energy: "2123456789 J", memory_power: "1050 W" };
      for (const [name, text] of Object.entries({ ...start, ...more, ...most })) {
        Deno.writeTextFileSync(`${counters}/${name}`, `${text}\n`);
      }
      for (const file of ["pm_mpi_lib.c", "pm_mpi_lib.h"]) {
        shell(dir, `git -C '${peer}' show ${commit}:${file} > ${file}`);
      }
      shell(dir, `sed -i 's#/sys/cray/pm_counters/#${counters}/#' pm_mpi_lib.c`);
      // The library measures the path in a buffer of 128 bytes.
      shell(dir, "sed -i 's/MAX_FPATH_LEN 128/MAX_FPATH_LEN 512/' pm_mpi_lib.c");
      shell(dir, "mpicc.mpich -O1 -w -shared -fPIC -o libpmmpi.so pm_mpi_lib.c");
      const link = "-L. -lpmmpi -Wl,-rpath,$PWD";
      shell(dir, `mpicc.mpich -O1 -Wall -o steps '${programPath("pm_steps.c")}' ${link}`);
      const out = joulemark(dir, [
        ...["run", "-q", "--root", "tree", "--preload", "pm_mpi", "--pmc", "ours.pmc"],
        ...[
          "--pmc-version",
          version,
          "--",
          "mpiexec.mpich",
          "-n",
          "2",
          "./steps",
          counters,
          "real.pmc",
        ],
      ], { XDG_CACHE_HOME: dir });
      assertEquals(out.code, 0, out.stderr);
      const [real, ours] = ["real.pmc", "ours.pmc"].map((name) =>
        parsePmc(Deno.readFileSync(`${dir}/${name}`), { path: name })
      );
      const figures = (records: typeof real.records) =>
        records.map(({ timeS: _, ...rest }) => rest);
      assertEquals(figures(ours.records), figures(real.records));
      assertEquals(real.records.length, 1 + 6 * 2 + 3 + 1);
      real.records.forEach(({ timeS }, i) => {
        const apartS = Math.abs(timeS - ours.records[i].timeS);
        assert(apartS <= MOST_APART_S, `record ${i}: ${timeS} s, ${ours.records[i].timeS} s`);
      });
      // The texts too, but for the times.
      const text = (name: string) =>
        Deno.readTextFileSync(`${dir}/${name}`).split("\n").map((line, i) =>
          i === 0 ? line.replace(/(v\d\.\d)\.\d/, "$1") : line.replace(/^\S+ /, "")
        );
      assertEquals(text("ours.pmc"), text("real.pmc"));
    },
  );
}
