/**
 * `joulemark collate` with a small library of our own that has the standard ABI of MPI 5.0. It shows
 * that our table is the standard's; a real library with that ABI has not been at hand.
 */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { collate } from "../../src/cli/collate.ts";
import { merge } from "../../src/cli/merge.ts";
import { stringifyReport } from "../../src/formats/report.ts";
import { hostReport } from "../job/merge/_generated.ts";
import { capture } from "../_support/capture.ts";
import { NO_COMPILER } from "../_support/programs.ts";
import { timed } from "../_support/time_limit.ts";
import { skippedWithout } from "../_support/skipped.ts";

const SOURCE = new URL("../os/mpi_abi_stub.c", import.meta.url).pathname;

Deno.test({
  ...skippedWithout(
    "collate over the standard ABI (a stub, never run on a real library)",
    NO_COMPILER,
  ),
  async fn(t) {
    const dir = Deno.makeTempDirSync();
    const library = `${dir}/libmpi_abi.so`;
    const built = new Deno.Command("cc", {
      args: ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", SOURCE, "-o", library],
    }).outputSync();
    assertEquals(built.code, 0, new TextDecoder().decode(built.stderr));
    Deno.mkdirSync(`${dir}/parts`);
    for (let n = 0; n < 5; n++) {
      const text = stringifyReport(hostReport(`n${n}`, n, { regions: 4 }));
      Deno.writeTextFileSync(`${dir}/parts/n${n}.report`, text);
    }
    const own = ["--mpi-lib", library, `${dir}/parts`];

    await t.step("equals the merge of files", async () => {
      const got = await capture(collate, ["-v", "-o", `${dir}/collated`, ...own]);
      assertEquals(got.code, 0, got.stderr);
      assertStringIncludes(got.stderr, "a stub of the standard ABI (abi), 1 processes");
      await capture(merge, ["-o", `${dir}/merged`, `${dir}/parts`]);
      const text = (name: string) => Deno.readTextFileSync(`${dir}/${name}`);
      assertEquals(text("collated"), text("merged"));
    });

    await t.step("reports an MPI that fails in Init, in one line", () => {
      // The library reads C's environment, which a child has from its start.
      const main = new URL("../../main.ts", import.meta.url).pathname;
      const config = Deno.env.get("JOULEMARK_CONFIG") ??
        new URL("../../airgap/deno.json", import.meta.url).pathname;
      const out = new Deno.Command(Deno.execPath(), {
        args: ["run", "--quiet", "--no-lock", "-A", "--config", config, main]
          .concat(["collate", "-o", `${dir}/none`, ...own]),
        env: { STUB_FAILS: "1" },
        stdin: "null",
      }).outputSync();
      const stderr = new TextDecoder().decode(out.stderr);
      assertEquals(out.code, 1, stderr);
      assertEquals(stderr.trimEnd().split("\n").length, 1);
      assertStringIncludes(stderr, "MPI_Init_thread");
    });

    Deno.removeSync(dir, { recursive: true });
  },
});

timed("collate tells of a library that is not there, and of wrong requests", async () => {
  for (const args of [[], ["-o", "x"], ["x"], ["-o", "x", "--mpi-lib", "/no/such.so", "."]]) {
    const got = await capture(collate, args);
    assertEquals([got.code, got.stderr.trimEnd().split("\n").length], [2, 1], args.join(" "));
  }
});
