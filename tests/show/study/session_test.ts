/** A benchmark's session: its order, when it ends, and the commands that it is given. */
import { assert, assertEquals } from "@std/assert";
import { commandLines, commandWords, oneCommand } from "../../../src/show/study/commands.ts";
import {
  FIRST_LOOK,
  MAX_BLOCKS,
  type SessionPlan,
  type SessionRun,
  sessionRuns,
} from "../../../src/show/study/session.ts";

/** The runs of a session, each of which takes a second. */
function session(
  plan: Partial<SessionPlan>,
  value: (run: SessionRun) => number | undefined = () => 1,
) {
  const runs: SessionRun[] = [];
  const steps = { nowS: () => runs.length };
  const session = sessionRuns({ sets: 2, warmup: 0, seed: 1, ...plan }, steps);
  let next = session.next();
  while (next.done !== true) {
    runs.push(next.value);
    next = session.next(value(next.value));
  }
  return { runs, blocks: next.value };
}

Deno.test("each block has one run of each command, in an order that the seed decides", () => {
  const { runs, blocks } = session({ sets: 3, blocks: 200, warmup: 2 });
  assertEquals(runs.slice(0, 6).map(({ set, isWarmup }) => [set, isWarmup]), [
    ...[0, 1, 2, 0, 1, 2].map((set): [number, boolean] => [set, true]),
  ]);
  const counted = runs.slice(6);
  const orders = new Map<string, number>();
  for (let i = 0; i < counted.length; i += 3) {
    const block = counted.slice(i, i + 3);
    assertEquals(new Set(block.map(({ set }) => set)).size, 3);
    assertEquals(block.map(({ position }) => position), [1, 2, 3]);
    const order = block.map(({ set }) => set).join("");
    orders.set(order, (orders.get(order) ?? 0) + 1);
  }
  assertEquals([orders.size, blocks.length], [6, 200]);
  assert([...orders.values()].every((count) => count > 15 && count < 55), [...orders].join(" "));
  const again = session({ sets: 3, blocks: 200, warmup: 2 });
  assertEquals(again.runs, runs);
  assert(
    JSON.stringify(session({ sets: 3, blocks: 200, seed: 2 }).runs) !== JSON.stringify(counted),
  );
});

Deno.test("a session ends by blocks, by time, or by the width of the interval", () => {
  assertEquals(session({}).blocks.length, MAX_BLOCKS);
  assertEquals(session({ blocks: 5 }).blocks.length, 5);
  // No block starts after 7 s, and none is cut.
  assertEquals(session({ maxTimeS: 7 }).runs.length, 8);
  assertEquals(session({ blocks: 100, maxTimeS: 7 }).runs.length, 8);
  const steady = (run: SessionRun) => 100 + run.block % 2;
  assertEquals(session({ precision: 0.05 }, steady).blocks.length, FIRST_LOOK);
  const noisy = (run: SessionRun) => run.set === 0 ? 1 : 1 + run.block % 3;
  assertEquals(session({ precision: 0.01, maxTimeS: 100 }, noisy).blocks.length, 50);
  assertEquals(session({ sets: 1, precision: 0.05 }, steady).blocks.length, FIRST_LOOK);
});

Deno.test("a block with a run that failed is left out", () => {
  const { blocks, runs } = session({ blocks: 4 }, ({ set, block }) => {
    return set === 1 && block === 2 ? undefined : 10 * block + set;
  });
  assertEquals(runs.length, 8);
  assertEquals(blocks.map(({ block, values }) => [block, ...values]), [
    [1, 10, 11],
    [3, 30, 31],
    [4, 40, 41],
  ]);
});

Deno.test("commands are lines, of which a shell reads some, or words between --", () => {
  const lines = commandLines(["./a  60", "X=1 ./b", "./c | cat", "/opt/x/d"]);
  assertEquals(lines.map(({ set, words, name }) => [set, words, name]), [
    ["A", ["./a", "60"], "a"],
    ["B", ["/bin/sh", "-c", "X=1 ./b"], "b"],
    ["C", ["/bin/sh", "-c", "./c | cat"], "c"],
    ["D", ["/opt/x/d"], "d"],
  ]);
  const words = commandWords(["./a", "x y", "--", "./b"]);
  assertEquals(words.map(({ set, words }) => [set, words]), [["A", ["./a", "x y"]], ["B", [
    "./b",
  ]]]);
  assertEquals(oneCommand(["./a", "--", "b"]).words, ["./a", "--", "b"]);
  const many = commandLines(Array.from({ length: 28 }, () => "x"));
  assertEquals(many.slice(-3).map(({ set }) => set), ["Z", "AA", "AB"]);
});
