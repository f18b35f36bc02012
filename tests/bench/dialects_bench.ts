/**
 * What marks cost in every language and dialect, with a reader and without a run. Run by
 * `deno run -A tests/bench/dialects_bench.ts`; `Deno.bench` does not fit, the work is another
 * process's.
 */
import { LANGUAGES } from "../../src/marks/client/files.ts";
import { run } from "../marks/marker/_c_program.ts";
import { RingSession, type SeenRing } from "../marks/marker/_ring_session.ts";

const HERE = new URL(".", import.meta.url).pathname;
const PROGRAMS = `${HERE}../e2e/programs/preload/`;
const ROUNDS = 5;

const dir = Deno.makeTempDirSync({ prefix: "joulemark-bench-" });

function sh(line: string): boolean {
  const { success } = new Deno.Command("sh", {
    args: ["-c", line],
    cwd: dir,
    stdout: "null",
    stderr: "null",
  }).outputSync();
  return success;
}

function median(figures: number[]): string {
  figures.sort((a, b) => a - b);
  return `${figures[figures.length >> 1].toFixed(2)} (${figures[0]}–${figures.at(-1)})`;
}

/** A program's own figure, with a reader that keeps up. */
async function read(command: string[]): Promise<{ figure: number; folded: number }> {
  using session = new RingSession();
  const seen = new Map<string, SeenRing>();
  const { stdout, stderr } = await run(command, session, () => {
    for (const name of session.files) {
      try {
        if (!seen.has(name)) seen.set(name, session.open(name));
      } catch {
        continue; // not ready yet
      }
    }
    for (const ring of seen.values()) ring.poll(false);
  });
  let folded = 0;
  for (const ring of seen.values()) {
    folded += ring.folds.reduce((n, f) => n + f.visits, 0);
    ring[Symbol.dispose]();
  }
  if (!Number.isFinite(Number.parseFloat(stdout))) throw new Error(stderr.split("\n")[0]);
  return { figure: Number.parseFloat(stdout), folded };
}

async function measure(label: string, command: string[], unit: string, most: string) {
  try {
    const on: number[] = [];
    const off: number[] = [];
    let folded = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const got = await read(command);
      on.push(got.figure);
      folded += got.folded;
      off.push(Number.parseFloat((await run(command, undefined)).stdout));
    }
    const told = folded > 0 ? `, ${folded} visits folded` : "";
    console.log(
      `${label}: ${median(on)} ${unit}, without a run ${median(off)} ${unit}${most}${told}`,
    );
  } catch (error) {
    console.log(`${label}: skipped: ${(error as Error).message}`);
  }
}

try {
  for (const { name, text } of LANGUAGES.preload.files()) {
    Deno.writeTextFileSync(`${dir}/${name}`, text);
  }
  if (!sh("cc -O2 -std=gnu99 -fPIC -shared -o lib.so *.c -ldl")) throw new Error("no compiler");
  sh(`cc -O2 -o bench ${HERE}dialects_bench.c`);
  const preload = ["env", `LD_PRELOAD=${dir}/lib.so`];
  for (
    const word of [
      "geopm",
      "caliper",
      "attribute",
      "likwid",
      "roctx",
      "tau",
      "papi",
      "craypat",
      "kokkos",
    ]
  ) await measure(`${word} pair`, [...preload, "./bench", word].map(local), "ns", "");
  if (sh(`mpicc -O2 -o mpi ${PROGRAMS}mpi.c`)) {
    const bare: number[] = [];
    for (let i = 0; i < ROUNDS; i++) {
      bare.push(Number.parseFloat((await run([`${dir}/mpi`, "600000"], undefined)).stdout));
    }
    console.log(`MPI_Wait, bare: ${median(bare)} ns`);
    const call = [...preload, `${dir}/mpi`, "600000"];
    await measure("MPI_Wait, interposed", call, "ns", ", at most 25 over the bare call");
  } else console.log("MPI: skipped: no mpicc");
  for (const language of ["python", "shell"]) {
    for (const { name, text } of LANGUAGES[language].files()) {
      Deno.writeTextFileSync(`${dir}/${name}`, text);
    }
  }
  Deno.writeTextFileSync(
    `${dir}/pair.py`,
    `import joulemark, time
begin, end = joulemark.begin, joulemark.end
total = done = 0
for i in range(40):
    begin("solve"); end("solve"); time.sleep(0.005)
while done < 300000:
    start = time.perf_counter_ns()
    for i in range(3000): begin("solve"); end("solve")
    total += time.perf_counter_ns() - start
    done += 3000
    time.sleep(0.006)
print(total / done / 1000)
`,
  );
  await measure("Python pair", ["python3", `${dir}/pair.py`], "µs", ", at most 2");
  for (const shell of ["bash", "dash"]) {
    Deno.writeTextFileSync(
      `${dir}/${shell}.sh`,
      `. ${dir}/joulemark.sh
i=0
while [ $i -lt 5000 ]; do joulemark_begin solve; joulemark_end solve; i=$((i + 1)); done
`,
    );
    const once = (session: RingSession | undefined) => {
      const env: Record<string, string> = session?.env ?? {};
      const start = performance.now();
      new Deno.Command(shell, { args: [`${dir}/${shell}.sh`], env }).outputSync();
      return Number(((performance.now() - start) / 10).toFixed(2));
    };
    try {
      using session = new RingSession();
      const on = Array.from({ length: ROUNDS }, () => once(session));
      const off = Array.from({ length: ROUNDS }, () => once(undefined));
      console.log(
        `${shell} mark: ${median(on)} µs, without a run ${median(off)} µs, at most 50 ` +
          "(the shell's own start included)",
      );
    } catch (error) {
      console.log(`${shell}: skipped: ${(error as Error).message}`);
    }
  }
} finally {
  Deno.removeSync(dir, { recursive: true });
}

function local(word: string): string {
  return word === "./bench" ? `${dir}/bench` : word;
}
