import { assertEquals } from "@std/assert";
import { EdgeLog } from "../../../src/energy/edges/intervals/edge_log.ts";
import { WholeVisits } from "../../../src/energy/edges/whole_visits.ts";

Deno.test("visits nested in whole visits take the time that these take it from", () => {
  const unmarked = 0, out = 2, inside = 3;
  const visits = new WholeVisits(new EdgeLog());
  visits.add(out, 0.08, unmarked, unmarked);
  visits.add(inside, 0.06, -1, out);
  visits.add(out, -0.06, -1, out);
  const { paths, around, seconds, length } = visits.times;
  const rows = Array.from({ length }, (_, i) => [paths[i], around[i], seconds[i].toFixed(3)]);
  assertEquals(rows, [[out, unmarked, "0.020"], [inside, unmarked, "0.060"]]);
});

Deno.test("visits nested in visits with edges take the time of these", () => {
  const out = 2, inside = 3;
  const visits = new WholeVisits(new EdgeLog());
  visits.add(inside, 0.06, -1, out);
  assertEquals([visits.times.paths[0], visits.times.around[0]], [inside, out]);
});
