/** What channels record of any run, wherever the steps of the monitor fall. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { ContextNode } from "./_node.ts";
import { Random } from "../../run/session/_random.ts";

/** A call on a node at its time, in eighths of a second. */
type Told = [eighth: number, log: (node: ContextNode, timeS: number) => void];

const END = 80;
const VARIABLES = {
  CALI_SERVICES_ENABLE: "event,timer,joulemark,pthread,trace,recorder",
  CALI_JOULEMARK_SIGNALS: "BOARD_ENERGY,CPU_ENERGY@package",
};

/** Processes that begin, mark on several threads, and end with a mark. */
function randomRun(random: Random): { told: Told[]; spans: [number, number][] } {
  const told: Told[] = [], spans: [number, number][] = [];
  const count = random.int(1, 3);
  for (let process = 0; process < count; process++) {
    const start = random.int(0, 20), end = random.int(start + 10, END - 1);
    const cpus = [0, 1, 2, 3].filter((cpu) => cpu === process || random.next() < 0.4);
    spans.push([start, end]);
    told.push([start, (node, timeS) => void node.start(timeS, 100 + process, cpus)]);
    const open = new Map<number, string[]>();
    for (let eighth = start + 1; eighth < end; eighth++) {
      const thread = random.pick([0, 0, 500 + process]), name = random.pick(["a", "b", "MPI_Send"]);
      const stack = open.get(thread) ?? [];
      open.set(thread, stack);
      if (random.next() < 0.5) continue;
      if (stack.length > 0 && random.next() < 0.5) {
        const last = stack.pop()!;
        told.push([eighth, (node, timeS) => node.exit(timeS, process, last, thread)]);
      } else {
        stack.push(name);
        told.push([eighth, (node, timeS) => node.enter(timeS, process, name, thread)]);
      }
    }
    told.push([end, (node, timeS) => node.enter(timeS, process, "last")]);
    told.push([end, (node, timeS) => node.end(timeS, process)]);
  }
  // Handles are by order of starting, and must be the processes' numbers.
  const starts = spans.map(([start]) => start);
  const isOrdered = starts.every((start, i) => i === 0 || starts[i - 1] <= start);
  return isOrdered ? { told: told.sort((a, b) => a[0] - b[0]), spans } : randomRun(random);
}

/** The run with steps at these eighths. */
function recorded(told: readonly Told[], steps: readonly number[]): Record<string, unknown>[] {
  const node = new ContextNode([VARIABLES], {
    value: (name, instance, timeS) => (name === "BOARD_ENERGY" ? 80 : 16 * (instance + 1)) * timeS,
  });
  let at = 0;
  for (const step of steps) {
    for (; at < told.length && told[at][0] <= step; at++) told[at][1](node, told[at][0] / 8);
    node.step(step / 8);
  }
  node.recorder.finish();
  return node.records();
}

const EVERY_SAMPLE = Array.from({ length: END + 1 }, (_, i) => i);

Deno.test("records are the same wherever the steps fall, while counters grow evenly", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed), { told } = randomRun(random);
    const some = EVERY_SAMPLE.filter((step) => step === 0 || step === END || random.next() < 0.2);
    const rounded = (records: Record<string, unknown>[]) =>
      records.map((record) =>
        Object.fromEntries(
          Object.entries(record).map(([key, value]) => [
            key,
            key.includes("ENERGY") ? Number(value).toFixed(9).replace("-0.0", "0.0") : value,
          ]),
        )
      );
    assertEquals(
      rounded(recorded(told, some)),
      rounded(recorded(told, EVERY_SAMPLE)),
      `seed ${seed}`,
    );
  }
});

Deno.test("energies of all records add up to what the node used while any process ran", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = new Random(seed), { told, spans } = randomRun(random);
    const records = recorded(told, EVERY_SAMPLE.filter((step) => step % 5 === 0));
    const eighths = EVERY_SAMPLE.filter((at) =>
      spans.some(([start, end]) => start <= at && at < end)
    );
    const sum = records.reduce((total, { BOARD_ENERGY }) => total + Number(BOARD_ENERGY ?? 0), 0);
    assertAlmostEquals(sum, eighths.length * 10, 1e-6, `seed ${seed}`);
  }
});

Deno.test("durations of a main thread add up to the life of its process up to its last mark", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const { told, spans } = randomRun(new Random(seed));
    const records = recorded(told, EVERY_SAMPLE);
    spans.forEach(([start, end], process) => {
      const own = records.filter((r) => r["pthread.id"] === 100 + process);
      const ns = own.reduce((total, r) => total + Number(r["time.duration.ns"]), 0);
      assertEquals(ns, (end - start) * 125_000_000, `seed ${seed}, process ${process}`);
    });
  }
});
