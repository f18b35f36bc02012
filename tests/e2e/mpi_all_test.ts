/** All calls of MPI, asked for by name: times, counts, bytes and peers, with Open MPI and MPICH. */
import { assert, assertEquals } from "@std/assert";
import { bestOf } from "../_support/tries.ts";
import { CACHE, compile, needing, type Preloaded, preloaded, works } from "../_support/preload.ts";
import { joulemark } from "../_support/programs.ts";

const ENV = {
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
  OMPI_MCA_rmaps_base_oversubscribe: "1",
};

interface MpiFacts {
  readonly "mpi-wait (s)": number;
  readonly "mpi-transfer (s)": number;
  readonly "mpi-io (s)": number;
  readonly "processes that said": number;
  readonly "peers of a process, at most": number;
  readonly calls: readonly { call: string; count: number; bytes: number }[];
}

function mpiFacts({ host }: Preloaded): MpiFacts {
  return host.joulemark!.mpi as unknown as MpiFacts;
}

/** Bytes and counts of a call over all processes. */
function told(out: Preloaded, name: string): [count: number, bytes: number] | undefined {
  const row = mpiFacts(out).calls.find(({ call }) => call === name);
  return row && [Number(row.count), Number(row.bytes)];
}

/** One run of the program, against its own clock. */
function waits(dir: string, mpi: string): void {
  const large = mpi === "mpich";
  const command = [`mpirun.${mpi}`, "-n", "2", "./app"];
  const out = preloaded(dir, "mpi=all", command, { env: ENV });
  // Rank 0's own clock; rank 1 is in these calls for much less, and a mean is over both.
  const regions = new Map((out.host.regions ?? []).map((r) => [r.region, r.fields]));
  for (const line of out.stdout.trimEnd().split("\n")) {
    const [call, seconds, count] = line.split(" ");
    const fields = regions.get(call);
    assert(fields !== undefined, `${call} is no region:\n${[...regions.keys()]}`);
    const runtime = Number(fields["runtime (s)"]) * 2;
    assert(Number(seconds) > (call === "MPI_Test" ? 0.05 : 0.19), line);
    if (call === "MPI_Test") {
      // Two readings of the clock are between its own moments and each of ours.
      assert(
        runtime > 0.1 * Number(seconds) && runtime <= Number(seconds) * 1.001,
        `${line}, ${runtime}`,
      );
      assertEquals(told(out, call)![0], Number(count));
    } else if (call === "MPI_Probe") {
      assert(
        Math.abs(runtime - Number(seconds)) < 0.001 * Number(seconds),
        `${line} ${runtime}`,
      );
    }
  }
  assert(Number(out.host.application["time-hint-io (s)"]) >= 0);
  const facts = mpiFacts(out);
  assertEquals(Number(facts["processes that said"]), 2);
  // Rank 0 waits 0.2 s in each of two calls at least, and a mean is over two.
  const wait = Number(facts["mpi-wait (s)"]), transfer = Number(facts["mpi-transfer (s)"]);
  assert(wait > 0.19 && wait < 1, `${wait} s of waiting`);
  assert(transfer > 0 && transfer < wait, `${transfer} s of transfers`);
  assert(Number(facts["mpi-io (s)"]) > 0);
  // Each has the other alone as its peer, by whatever communicator.
  assertEquals(Number(facts["peers of a process, at most"]), 1);
  assertEquals(told(out, "MPI_Put"), [2, 8]);
  // Of collectives each process's own block, or its list, or a block for each rank.
  assertEquals(told(out, "MPI_Gather"), [4, 48]);
  assertEquals(told(out, "MPI_Gatherv"), [2, 12]);
  assertEquals(told(out, "MPI_Scatter"), [2, 32]);
  assertEquals(told(out, "MPI_Scatterv"), [2, 12]);
  assertEquals(told(out, "MPI_Allgatherv"), [2, 12]);
  assertEquals(told(out, "MPI_Alltoall"), [2, 16]);
  assertEquals(told(out, "MPI_Alltoallv"), [2, 24]);
  assertEquals(told(out, "MPI_Reduce_scatter"), [2, 12]);
  assertEquals(told(out, "MPI_Iallreduce"), [2, 8]);
  assertEquals(told(out, "MPI_File_write_at"), [2, 14]);
  assertEquals(told(out, "MPI_File_read_at_all"), [2, 14]);
  assertEquals(told(out, "MPI_Start"), [large ? 12 : 10, 20]);
  // Two of 4 bytes, three of 3, and one of 7 by a large count.
  assertEquals(told(out, "MPI_Send"), large ? [6, 24] : [5, 17]);
  if (large) assertEquals(told(out, "MPI_Pready"), [2, 16]);
  assert(!out.report.includes("mistakes:"), out.report.slice(-2000));
}

/** Bytes of what is started again, of parts, of types for each rank, and of neighbours: mpi_kept.c. */
function kept(dir: string, mpi: string): void {
  const out = preloaded(dir, "mpi=all", [`mpirun.${mpi}`, "-n", "2", "./app"], { env: ENV });
  const rows = (...names: string[]) => names.map((name) => told(out, name));
  assertEquals(rows("MPI_Send", "MPI_Isend"), [[2, 0], [2, 0]]);
  // Of each rank three times both, 16 bytes to the other; then one of each, one from and to nobody.
  assertEquals(rows("MPI_Startall", "MPI_Send_init", "MPI_Ssend_init"), [[6, 6 * 16], [2, 0], [
    2,
    0,
  ]]);
  // Rank 0 gets 1 of 8 bytes from each, rank 1 gets 2 of 4 from each.
  assertEquals(rows("MPI_Alltoallw"), [[2, 2 * 8 + 4 * 4]]);
  assertEquals(
    rows("MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallv", "MPI_Ineighbor_alltoall"),
    [[2, 2 * 4], [2, 2 * 8], [2, 2 * 8]],
  );
  assertEquals(rows("MPI_Neighbor_alltoallw", "MPI_Neighbor_allgather"), [[2, 8], [2, 8]]);
  assertEquals(Number(mpiFacts(out)["peers of a process, at most"]), 1);
  if (mpi === "openmpi") {
    assertEquals(rows("MPI_Start"), [[8, 32]]);
    return;
  }
  // Beside those: two of parts, five of a sum of 4 bytes, one of a broadcast of 24.
  assertEquals(rows("MPI_Start"), [[8 + 4 + 10 + 2, 32 + 10 * 4 + 2 * 24]]);
  assertEquals(rows("MPI_Pready", "MPI_Pready_list", "MPI_Pready_range"), [[1, 8], [1, 16], [
    1,
    24,
  ]]);
}

/** What a program may do wrong: see mpi_bad.c. */
const BAD = ["before", "after", "rank", "abort", "killed", "threads", "freed", "spawn", "ok"];

for (const mpi of ["openmpi", "mpich"]) {
  const isThere = works(`mpicc.${mpi} --version && command -v mpirun.${mpi}`);
  needing(
    `mpicc.${mpi}`,
    isThere,
    `run --preload mpi=all times every call that waits, with ${mpi}`,
    (dir) => {
      compile(dir, `mpicc.${mpi} -O2 -o app PROGRAMS/mpi_all.c`);
      bestOf(5, () => waits(dir, mpi));
    },
  );

  needing(
    `mpicc.${mpi}`,
    isThere,
    `run --preload mpi=all counts bytes of what is started again and of neighbours, with ${mpi}`,
    (dir) => {
      compile(dir, `mpicc.${mpi} -O2 -o app PROGRAMS/mpi_kept.c`);
      kept(dir, mpi);
    },
  );

  needing(`mpicc.${mpi}`, isThere, `what goes wrong with ${mpi} goes as without mpi=all`, (dir) => {
    compile(dir, `mpicc.${mpi} -O1 -w -pthread -o app PROGRAMS/mpi_bad.c`);
    const decoder = new TextDecoder();
    // Numbers of processes and addresses differ from run to run.
    const shape = (text: string) => text.replace(/\d{3,}|0x[0-9a-f]+/g, "N");
    for (const what of BAD) {
      const command = [`mpirun.${mpi}`, "-n", "1", "./app", what];
      // Of one that aborts, mpirun itself tells at times another status than most times.
      bestOf(3, () => {
        const alone = new Deno.Command("timeout", { args: ["60", ...command], cwd: dir, env: ENV })
          .outputSync();
        const args = ["run", "-q", "--simulate", "--preload", "mpi=all", "--", ...command];
        const out = joulemark(dir, args, { XDG_CACHE_HOME: CACHE, ...ENV });
        assertEquals(out.code, alone.code, `${what}: ${out.stderr}`);
        assertEquals(shape(out.stdout), shape(decoder.decode(alone.stdout)), what);
      });
    }
  });

  needing(
    `mpicc.${mpi}`,
    isThere,
    `what ${mpi} has not stays absent under --preload mpi`,
    (dir) => {
      compile(
        dir,
        `mpicc.${mpi} -O2 -DMODULE -fPIC -shared -o module.so PROGRAMS/mpi_absent.c -ldl`,
      );
      compile(dir, `mpicc.${mpi} -Wl,--no-as-needed -O2 -o app PROGRAMS/mpi_absent.c -ldl`);
      const alone = new Deno.Command(`${dir}/app`, { cwd: dir, env: ENV }).outputSync();
      const text = new TextDecoder().decode(alone.stdout);
      assert(text.includes("MPI_Send 1 1\n"), text + new TextDecoder().decode(alone.stderr));
      assertEquals(text.includes("MPI_Session_init 0 0\n"), mpi === "openmpi");
      for (const word of ["mpi", "mpi=all", "all"]) {
        assertEquals(preloaded(dir, word, ["./app"], { env: ENV }).stdout, text, word);
      }
    },
  );

  needing(
    `mpif90.${mpi}`,
    works(`mpif90.${mpi} --version && command -v mpirun.${mpi}`),
    `run --preload mpi=all counts bytes of Fortran 2008, with ${mpi}`,
    (dir) => {
      compile(dir, `mpif90.${mpi} -O2 -o app PROGRAMS/mpi_all.f90`);
      const out = preloaded(dir, "mpi=all", [`mpirun.${mpi}`, "-n", "2", "./app"], { env: ENV });
      assertEquals(told(out, "MPI_Send"), [2, 24]);
      assertEquals(told(out, "MPI_Irecv"), [2, 0]);
      assertEquals(told(out, "MPI_File_write_at"), [2, 8]);
      assertEquals(told(out, "MPI_File_open"), [2, 0]);
      assert(told(out, "MPI_Test")![0] >= 2);
      assertEquals(Number(mpiFacts(out)["peers of a process, at most"]), 1);
      for (const module of ["", "-DOLD -fallow-argument-mismatch"]) {
        compile(dir, `mpif90.${mpi} -cpp ${module} -O1 -w -o app PROGRAMS/mpi_kept.f90`);
        const again = preloaded(dir, "mpi=all", [`mpirun.${mpi}`, "-n", "2", "./app"], {
          env: ENV,
        });
        assertEquals(told(again, "MPI_Startall"), [4, 4 * 32], module);
        assertEquals(told(again, "MPI_Start"), [4, 2 * 32], module);
        // Rank 0 gets 1 of 8 bytes from rank 1, rank 1 gets 4 of 4 from rank 0.
        assertEquals(told(again, "MPI_Alltoallw"), [2, 8 + 16], module);
        assertEquals(told(again, "MPI_Neighbor_alltoall"), [2, 2 * 8], module);
      }
    },
  );
}
