/** A track's table of regions. */
import { assertEquals } from "@std/assert";
import { PathTable } from "../../../src/core/path_stats.ts";
import { RegionPaths } from "../../../src/marks/tracker/region_paths.ts";
import { RegionTable } from "../../../src/marks/tracker/region_table.ts";
import { Track } from "../../../src/marks/tracker/track.ts";
import { TrackTable } from "../../../src/marks/tracker/track_table.ts";

/** A track where regions have all handles up to a greatest one. */
function newTrack(): Track {
  const table = new RegionTable();
  for (let region = 0; region <= MOST; region++) table.add(`region ${region}`);
  const paths = new RegionPaths(new PathTable(), table, new TrackTable());
  return new Track(1, new Int32Array([0]), paths);
}

const MOST = 20_000;
const VISIT = { hash: 1, hint: 1, track: 0 };

function visit(track: Track, region: number, ns: number): void {
  track.enter(ns, region, VISIT);
  track.exit(ns + 10, 1);
}

Deno.test("a track of few regions stays small, whatever their handles are", () => {
  const track = newTrack();
  for (let k = 0; k < 4; k++) visit(track, 10_000 + k, 100 * k);
  assertEquals(track.isSmall, true);
  assertEquals([10_000, 10_003, 9_999, 10_004].map((region) => track.count(region)), [
    ...[1, 1, 0, 0],
  ]);
});

Deno.test("a track counts each region where they become many, and anew for another thread", () => {
  const track = newTrack();
  // Large handles first, so that small and larger ones come where those are kept in another way.
  const regions = [9_000, 5, 7_000, 1_500, 3, 20_000];
  for (let k = 0; k < 40; k++) regions.push(1_000 + 37 * k);
  for (let round = 1; round <= 3; round++) {
    regions.forEach((region, k) => visit(track, region, 1e6 * round + 100 * k));
    assertEquals(regions.map((region) => track.count(region)), regions.map(() => round));
    assertEquals(regions.map((r) => track.runtimeNs(r)), regions.map(() => 10 * round));
  }
  assertEquals([...track.visited].sort(), [...regions].sort());
  assertEquals([4, 1_001, 6_999, 20_001].map((region) => track.count(region)), [0, 0, 0, 0]);
  track.begin(2, new Int32Array([0]));
  assertEquals(regions.map((region) => track.count(region)), regions.map(() => 0));
  visit(track, 7_000, 0);
  assertEquals([track.count(7_000), track.count(5)], [1, 0]);
});
