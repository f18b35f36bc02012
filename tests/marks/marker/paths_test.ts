/** Visits folded by path in the client: all counts are exact, whatever the rate. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { ORDER } from "../../../src/core/events/ring_layout.ts";
import { needs, run, Workshop } from "./_c_program.ts";
import { type PathSum, RingSession } from "./_ring_session.ts";

async function paths(
  order: number,
  ...args: string[]
): Promise<{ sums: Record<string, PathSum>; told: string[]; skipped: number; lost: number }> {
  using shop = new Workshop();
  shop.write("paths.c", Deno.readTextFileSync(new URL("paths.c", import.meta.url)));
  shop.compile("cc", ["-O2", "-pthread", "-o", "paths", "paths.c"]);
  using session = new RingSession({ order });
  const { pid } = await run([`${shop.dir}/paths`, ...args], session);
  using seen = session.open(`${pid}.0`);
  seen.poll();
  seen.poll();
  assertEquals(seen.garbage, 0);
  const told = seen.events.map((e) => `${e.kind} ${e.region}`);
  const lost = seen.ring.threads.reduce((sum, { paths }) => sum + (paths?.lost ?? 0), 0);
  const sums = Object.fromEntries(
    Object.entries(seen.paths()).map(([key, sum]) => [key.replace(`${pid}:`, ""), sum]),
  );
  return { sums, told, skipped: seen.ring.skipped.nested, lost };
}

const counts = (sums: Record<string, PathSum>) =>
  Object.fromEntries(
    Object.entries(sums).filter(([path]) => path !== "").map(([path, { count }]) => [path, count]),
  );

Deno.test({
  ...needs("cc", "folded visits: counts, inclusive and exclusive times by path"),
  async fn() {
    const { sums, told } = await paths(ORDER.folded, "tree");
    assertEquals(counts(sums), {
      "/main": 1,
      "/main/solve": 10,
      "/main/solve/dot": 20,
      "/main/solve/solve": 10,
      "/main/dot": 20,
      "/end": 1,
    });
    assertEquals(told, ["enter main", "exit main", "enter end", "exit end"]);
    const solve = sums["/main/solve"], inner = sums["/main/solve/solve"], main = sums["/main"];
    assert(inner.ns >= 10 * 100e3 && solve.ns >= 10 * 300e3, "lengths are at least the work");
    const dots = sums["/main/solve/dot"].ns;
    assertAlmostEquals(solve.selfNs, solve.ns - inner.ns - dots, 1e3);
    assertAlmostEquals(main.selfNs, main.ns - solve.ns - sums["/main/dot"].ns, 1e3);
    assert(solve.squares >= solve.ns ** 2 / 10 * 0.999999, "squares fit the sum");
  },
});

Deno.test({
  ...needs("cc", "folded visits: those that change the hint are told in order too"),
  async fn() {
    const { sums, told } = await paths(ORDER.folded, "hints");
    const visit = ["enter compute", "enter network", "exit network", "exit compute"];
    assertEquals(told, Array.from({ length: 5 }, () => visit).flat());
    assertEquals(counts(sums), {
      "/compute": 5,
      "/compute/more": 5,
      "/compute/more/network": 5,
    });
  },
});

Deno.test({
  ...needs("cc", "folded visits: marks out of order are told, and end what they end"),
  async fn() {
    const { sums, told } = await paths(ORDER.folded, "mistakes");
    assertEquals(told, [
      ...["enter main", "enter outer", "enter inner", "exit outer", "exit nowhere", "enter left"],
    ]);
    assertEquals(counts(sums), {
      "/main": 0,
      "/main/outer": 1,
      "/main/outer/inner": 1,
      "/main/left": 0,
    });
  },
});

Deno.test({
  ...needs("cc", "folded visits: four threads of 100,000 steps lose none"),
  async fn() {
    const { sums, told, skipped } = await paths(ORDER.folded, "threads");
    const all: Record<string, number> = {};
    for (const [path, count] of Object.entries(counts(sums))) {
      const name = path.replace(/^\d+:/, "");
      if (name !== "") all[name] = (all[name] ?? 0) + count;
    }
    assertEquals(all, {
      "/thread": 4,
      "/thread/step": 400_000,
      "/thread/step/often": 4 * 66_666,
      "/thread/step/seldom": 4 * 33_334,
    });
    assertEquals([skipped, told.length], [0, 8]);
  },
});

Deno.test({
  ...needs("cc", "folded visits: beyond the bound of paths the count is told, not lost"),
  async fn() {
    const { sums, lost } = await paths(ORDER.folded, "many");
    const found = Object.values(counts(sums)).reduce((sum, n) => sum + n, 0);
    assertEquals(Object.keys(counts(sums)).length, 16_351);
    assertEquals(found + lost, 20_001);
    const deep = await paths(ORDER.folded, "deep");
    assertEquals(Object.values(counts(deep.sums)).reduce((sum, n) => sum + n, 0), 64);
    assertEquals(deep.lost, 36);
  },
});

Deno.test({
  ...needs("cc", "visits in their order: those without room are folded by path, and none is lost"),
  async fn() {
    const { sums, told, skipped } = await paths(ORDER.kept, "loop");
    const ended: Record<string, number> = {};
    for (const event of told.filter((e) => e.startsWith("exit "))) {
      ended[event.slice(5)] = (ended[event.slice(5)] ?? 0) + 1;
    }
    assert(skipped > 0, "nobody read, so the ring was full");
    const of = (path: string) => sums[path]?.count ?? 0;
    assertEquals(of("/thread/step") + ended.step, 100_000);
    assertEquals(of("/thread/step/often") + ended.often, 66_666);
    assertEquals(of("/thread/step/seldom") + ended.seldom, 33_334);
    assertEquals(ended.thread, 1);
    assertEquals(Object.keys(counts(sums)).filter((path) => !path.startsWith("/thread")), []);
  },
});
