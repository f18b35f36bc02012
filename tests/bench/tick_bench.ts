/** What one tick of a 48-CPU node costs: registers and counter files in memory, 106 reads. */
import { openTickNode } from "../_support/tick_node.ts";
import { CPUS, openWideNode, VALUES } from "../_support/wide_node.ts";

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

const wide = openWideNode();
globalThis.addEventListener("unload", () => wide[Symbol.dispose]());

Deno.bench(`5 registers of ${CPUS} CPUs: the kernel's reads alone`, {
  group: "wide",
  baseline: true,
}, () => {
  wide.reads();
});

Deno.bench(`5 registers of ${CPUS} CPUs: batch read and settled, ${VALUES} values`, {
  group: "wide",
}, () => {
  timeS += 0.005;
  wide.batch.read(timeS);
  wide.batch.settle();
});
