import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../src/core/errors.ts";
import { parseTopology, placementsOf, placeOf } from "../../../src/show/study/placement.ts";

Deno.test("placeOf() reads cnames and xnames", () => {
  assertEquals(placeOf("c3-0c1s7n3"), { group: "1-0", chassis: "c3-0c1" });
  assertEquals(placeOf("x1000c3s4b0n1"), { group: "x1000", chassis: "x1000c3" });
  assertEquals(placeOf("nid00012"), undefined);
});

Deno.test("parseTopology() reads a table of nids and cnames, and Slurm's topology", () => {
  const table = "NID    (HEX)    NODENAME     TYPE    STATUS  MODE\n" +
    "12   0xc   c0-0c0s3n0   compute  up  interactive\nnid00640 c4-0c1s0n0\n";
  const places = parseTopology(table, "table");
  assertEquals(places.get("nid00640"), { group: "2-0", chassis: "c4-0c1" });
  assertEquals(places.get("c0-0c0s3n0"), { group: "0-0", chassis: "c0-0c0" });
  const slurm = "# switches\nSwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[1-4] \n" +
    "SwitchName=s1 Nodes=n[5-8]\nSwitchName=top Switches=s[0-1] Nodes=n[1-8]\n";
  const switched = parseTopology(slurm, "topology.conf");
  assertEquals(switched.get("n4"), { group: "top", chassis: "s0" });
  assertEquals(switched.get("n5"), { group: "top", chassis: "s1" });
  assertThrows(() => parseTopology("nothing here\n", "x"), UsageError, "scontrol show topology");
});

Deno.test("placementsOf() makes the paper's three scenarios, and reports what is impossible", () => {
  const nodes = ["c0-0c0s", "c0-0c1s", "c2-0c0s"].flatMap((chassis) =>
    Array.from({ length: 8 }, (_, slot) => `${chassis}${slot}n0`)
  );
  const all = placementsOf(nodes, new Map(), 8);
  assertEquals(all.missing, []);
  assertEquals(all.scenarios.map(({ name, where, nodes }) => [name, where, nodes.length]), [
    ["one chassis", "c0-0c0", 8],
    ["two chassis", "c0-0c0 + c0-0c1", 8],
    ["two groups", "c0-0c0 + c2-0c0", 8],
  ]);
  assertEquals(new Set(all.scenarios[2].nodes).size, 8);
  const few = placementsOf(nodes.slice(0, 8), new Map(), 8);
  assertEquals(few.scenarios.map(({ name }) => name), ["one chassis"]);
  assertEquals(few.missing, [
    "two chassis: no two chassis of a group have 4 of the nodes each",
    "two groups: no two chassis of two groups have 4 of the nodes each",
  ]);
});
