/** The C client against the monitor's side of the ring: src/marks/client/joulemark.h.in, src/marks/tracker/. */
import { assert, assertEquals } from "@std/assert";
import { FLAG, NAME_BYTES_MAX, NAMES_MAX } from "../../../src/core/events/ring_layout.ts";
import { withTimeLimit } from "../../_support/time_limit.ts";
import { needs, run, Workshop } from "./_c_program.ts";
import { RingSession } from "./_ring_session.ts";

const SOURCE = new URL("client_programs.c", import.meta.url);

let shop: Workshop | undefined;

/** The test programs, compiled once. */
function program(): string {
  if (shop === undefined) {
    shop = new Workshop();
    shop.write("programs.c", Deno.readTextFileSync(SOURCE));
    shop.compile("cc", ["-O2", "-Wall", "-Wextra", "-pthread", "-o", "programs", "programs.c"]);
  }
  return `${shop.dir}/programs`;
}

addEventListener("unload", () => shop?.[Symbol.dispose]());

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ ...needs("cc", name), fn });
}

/** Runs a program with nobody reading, then opens what it left. */
async function after(args: string[], session: RingSession) {
  const ran = await run([program(), ...args], session);
  assertEquals([ran.code, ran.signal, ran.stderr], [0, null, ""], args.join(" "));
  return ran;
}

test("joulemark_begin() and joulemark_end() are stamped within µs of the program's clock", async () => {
  using session = new RingSession();
  const { stdout } = await after(["times"], session);
  using seen = session.open();
  seen.poll();
  const own = stdout.trim().split("\n").map((line) => line.split(" ").map(Number));
  const enters = seen.events.filter((e) => e.kind === "enter");
  const exits = seen.events.filter((e) => e.kind === "exit");
  assertEquals([enters.length, exits.length, seen.garbage], [60, 60, 0]);
  const stamps = new Set(seen.events.map((e) => e.flags & FLAG.nanoseconds));
  assertEquals(stamps.size, 2, "both kinds of stamps occur");
  const errors = own.flatMap(([before, end], i) => [enters[i].ns - before, end - exits[i].ns]);
  // A stamp lies between the program's own two readings, but for the error of the rate.
  assert(Math.min(...errors) > -1000, `earliest ${Math.min(...errors)} ns`);
  errors.sort((a, b) => a - b);
  assert(errors[60] < 2000, `median ${errors[60]} ns`);
  for (const event of enters) assertEquals(event.flags & FLAG.process, FLAG.process);
  assert(!Number.isNaN(seen.ring.stopNs()));
});

test("joulemark_begin() stamps by the clock where the session requires it", async () => {
  using session = new RingSession({ cycles: false });
  await after(["times"], session);
  using seen = session.open();
  seen.poll();
  assertEquals(seen.events.length, 120);
  assert(seen.events.every((e) => (e.flags & FLAG.nanoseconds) !== 0));
});

test("joulemark_end() folds and loses no visit when the ring is not drained", async () => {
  const costs: number[] = [];
  for (let tries = 0; tries < 5 && Math.min(...costs) > MOST_FOLD_NS; tries++) {
    costs.push(await folded());
  }
  assert(Math.min(...costs) < MOST_FOLD_NS, `${costs} ns of each visit are not the program's own`);
});

/** What a visit's time holds beside the program's own: its two readings and half of each mark, ns. */
const MOST_FOLD_NS = 200;

/** Folds 2,000,000 visits. @returns What each of them holds beside the program's own time, ns. */
async function folded(): Promise<number> {
  using session = new RingSession();
  const { stdout } = await after(["folded", "2000000"], session);
  using seen = session.open();
  seen.poll();
  assertEquals(seen.visits(), { short: 2_000_000 });
  assertEquals(seen.garbage, 0);
  const inRing = seen.events.filter((e) => e.kind === "exit");
  assert(inRing.length > 8000 && inRing.length <= 8192, `${inRing.length} in the ring`);
  const enters = seen.events.filter((e) => e.kind === "enter");
  const ns = seen.folds[0].ns + inRing.reduce((sum, e, i) => sum + e.ns - enters[i].ns, 0);
  const own = Number(stdout);
  assert(ns > own, `${ns} ns folded, ${own} ns by the program`);
  assert(seen.folds[0].firstNs >= inRing.at(-1)!.ns - 1000, "the first folded visit comes after");
  return (ns - own) / 2e6;
}

test("a value is in the ring with begin and end, or without both", async () => {
  const ROUNDS = 6, VALUES = 7001;
  using session = new RingSession();
  let seen: ReturnType<RingSession["open"]> | undefined;
  await withTimeLimit(async () => {
    const child = new Deno.Command(program(), {
      args: ["values", String(VALUES - 1)],
      env: session.env,
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const said = child.stdout.getReader(), writer = child.stdin.getWriter();
    for (let round = 0; round < ROUNDS; round++) {
      assert(!(await said.read()).done);
      seen ??= session.open();
      seen.poll();
      await writer.write(Uint8Array.of(10));
    }
    await writer.close();
    await said.cancel();
    assert((await child.status).success);
  }, 60);
  seen!.poll();
  const kinds = seen!.events.map(({ kind }) => kind).filter((kind) => kind !== "epoch");
  assertEquals([kinds[0], kinds.at(-1)], ["enter", "exit"]);
  const values = kinds.slice(1, -1);
  const unpaired = values.filter((kind, i) => kind !== (i % 2 ? "valueEnd" : "valueBegin"));
  assertEquals(unpaired.length, 0);
  const told = values.length / 2;
  assert(told > 5000 * ROUNDS && told < VALUES * ROUNDS, `${told} in the ring`);
  assertEquals(seen!.ring.lostValues, ROUNDS * VALUES - told);
  assertEquals(seen!.ring.skipped.refused, 0);
});

test("joulemark_end() loses no visit when the reader comes now and then", async () => {
  using session = new RingSession();
  let seen: ReturnType<RingSession["open"]> | undefined;
  const ran = await run([program(), "pairs", "10000000"], session, () => {
    try {
      seen ??= session.open();
    } catch {
      return; // not ready yet
    }
    seen.poll();
  });
  assertEquals([ran.code, ran.stderr], [0, ""]);
  seen!.poll();
  assertEquals(seen!.garbage, 0);
  assertEquals(seen!.visits(), { a: 3333334, b: 3333333, c: 3333333 });
  const enters = seen!.events.filter((e) => e.kind === "enter").length;
  assertEquals(enters, seen!.events.filter((e) => e.kind === "exit").length);
  assert(enters > 16384, `${enters} by the ring`);
  for (let i = 1; i < seen!.events.length; i++) {
    assert(seen!.events[i].ns >= seen!.events[i - 1].ns);
  }
  seen![Symbol.dispose]();
});

test("joulemark_begin() of two threads beside main: each counts by itself", async () => {
  using session = new RingSession();
  await after(["threads"], session);
  assertEquals(session.files.length, 1);
  using seen = session.open();
  seen.poll();
  assertEquals(seen.visits(), { left: 1000, right: 1000, main: 500, inner: 2000 });
  const tids = new Map(seen.events.map((e) => [e.region, e.tid]));
  assertEquals(tids.get("main"), seen.ring.pid);
  // One that begins when the other has ended takes its place, and with it its entry.
  assert(new Set([tids.get("left"), tids.get("right"), tids.get("main")]).size >= 2);
  for (const e of seen.events) {
    assertEquals((e.flags & FLAG.process) !== 0, e.region === "main");
  }
});

test("joulemark_begin() reuses the rings of ended threads once they are read", async () => {
  using session = new RingSession();
  let seen: ReturnType<RingSession["open"]> | undefined;
  const ran = await run([program(), "many threads", "900"], session, () => {
    try {
      seen ??= session.open();
    } catch {
      return;
    }
    seen.poll();
  });
  assertEquals([ran.code, ran.stderr], [0, ""]);
  seen!.poll();
  assertEquals(seen!.visits(), { brief: 900 });
  const size = Deno.statSync(`${session.dir}/${session.files[0]}`).size;
  seen![Symbol.dispose]();
  assert(size < 900 * 272 * 1024, `${size} bytes`);
});

test("joulemark_begin() counts the visits of threads beyond the limit", async () => {
  using session = new RingSession();
  await after(["many threads", "1500"], session);
  using seen = session.open();
  seen.poll();
  assertEquals((seen.visits().brief ?? 0) + seen.ring.otherVisits, 1500);
});

test("a forked child gets a file of its own, in which the parent's handles are good", async () => {
  using session = new RingSession();
  const { pid, stdout } = await after(["fork"], session);
  const child = stdout.trim();
  assertEquals(session.files, [`${pid}.0`, `${child}.0`].sort());
  using parent = session.open(`${pid}.0`);
  parent.poll();
  assertEquals(parent.visits(), { handle: 100, "of the parent": 100, parent: 1 });
  using forked = session.open(`${child}.0`);
  forked.poll();
  assertEquals(forked.visits(), { handle: 100, "of the child": 100 });
  assertEquals(forked.ring.names.find((n) => n.name === "handle")?.hint, 3);
  assertEquals(forked.ring.pid, Number(child));
  assert(forked.ring.startNs > parent.ring.startNs);
  assertEquals(forked.ring.execId, parent.ring.execId);
});

test("a program after exec gets a file of its own", async () => {
  using session = new RingSession();
  const { pid } = await after(["exec"], session);
  assertEquals(session.files, [`${pid}.0`, `${pid}.1`]);
  using first = session.open(`${pid}.0`);
  using second = session.open(`${pid}.1`);
  first.poll();
  second.poll();
  assertEquals(first.visits(), { a: 3, b: 3, c: 3 });
  assertEquals(second.visits(), { a: 2, b: 2, c: 2 });
  assert(first.ring.execId !== second.ring.execId);
  assertEquals(first.ring.stopNs(), NaN);
});

test("140,000 distinct names: the last ones share one region, and are counted", async () => {
  using session = new RingSession();
  await after(["names", "140000"], session);
  using seen = session.open();
  seen.poll();
  const visits = seen.visits();
  assertEquals(Object.values(visits).reduce((a, b) => a + b), 140000);
  assertEquals(seen.ring.names.length, NAMES_MAX);
  assertEquals(visits["[joulemark] other"], 140000 - (NAMES_MAX - 1));
  assertEquals(seen.ring.otherVisits, 140000 - (NAMES_MAX - 1));
  assertEquals(visits["region 65535"], 1);
  assertEquals(seen.garbage, 0);
});

for (const length of [4095, 4096, 1 << 20, 2_000_000]) {
  test(`a name of ${length} bytes is kept whole, or ends in a hash`, async () => {
    using session = new RingSession();
    await after(["long name", String(length)], session);
    using seen = session.open();
    seen.poll();
    const [[name, visits], ...others] = Object.entries(seen.visits());
    assertEquals([visits, others.length], [10, 0]);
    if (length <= NAME_BYTES_MAX) assertEquals(name, "x".repeat(length));
    else assert(/^x+#[0-9a-f]{16}$/.test(name) && name.length === NAME_BYTES_MAX);
  });
}

test("one buffer with two texts is two names", async () => {
  using session = new RingSession();
  await after(["reused"], session);
  using seen = session.open();
  seen.poll();
  assertEquals(seen.visits(), { even: 50, odd: 50 });
});

test("a program that closes all descriptors goes on marking", async () => {
  using session = new RingSession();
  await after(["closes"], session);
  using seen = session.open();
  seen.poll();
  const visits = seen.visits();
  assertEquals([visits.a, visits["region 999"], visits.left, visits.main], [10, 1, 1000, 500]);
});

test("marks under a storm of signals lose no name", async () => {
  using session = new RingSession();
  await after(["interrupted"], session);
  using seen = session.open();
  seen.poll();
  assertEquals(Object.keys(seen.visits()).length, 20000);
  assertEquals(seen.ring.otherVisits, 0);
});

test("misuse is counted or reported, and never fatal", async () => {
  using session = new RingSession();
  await after(["misuse"], session);
  using seen = session.open();
  seen.poll();
  const visits = seen.visits();
  // deep: 64 depths are told, the rest is counted
  assertEquals(visits.deep, 64);
  assertEquals(visits[""], 1);
  assertEquals(visits["never begun"], 1);
  assertEquals(visits["[joulemark] other"], 2);
  assertEquals(seen.ring.otherVisits, 2);
  assertEquals(seen.ring.skipped.nested, 136);
  assertEquals(seen.events.at(-1)!.region, "still open");
  assertEquals(seen.garbage, 0);
});

test("the calls of geopm_prof(3): hints, epochs, progress, overhead, errors", async () => {
  using session = new RingSession();
  const { stdout } = await after(["events"], session);
  assertEquals(stdout, "-6 -1\n");
  using seen = session.open();
  seen.poll();
  const count = (kind: string) => seen.events.filter((e) => e.kind === kind).length;
  assertEquals(["epoch", "tprofInit", "tprofPost", "overhead"].map(count), [10, 10, 20, 1]);
  assertEquals(seen.ring.names.find((n) => n.name === "geopm")?.hint, 4);
  assertEquals(seen.events.find((e) => e.kind === "overhead")?.payload, 0.25);
  assertEquals(seen.events.find((e) => e.kind === "tprofInit")?.value, 2);
  assertEquals(seen.ring.names.some((n) => n.name === "after the end"), false);
  assert(!Number.isNaN(seen.ring.stopNs()));
});

test("errno is what it was", async () => {
  using session = new RingSession();
  await after(["errno"], session);
});
