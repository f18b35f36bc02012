/** Series written by several processes where helpers do not start, or fail. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { AccessError } from "../../src/core/errors.ts";
import { lookAtRawFiles } from "../../src/rawstats/files.ts";
import { writeSeriesByAll } from "../../src/rawstats/series_workers.ts";

const VECTOR = new URL("../vectors/rawstats/rollover-a.raw", import.meta.url).pathname;

async function written(
  processes: number,
  helper: readonly string[],
): Promise<{ text: string; notes: string[] }> {
  const decoder = new TextDecoder();
  const found = { text: "", notes: [] as string[] };
  await writeSeriesByAll({
    ...{ format: "csv", files: await lookAtRawFiles([VECTOR]), job: undefined },
    ...{ types: undefined, energyUnits: undefined },
  }, {
    processes,
    helper,
    grain: { nodeBytes: 0, lotBytes: 0, values: 5 },
    write: (bytes) => found.text += decoder.decode(bytes, { stream: true }),
    check() {},
    error() {},
    note: (line) => found.notes.push(line),
    warn: (line) => found.notes.push(line),
  });
  return found;
}

Deno.test("series are written by one process where no other can be started", async () => {
  const one = await written(1, []);
  assert(one.text.length > 1000);
  assertEquals(one.notes, []);
  assertEquals(await written(3, ["/nothing/of/this/name"]), one);
});

Deno.test("a helper that ends before its turn is no end of the output", async () => {
  await assertRejects(
    () => written(2, ["/bin/sh", "-c", "exit 5", "helper"]),
    AccessError,
    "ended with status 5: the output is cut",
  );
});
