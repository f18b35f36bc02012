import { assertAlmostEquals, assertEquals } from "@std/assert";
import {
  bucketFloorNs,
  bucketOf,
  HISTOGRAM_BUCKETS,
  PathStats,
  PathTable,
  ROOT,
} from "../../src/core/path_stats.ts";

Deno.test("PathTable.add() distinguishes paths by parent, name, track and attribute", () => {
  const paths = new PathTable();
  const main = paths.add(ROOT, "main"), solve = paths.add(main, "solve");
  assertEquals(paths.add(ROOT, "main"), main);
  assertEquals(paths.add(main, "solve"), solve);
  const others = [
    paths.add(ROOT, "solve"),
    paths.add(solve, "solve"),
    paths.add(main, "solve", "nvtx"),
    paths.add(main, "solve", "", "loop"),
    paths.add(main, "solve", "nvtx", "loop"),
  ];
  assertEquals(new Set([main, solve, ...others]).size, 7);
  assertEquals(paths.length, 8);
  assertEquals(paths.names(others[1]), ["main", "solve", "solve"]);
  assertEquals([paths.parent(main), paths.parent(ROOT)], [ROOT, -1]);
  assertEquals([paths.track(others[2]), paths.attribute(others[3])], ["nvtx", "loop"]);
  assertEquals(paths.line(others[1]), [main, solve, others[1]]);
});

Deno.test("bucketOf() and bucketFloorNs() agree over all buckets", () => {
  for (let bucket = 1; bucket < HISTOGRAM_BUCKETS; bucket++) {
    const floor = bucketFloorNs(bucket);
    assertEquals(bucketOf(floor), bucket);
    assertEquals(bucketOf(floor * (1 - 2 ** -50)), bucket - 1);
  }
  assertEquals([bucketOf(0), bucketOf(-5), bucketOf(0.5), bucketOf(1)], [0, 0, 0, 0]);
  assertEquals(bucketOf(1e300), HISTOGRAM_BUCKETS - 1);
});

Deno.test("PathStats.figures() of visits of known lengths", () => {
  const stats = new PathStats();
  for (let i = 1; i <= 1000; i++) stats.add(3, i * 1000);
  stats.addSelf(3, 5e5);
  const figures = stats.figures(3);
  assertEquals(figures.count, 1000);
  assertAlmostEquals(figures.inclusiveS, 0.5005, 1e-12);
  assertAlmostEquals(figures.exclusiveS, 5e-4, 1e-12);
  assertAlmostEquals(figures.meanS, 500.5e-6, 1e-12);
  assertAlmostEquals(figures.deviationS, 288.819436e-6, 1e-9);
  assertAlmostEquals(figures.minS, 1e-6, 1e-15);
  assertAlmostEquals(figures.maxS, 1e-3, 1e-15);
  assertAlmostEquals(figures.p50S, 500e-6, 500e-6 * 0.05);
  assertAlmostEquals(figures.p99S, 990e-6, 990e-6 * 0.05);
});

Deno.test("PathStats.quantileNs() is at most 15 % from the visit's length", () => {
  // All visits of a bucket may be at either end of it.
  for (let bucket = 4; bucket < HISTOGRAM_BUCKETS - 1; bucket++) {
    for (const ns of [bucketFloorNs(bucket), bucketFloorNs(bucket + 1) * (1 - 2 ** -50)]) {
      const stats = new PathStats();
      for (let i = 0; i < 98; i++) stats.add(1, ns);
      stats.add(1, 0);
      stats.add(1, 1e15);
      for (const part of [0.02, 0.5, 0.99]) {
        assertAlmostEquals(stats.quantileNs(1, part) / ns, 1, 0.15 + 1e-12);
      }
    }
  }
  const two = new PathStats();
  for (const ns of [1_068_952, 5_000_000]) two.add(1, ns);
  assertAlmostEquals(two.quantileNs(1, 0.5) / 1_068_952, 1, 0.15);
});

Deno.test("PathStats.figures() of a path without visits has no lengths", () => {
  const stats = new PathStats();
  stats.addSelf(1, 7);
  for (const path of [1, 999]) {
    const { count, meanS, deviationS, minS, p50S, maxS } = stats.figures(path);
    assertEquals([count, meanS, deviationS, minS, p50S, maxS], [0, NaN, NaN, NaN, NaN, NaN]);
  }
  stats.add(1, 100);
  assertEquals(stats.figures(1).deviationS, NaN);
  assertEquals(stats.quantileNs(1, 0.5), 100);
});

Deno.test("PathStats.merge() of parts is what one had seen", () => {
  const table = new PathTable(), whole = new PathStats(), merged = new PathStats();
  const parts = [new PathStats(), new PathStats(), new PathStats()];
  const paths = Array.from({ length: 20 }, (_, i) => table.add(ROOT, `region ${i}`));
  let seed = 12345;
  for (let i = 0; i < 3000; i++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const path = paths[i % 7 * 2], ns = 1 + seed % 1000 * 2 ** (i % 30);
    whole.add(path, ns);
    whole.addSelf(path, 3);
    parts[i % 3].add(path, ns);
    parts[i % 3].addSelf(path, 3);
  }
  for (const part of parts) merged.merge(part);
  for (const path of paths.filter((_, i) => i < 14 && i % 2 === 0)) {
    assertEquals(merged.figures(path).count, whole.figures(path).count);
    assertAlmostEquals(merged.sumNs[path] / whole.sumNs[path], 1, 1e-12);
    assertEquals(merged.quantileNs(path, 0.99), whole.quantileNs(path, 0.99));
    assertEquals(merged.minNs[path], whole.minNs[path]);
    assertEquals(merged.maxNs[path], whole.maxNs[path]);
    assertEquals(merged.selfNs[path], whole.selfNs[path]);
  }
});

Deno.test("PathStats.merge() renumbers paths of another table", () => {
  const there = new PathStats(), here = new PathStats();
  there.add(1, 64);
  here.merge(there, (path) => path + 40);
  assertEquals([here.count[1], here.count[41], here.figures(41).p50S], [0, 1, 64 * 1e-9]);
});
