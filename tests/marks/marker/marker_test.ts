/** Marker against the monitor's side of the ring: src/marks/marker/, src/marks/tracker/. */
import { assert, assertEquals } from "@std/assert";
import { FLAG, NAMES_MAX } from "../../../src/core/events/ring_layout.ts";
import { run } from "./_c_program.ts";
import { RingSession } from "./_ring_session.ts";

const PROGRAMS = new URL("marker_programs.ts", import.meta.url).pathname;

function command(args: string[], permissions = ["--allow-env", "--allow-ffi"]): string[] {
  return [Deno.execPath(), "run", "--quiet", "--no-config", ...permissions, PROGRAMS, ...args];
}

async function after(args: string[], session: RingSession | undefined, permissions?: string[]) {
  const ran = await run(command(args, permissions), session);
  assertEquals([ran.code, ran.stderr], [0, ""], args.join(" "));
  return ran;
}

Deno.test("Marker stamps within µs of the program's clock", async () => {
  using session = new RingSession();
  const { stdout, pid } = await after(["times"], session);
  using seen = session.open(`${pid}.0`);
  seen.poll();
  const own = stdout.trim().split("\n").map(Number);
  const enters = seen.events.filter((e) => e.kind === "enter");
  const exits = seen.events.filter((e) => e.kind === "exit");
  assertEquals([enters.length, exits.length, seen.garbage], [20, 20, 0]);
  const errors = own.map((ms, i) => ms * 1000 - (exits[i].ns - enters[i].ns) / 1000);
  errors.sort((a, b) => a - b);
  assert(errors[0] > -5 && errors[10] < 100, `${errors} µs`);
  assertEquals(seen.ring.names.map((n) => [n.name, n.hint]), [["[joulemark] other", 1], [
    "work",
    2,
  ]]);
  assert(enters.every((e) => e.flags === (FLAG.process | FLAG.nanoseconds)));
  assertEquals(enters[0].tid, pid);
  assert(!Number.isNaN(seen.ring.stopNs()), "ended in good order");
  assert(seen.ring.cpus.length > 0 && seen.ring.execId !== "0");
});

Deno.test("Marker nests, counts epochs, progress and overhead", async () => {
  using session = new RingSession();
  await after(["nested"], session);
  using seen = session.open();
  seen.poll();
  assertEquals(seen.visits(), { outer: 5, inner: 5 });
  const count = (kind: string) => seen.events.filter((e) => e.kind === kind).length;
  assertEquals(["epoch", "tprofInit", "tprofPost", "overhead"].map(count), [5, 5, 5, 1]);
  assertEquals(seen.events.at(-1)!.payload, 0.5);
  assertEquals(seen.events.slice(0, 3).map((e) => e.kind), ["epoch", "enter", "enter"]);
});

Deno.test("Marker folds and loses no visit when the ring is not drained", async () => {
  using session = new RingSession();
  await after(["pairs", "100000"], session);
  using seen = session.open();
  seen.poll();
  assertEquals(seen.visits(), { a: 33334, b: 33333, c: 33333 });
  assertEquals(seen.garbage, 0);
  const last = seen.events.at(-1)!.ns;
  for (const fold of seen.folds) assert(fold.ns > 0 && fold.firstNs >= last);
});

Deno.test("Marker uses the ring again once it is drained", async () => {
  using session = new RingSession();
  let seen: ReturnType<RingSession["open"]> | undefined;
  const ran = await run(command(["pairs", "100000"]), session, () => {
    try {
      seen ??= session.open();
    } catch {
      return;
    }
    seen.poll();
  });
  assertEquals([ran.code, ran.stderr], [0, ""]);
  seen!.poll();
  assertEquals(seen!.visits(), { a: 33334, b: 33333, c: 33333 });
  assert(seen!.events.length > 16384, `${seen!.events.length} by the ring`);
  seen![Symbol.dispose]();
});

Deno.test("Marker keeps 130,815 names, cuts long ones, and counts the rest", async () => {
  using session = new RingSession();
  await after(["names", "140000"], session);
  using seen = session.open();
  seen.poll();
  const visits = seen.visits();
  assertEquals(Object.values(visits).reduce((a, b) => a + b), 140001);
  assertEquals(visits["[joulemark] other"], 140001 - (NAMES_MAX - 1));
  assertEquals(seen.ring.otherVisits, 140001 - (NAMES_MAX - 1));
});

Deno.test("Marker counts misuse and never fails", async () => {
  using session = new RingSession();
  await after(["misuse"], session);
  using seen = session.open();
  seen.poll();
  assertEquals(seen.visits(), { "never begun": 1, deep: 64, twice: 1 });
  assertEquals(seen.ring.skipped.nested, 136);
  assertEquals(seen.events.at(-1)!.region, "still open");
});

Deno.test("Marker in a worker marks its own thread, in a file of the same process", async () => {
  using session = new RingSession();
  const { pid } = await after(["worker"], session, ["--allow-env", "--allow-ffi", "--allow-read"]);
  assertEquals(session.files, [`${pid}.0`, `${pid}.1`]);
  using main = session.open(`${pid}.0`);
  using worker = session.open(`${pid}.1`);
  main.poll();
  worker.poll();
  assertEquals([main.visits(), worker.visits()], [{ main: 1 }, { "in the worker": 1 }]);
  assertEquals(worker.ring.execId, main.ring.execId);
  const event = worker.events[0];
  assertEquals(event.flags & FLAG.process, 0);
  assert(event.tid !== pid && event.tid > 0);
});

Deno.test("Marker.attach() gives one marker, which shutdown() ends", async () => {
  using session = new RingSession();
  const { stdout } = await after(["active"], session);
  assertEquals(stdout, "true true\nfalse\n");
  using seen = session.open();
  seen.poll();
  assertEquals(seen.visits(), { x: 1 });
});

for (
  const [why, env, permissions] of [
    ["there is no session", undefined, undefined],
    ["the environment may not be read", "own", ["--allow-ffi"]],
    ["libc may not be opened", "own", ["--allow-env"]],
    ["nothing is permitted", "own", []],
    ["the directory is gone", "/no/such", undefined],
    ["the directory is relative", "somewhere", undefined],
  ] as const
) {
  Deno.test(`Marker does nothing when ${why}`, async () => {
    using session = new RingSession();
    const given = env === undefined
      ? undefined
      : env === "own"
      ? session
      : { env: { JOULEMARK_SESSION: env } } as unknown as RingSession;
    const { stdout } = await after(["active"], given, permissions && [...permissions]);
    assertEquals(stdout, "false true\nfalse\n");
    assertEquals(session.files, []);
  });
}

Deno.test("Marker does nothing in a directory that others may enter, or of another version", async () => {
  for (const options of [{ mode: 0o755 }, { version: 9 }]) {
    using session = new RingSession(options);
    const { stdout } = await after(["active"], session);
    assertEquals(stdout, "false true\nfalse\n");
    assertEquals(session.files, []);
  }
});

Deno.test("Marker survives a limit on the size of files", async () => {
  for (const bytes of [100, 4096, 200_000, 310_000, 330_000, 1_000_000]) {
    using session = new RingSession();
    await after(["names", "3000", String(bytes)], session);
    if (session.files.length === 0) continue;
    using seen = session.open();
    seen.poll();
    const told = Object.values(seen.visits()).reduce((a, b) => a + b, 0);
    assertEquals(told, 3001);
  }
});
