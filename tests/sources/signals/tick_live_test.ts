/** A tick allocates nothing, on 48 CPUs and on 256: V8 itself says when it collects. */
import { assert } from "@std/assert";
import { timed } from "../../_support/time_limit.ts";

const LOOP = new URL("../../_support/tick_loop.ts", import.meta.url).pathname;
const CONFIG = new URL("../../../airgap/deno.json", import.meta.url).pathname;

/** Collections while the loop of tick_loop.ts turned, and all that was printed. */
function collectionsOf(node: string): { count: number; text: string } {
  const args = [
    "run",
    "--quiet",
    "--config",
    CONFIG,
    "--no-lock",
    "-A",
    "--v8-flags=--trace-gc",
    LOOP,
    node,
  ];
  const { stdout, success } = new Deno.Command(Deno.execPath(), { args }).outputSync();
  const text = new TextDecoder().decode(stdout);
  assert(success, text);
  const at = (word: string) => Number(new RegExp(`^${word} (\\d+)$`, "m").exec(text)?.[1]);
  // `[pid:isolate]  1234 ms: Scavenge …`; the two clocks start within some ten milliseconds.
  const collections = [...text.matchAll(/^\[.*?\]\s+(\d+) ms: (Scavenge|Mark-Compact)/gm)]
    .filter((m) => Number(m[1]) > at("begin") + 50 && Number(m[1]) < at("end"));
  return { count: collections.length, text };
}

for (const [node, what] of [["batch", "20,000 ticks of 48 CPUs"], ["wide", "3,000 of 256"]]) {
  timed(`${what} start no garbage collection`, () => {
    const { count, text } = collectionsOf(node);
    // One is what the loop itself may cause, by the clock's numbers.
    assert(count <= 1, `${count} collections\n${text}`);
  });
}
