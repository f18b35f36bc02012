/** A tick of a 48-CPU node allocates nothing: V8 itself says when it collects. */
import { assert } from "@std/assert";

const LOOP = new URL("../_support/tick_loop.ts", import.meta.url).pathname;
const CONFIG = new URL("../../airgap/deno.json", import.meta.url).pathname;

Deno.test("20,000 ticks of 48 CPUs start no garbage collection", () => {
  const args = [
    "run",
    "--quiet",
    "--config",
    CONFIG,
    "--no-lock",
    "-A",
    "--v8-flags=--trace-gc",
    LOOP,
  ];
  const { stdout, success } = new Deno.Command(Deno.execPath(), { args }).outputSync();
  const text = new TextDecoder().decode(stdout);
  assert(success, text);
  const at = (word: string) => Number(new RegExp(`^${word} (\\d+)$`, "m").exec(text)?.[1]);
  // `[pid:isolate]  1234 ms: Scavenge …`; the two clocks start within some ten milliseconds.
  const collections = [...text.matchAll(/^\[.*?\]\s+(\d+) ms: (Scavenge|Mark-Compact)/gm)]
    .filter((m) => Number(m[1]) > at("begin") + 50 && Number(m[1]) < at("end"));
  // One is what the loop itself may cause, by the clock's numbers.
  assert(collections.length <= 1, `${collections.length} collections\n${text}`);
});
