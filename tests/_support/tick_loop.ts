/**
 * Turns 20,000 ticks after a warm-up and says when: run under --v8-flags=--trace-gc by a test that
 * counts the collections between the two marks.
 *
 * @module
 */
import { openTickNode } from "./tick_node.ts";
import { openWideNode } from "./wide_node.ts";

const ARG = Deno.args[0] ?? "batch";
const node = ARG === "wide" ? openWideNode() : openTickNode();
const TICKS = ARG === "wide" ? 3000 : 20_000;
let timeS = 0;

function turn(ticks: number): void {
  for (let i = 0; i < ticks; i++) {
    timeS += 0.005;
    if (ARG === "reads") node.reads();
    else {
      node.batch.read(timeS);
      node.batch.settle();
    }
  }
}

turn(TICKS / 4);
console.log(`begin ${performance.now().toFixed(0)}`);
const start = performance.now();
turn(TICKS);
const perTickUs = ((performance.now() - start) * 1000) / TICKS;
console.log(`end ${performance.now().toFixed(0)}`);
console.log(`${perTickUs.toFixed(1)} us a tick`);
node[Symbol.dispose]();
