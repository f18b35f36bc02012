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

/** Visits to each region, and their time. */
function totals(track: Track, regions: readonly number[]): [counts: number[], ns: number[]] {
  const counts = new Float64Array(20_002), ns = new Float64Array(20_002);
  track.addTotals(counts, ns);
  return [regions.map((region) => counts[region]), regions.map((region) => ns[region])];
}

function visit(track: Track, region: number, ns: number): void {
  track.enter(ns, region, VISIT);
  track.exit(ns + 10, 1);
}

Deno.test("a track of few regions stays small, whatever their handles are", () => {
  const track = newTrack();
  for (let k = 0; k < 4; k++) visit(track, 10_000 + k, 100 * k);
  assertEquals(track.isSmall, true);
  assertEquals(totals(track, [10_000, 10_003, 9_999, 10_004])[0], [1, 1, 0, 0]);
});

Deno.test("a track counts each region where they become many, and anew for another thread", () => {
  const track = newTrack();
  // Large handles first, so that small and larger ones come where those are kept in another way.
  const regions = [9_000, 5, 7_000, 1_500, 3, 20_000];
  for (let k = 0; k < 40; k++) regions.push(1_000 + 37 * k);
  for (let round = 1; round <= 3; round++) {
    regions.forEach((region, k) => visit(track, region, 1e6 * round + 100 * k));
    const same = (value: number) => regions.map(() => value);
    assertEquals(totals(track, regions), [same(round), same(10 * round)]);
  }
  assertEquals(totals(track, [4, 1_001, 6_999, 20_001])[0], [0, 0, 0, 0]);
  track.begin(2, new Int32Array([0]));
  assertEquals(totals(track, regions)[0], regions.map(() => 0));
  visit(track, 7_000, 0);
  assertEquals(totals(track, [7_000, 5])[0], [1, 0]);
});
