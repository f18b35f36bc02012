/** Memory that a process takes and gives back, told at its marks. */
import { assert, assertEquals } from "@std/assert";
import { compile, eventsOf, preloaded } from "../_support/preload.ts";
import { endToEnd } from "../_support/programs.ts";

/** Values that were told at the begin or the end of a region. */
function toldAt(rows: readonly string[], mark: string): Record<string, number> {
  const at = rows.findIndex((row) => row.startsWith(mark));
  assert(at >= 0, mark);
  const told: Record<string, number> = {};
  for (let i = at - 1; i >= 0; i--) {
    const [kind, name, value] = rows[i].split(",");
    if (kind !== "begin" || !name.includes("alloc.")) break;
    told[name] = Number(value);
  }
  // They belong to this moment alone.
  const ended = rows.slice(at + 1, at + 1 + Object.keys(told).length);
  assertEquals(
    ended.map((row) => row.split(",").join(" ")).sort(),
    [
      ...Object.keys(told).map((name) => `end ${name}`),
    ].sort(),
  );
  return told;
}

endToEnd("run --preload caliper,alloc tells at marks what was taken and given back", (dir) => {
  compile(dir, "cc -O2 -Wall -Wextra -Werror -o alloc PROGRAMS/alloc.c -pthread");
  const out = preloaded(dir, "caliper,alloc", ["./alloc"], { options: ["--record", "recording"] });
  assertEquals(out.stdout, "done\n");
  const all = eventsOf(dir);
  assert(all.includes("attribute,alloc.count,uint 2133"), all.join("\n"));
  const rows = all.filter((row) => /^(begin|end|enter|exit),/.test(row));
  const high = (mark: string) => toldAt(rows, mark)["alloc.region.highwatermark"];

  const many = toldAt(rows, "exit,many");
  assertEquals(many["alloc.count"], 1000);
  assertEquals(many["alloc.tally"], 1000 * many["max#alloc.size"]);
  assert(many["max#alloc.size"] >= 1000 && many["max#alloc.size"] < 1040);
  assertEquals(many["avg#alloc.size"], many["max#alloc.size"]);
  const before = high("enter,many");
  assertEquals(many["alloc.region.highwatermark"], before + many["alloc.tally"]);

  // What was given back within the region was the process's high water all the same.
  const large = toldAt(rows, "exit,large");
  assertEquals(large["alloc.count"], 1);
  assertEquals(
    large["alloc.region.highwatermark"],
    many["alloc.region.highwatermark"] + large["max#alloc.size"],
  );
  assert(large["max#alloc.size"] >= 8 << 20);
  assertEquals(high("enter,free"), many["alloc.region.highwatermark"]);
  // Then it is as it was before; our own names are not counted.
  assertEquals(toldAt(rows, "enter,empty"), { "alloc.region.highwatermark": before });
  assertEquals(toldAt(rows, "exit,empty"), { "alloc.region.highwatermark": before });

  const others = toldAt(rows, "exit,others");
  assertEquals(others["alloc.count"], 7);
  assert(others["max#alloc.size"] >= 500000 && others["alloc.tally"] < 506000);
  assertEquals(high("enter,thread"), before);
  const kept = high("exit,thread") - before;
  assert(kept >= 1 << 20 && kept < (1 << 20) + 65536, `${kept}`);
});

endToEnd("run --preload alloc leaves a program without marks as it is", (dir) => {
  compile(dir, "cc -O2 -o alloc PROGRAMS/alloc.c -pthread");
  const out = preloaded(dir, "alloc", ["sh", "-c", "./alloc | cat"], {
    options: ["--record", "recording"],
  });
  assertEquals(out.stdout, "done\n");
  assert(!eventsOf(dir).some((row) => row.includes("alloc.count")));
});
