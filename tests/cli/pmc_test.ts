/** `joulemark pmc` over the library's own logs and drawn ones. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { pmc } from "../../src/cli/pmc.ts";
import { stringifyPmc } from "../../src/formats/pmc/pmc.ts";
import { COMPILERS, drawRun, STEPS, TABLE_3 } from "../show/analysis/_paper.ts";
import { capture } from "../_support/capture.ts";

const VECTORS = new URL("../vectors/pmc/", import.meta.url).pathname;

async function withFiles(body: (dir: string) => Promise<void>, steps = STEPS): Promise<void> {
  const dir = Deno.makeTempDirSync();
  try {
    for (const name of ["cray", "gnu"]) {
      for (const i of [1, 2]) {
        const text = stringifyPmc(drawRun(COMPILERS[name], i, steps)) as string;
        Deno.writeTextFileSync(`${dir}/${name}-${i}.pmc`, text);
      }
    }
    Deno.writeTextFileSync(`${dir}/table3.txt`, TABLE_3);
    await body(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("pmc summarizes the library's own logs, of any version", async () => {
  for (const name of ["v2.0.0.pmc", "v3.1.0.pmc", "v4.3.0.pmc", "v6.0.0.bin", "v6.0.0.ascii"]) {
    const { code, stdout, stderr } = await capture(pmc, [`${VECTORS}run-a.${name}`]);
    assertEquals([code, stderr], [0, ""], name);
    assertStringIncludes(stdout, "5429");
  }
});

Deno.test("pmc: logs joined by cat are runs of their own, whatever their version", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    for (const name of ["v2.0.0.pmc", "v3.1.0.pmc", "v4.3.0.pmc", "v6.0.0.bin"]) {
      const one = Deno.readFileSync(`${VECTORS}run-a.${name}`);
      Deno.writeFileSync(`${dir}/run.pmc`, one);
      Deno.writeFileSync(`${dir}/two.pmc`, Uint8Array.of(...one, ...one));
      const rows = async (file: string) => {
        const out = await capture(pmc, ["--format", "json", `${dir}/${file}`]);
        assertEquals([out.code, out.stderr], [0, ""], name);
        const { tables } = JSON.parse(out.stdout) as {
          tables: { rows: Record<string, unknown>[] }[];
        };
        return tables.map((table) => table.rows);
      };
      const named = (word: string, tables: Record<string, unknown>[][]) =>
        tables.map((table) => table.map((row) => ({ ...row, run: word })));
      const single = await rows("run.pmc"), both = await rows("two.pmc");
      for (const i of [1, 2]) {
        const own = both.map((table) => table.filter(({ run }) => run === `two#${i}`));
        assertEquals(named("x", own), named("x", single), name);
      }
    }
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("pmc: runs with other ranks that were appended to a binary log stay apart", async () => {
  const records = [[0, 24], [0, 24, 48], [24]].flatMap((ranks, run) =>
    [-1, 1, 2].flatMap((step, i) =>
      ranks.map((rank) => {
        const timeS = 100 * run + i;
        return { rank, timeS, step, substep: 1, powerW: 100, energyJ: 1000 * run + 100 * i };
      })
    )
  );
  const dir = Deno.makeTempDirSync();
  try {
    const write = (form: "binary" | "ascii") => {
      const path = `${dir}/x.${form}`, data = stringifyPmc({ version: "6.0", form, records });
      Deno.writeFileSync(path, typeof data === "string" ? new TextEncoder().encode(data) : data);
      return path;
    };
    const { code, stdout, stderr } = await capture(pmc, ["--json", write("binary")]);
    assertEquals([code, stderr], [0, ""]);
    const rows: Record<string, unknown>[] = JSON.parse(stdout).tables[0].rows;
    assertEquals(rows.map((row) => row["energy (J)"]), [400, 600, 200]);
    // Sorted by rank, the text does not have the order of the runs.
    const text = await capture(pmc, [write("ascii")]);
    assertEquals([text.code, text.stdout], [2, ""]);
    assertStringIncludes(text.stderr, "rank 0 with 2 of 3 runs");
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("pmc --compare and --histogram say which log has no energy, and compare the others", async () => {
  const dir = Deno.makeTempDirSync();
  try {
    const write = (name: string, stepJ: number) => {
      const records = [-1, 1, 2, 3].map((step, i) => {
        return { timeS: i, step, substep: 1, powerW: 100, energyJ: stepJ * i };
      });
      const text = stringifyPmc({ version: "4.3", form: "text", records }) as string;
      Deno.writeTextFileSync(`${dir}/${name}.pmc`, text);
      return `${name}=${dir}/${name}.pmc`;
    };
    const words = [write("a", 100), write("b", 150), write("c", 0)];
    const { code, stdout, stderr } = await capture(pmc, ["--compare", "--json", ...words]);
    assertEquals([code, stderr], [0, "joulemark: c: the log has no energy\n"]);
    const rows: Record<string, unknown>[] = JSON.parse(stdout).tables[0].rows;
    assertEquals(rows.map((row) => row.ratio), [1, 1.5, null]);
    assertEquals(rows[2]["steps apart"], null);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("pmc reads a log up to the step whose energy is below the one before", async () => {
  const path = Deno.makeTempFileSync({ suffix: ".pmc" });
  const lines = ["0 -1 1 300 0", "1 1 1 300 300", "2 2 1 300 600", "3 3 1 300 900", "4 4 1 300 20"];
  const header = "pm_mpi_lib v4.3.0: time (s), step, substep, average power (W), energy used (J)";
  Deno.writeTextFileSync(path, [header, ...lines, "5 5 1 300 320", ""].join("\n"));
  const { code, stdout, stderr } = await capture(pmc, ["--json", path]);
  Deno.removeSync(path);
  assertEquals([code, stderr], [
    0,
    `joulemark: ${path}: the energy fell from 900 J to 20 J at step 4, a counter was restarted; ` +
    "the log ends there\n",
  ]);
  const [run] = JSON.parse(stdout).tables[0].rows;
  // What is left out behind the last line was no reading at close.
  assertEquals([run.steps, run["energy (J)"], run["runtime (s)"]], [3, 900, 3]);
});

Deno.test("pmc has every choice in every format", async () => {
  await withFiles(async (dir) => {
    const files = ["cray-1", "cray-2", "gnu-1"].map((name) => `${dir}/${name}.pmc`);
    for (const choice of [[], ["--histogram"], ["--cdf"], ["--compare"], ["--sweep"]]) {
      for (const format of ["text", "csv", "json", "svg", "html"]) {
        const got = await capture(pmc, [...choice, "--format", format, ...files]);
        assertEquals([got.code, got.stderr], [0, ""], `${choice} ${format}`);
        if (format === "json") JSON.parse(got.stdout);
        if (format === "html") assertStringIncludes(got.stdout, '"format":"joulemark-page/2"');
        if (format === "svg") {
          assert(got.stdout.startsWith("<?xml") && got.stdout.endsWith("</svg>\n"));
          assert(!/NaN|Infinity|undefined/.test(got.stdout), `${choice}`);
        }
        if (format === "text" && choice[0] !== "--cdf") {
          const lines = got.stdout.split("\n").slice(0, 12);
          assert(lines.every((line) => line.length < 110), lines.join("\n"));
        }
      }
    }
  }, STEPS / 10);
});

Deno.test("pmc reports outliers, in words", async () => {
  await withFiles(async (dir) => {
    const one = await capture(pmc, [`${dir}/cray-1.pmc`]);
    assertStringIncludes(one.stdout, "cray-1: 20 outliers with 16");
    assertStringIncludes(one.stdout, "every 1000 steps");
    const words = [`a=${dir}/cray-1.pmc,${dir}/cray-2.pmc`, `b=${dir}/gnu-1.pmc`];
    const { stdout } = await capture(pmc, ["--compare", ...words]);
    assertMatch(stdout, /a: 1\.8890 (± |\+-)0\.0095 MJ over 17/);
    assertStringIncludes(stdout, "20 outliers with 16 times the usual energy");
  });
});

Deno.test("pmc --sweep finds the sweet spot of Table 3 as printed", async () => {
  await withFiles(async (dir) => {
    const { stdout } = await capture(pmc, ["--sweep", `${dir}/table3.txt`]);
    assertStringIncludes(stdout, "sweet spot: -n 64 -N 8 -S 4 -d 3, 45.05 MJ over 18970 s");
  });
});

Deno.test("pmc --summary craypat ends with the log where a counter began again", async () => {
  const path = Deno.makeTempFileSync({ suffix: ".bin" });
  const record = (rank: number, step: number, energyJ: number) => {
    return { rank, timeS: step, step, substep: 1, powerW: 300, energyJ };
  };
  const records = [-1, 1, 2, 3].flatMap((step, i) => [
    record(0, step, 1000 + 50 * i),
    record(1, step, i < 3 ? 5000 + 70 * i : 20),
  ]);
  Deno.writeFileSync(path, stringifyPmc({ version: "6.0", form: "binary", records }) as Uint8Array);
  const { stdout } = await capture(pmc, ["--summary", "craypat", "--format", "csv", path]);
  Deno.removeSync(path);
  assertStringIncludes(stdout, "\nPM_ENERGY:NODE,120,J,mean\n");
  assertStringIncludes(stdout, "\nPM_POWER:NODE,300,W,max\n");
});

Deno.test("pmc --summary craypat takes other aggregations, and needs nodes", async () => {
  const log = `${VECTORS}run-a.v6.0.0.bin`;
  const { stdout } = await capture(pmc, ["--summary", "craypat", "--format", "csv", log]);
  assertStringIncludes(stdout, "PM_POWER:NODE,315,W,max");
  const agg = "PM_POWER:NODE=min,PM_ENERGY:NODE=sum";
  const other = await capture(pmc, ["--summary", "craypat", "--agg", agg, "--format", "csv", log]);
  assertStringIncludes(other.stdout, "PM_ENERGY:NODE,5429,J,sum");
  const text = await capture(pmc, ["--summary", "craypat", `${VECTORS}run-a.v4.3.0.pmc`]);
  assertEquals(text.code, 2);
  assertStringIncludes(text.stderr, "which has each node");
});

Deno.test("pmc reports wrong requests in one line", async () => {
  const log = `${VECTORS}run-a.v4.3.0.pmc`;
  for (
    const args of [
      [],
      ["--format", "png", log],
      ["--histogram", "--cdf", log],
      ["--summary", "perf", log],
      ["--bins", "0", "--histogram", log],
      ["--figure", "heat", "--histogram", log],
      ["--agg", "NOSUCH=mean", "--summary", "craypat", `${VECTORS}run-a.v6.0.0.bin`],
      ["nosuch.pmc"],
      [`${VECTORS}README.md`],
    ]
  ) {
    const got = await capture(pmc, args);
    assertEquals([got.code, got.stdout], [2, ""], args.join(" "));
    assertEquals(got.stderr.trimEnd().split("\n").length, 1, got.stderr);
  }
});
