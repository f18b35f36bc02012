/** Programs for the tests of Marker: `deno run … marker_programs.ts WHAT`. */
import { Marker } from "../../../src/marks/marker/marker.ts";
import { libc } from "../../../src/os/libc.ts";

const [what, number, limit] = Deno.args;
// The runtime writes files of its own: only the marks are under the limit.
if (limit !== undefined) limitFiles(BigInt(limit));
const marker = Marker.attach();

function limitFiles(bytes: bigint): void {
  const RLIMIT_FSIZE = 1;
  const limits = new BigUint64Array([bytes, 0xffffffffffffffffn]);
  libc().setrlimit(RLIMIT_FSIZE, new Uint8Array(limits.buffer));
}

switch (what) {
  case "times":
    for (let i = 0; i < 20; i++) {
      const before = performance.now();
      marker.begin("work", "COMPUTE");
      while (performance.now() < before + 2);
      marker.end("work");
      console.log(performance.now() - before);
    }
    break;
  case "nested":
    for (let i = 0; i < 5; i++) {
      marker.epoch();
      using _outer = marker.region("outer", "MEMORY");
      {
        using _inner = marker.region("inner", "NETWORK");
        marker.progressInit(2);
        marker.progressPost();
      }
    }
    marker.overhead(0.5);
    break;
  case "pairs": {
    const names = ["a", "b", "c"];
    for (let i = 0; i < Number(number); i++) {
      marker.begin(names[i % 3]);
      marker.end(names[i % 3]);
    }
    break;
  }
  case "cost": {
    const start = performance.now();
    for (let i = 0; i < Number(number); i++) {
      marker.begin("a");
      marker.end("a");
    }
    console.log((performance.now() - start) * 1e6 / Number(number));
    break;
  }
  case "names":
    for (let i = 0; i < Number(number); i++) {
      marker.begin(`region ${i}`);
      marker.end(`region ${i}`);
    }
    marker.begin("ä".repeat(1 << 20));
    marker.end("ä".repeat(1 << 20));
    break;
  case "misuse": {
    marker.end("never begun");
    for (let i = 0; i < 200; i++) marker.begin("deep");
    for (let i = 0; i < 200; i++) marker.end("deep");
    const region = marker.region("twice");
    region[Symbol.dispose]();
    region[Symbol.dispose]();
    marker.begin("still open");
    break;
  }
  case "worker": {
    const worker = new Worker(import.meta.resolve("./marker_worker.ts"), { type: "module" });
    await new Promise((resolve) => worker.onmessage = resolve);
    worker.terminate();
    marker.begin("main");
    marker.end("main");
    break;
  }
  case "active":
    marker.begin("x");
    marker.end("x");
    console.log(marker.active, Marker.attach() === marker);
    marker.shutdown();
    marker.begin("late");
    console.log(marker.active);
    break;
}
if (limit !== undefined) limitFiles(0xffffffffffffffffn);
