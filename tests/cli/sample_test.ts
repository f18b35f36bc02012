/** `joulemark sample`: mistakes in its options. */
import { assertEquals } from "@std/assert";
import { sample } from "../../src/cli/sample.ts";
import { capture } from "../_support/capture.ts";

Deno.test("sample names the option that --duration needs", async () => {
  const asked = async (...options: string[]) => {
    const { code, stdout, stderr } = await capture(sample, ["--signals", "TIME", ...options]);
    assertEquals([code, stdout], [2, ""], options.join(" "));
    return stderr;
  };
  assertEquals(
    await asked("-t", "2"),
    "--duration needs --period S, the seconds between two rows. " +
      "For example: --period 0.1 --duration 2\n",
  );
  assertEquals(
    await asked("-t", "2", "-p", "0"),
    'cannot use "--period 0": expected seconds above 0 with --duration\n',
  );
  assertEquals(
    await asked("-t", "2", "-p", "-1"),
    'cannot use "--period -1": expected seconds from 0 to 86400\n',
  );
});

Deno.test("sample does not begin if it cannot write its statistics", async () => {
  const { code, stdout, stderr } = await capture(sample, [
    ...["--signals", "TIME", "-p", "0.01", "-t", "0.02", "--stats", "/nowhere/stats.yaml"],
  ]);
  assertEquals(
    [code, stdout, stderr],
    [
      1,
      "",
      'cannot write "/nowhere/stats.yaml": no such directory. Give another path, or make the directory\n',
    ],
  );
});
