/** What one tick of a 48-CPU node costs: registers and counter files in memory, 106 reads. */
import { openTickNode } from "../_support/tick_node.ts";

const node = openTickNode();
globalThis.addEventListener("unload", () => node[Symbol.dispose]());
let timeS = 0;

Deno.bench("tick of 48 CPUs: the kernel's reads alone", { group: "tick", baseline: true }, () => {
  node.reads();
});

Deno.bench("tick of 48 CPUs: batch read and settled", { group: "tick" }, () => {
  timeS += 0.005;
  node.batch.read(timeS);
  node.batch.settle();
});
