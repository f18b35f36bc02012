import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { elect, joinOuter } from "../../src/job/election.ts";

const job = () => ({ scheduler: "mpi" as const, key: `test-${Deno.pid}-${Math.random()}` });

Deno.test("elect() makes the first one monitor and the others members of its session", () => {
  const identity = job();
  const first = elect(identity, true);
  assert(first.role === "monitor");
  assertEquals(Deno.statSync(first.directory).mode! & 0o777, 0o700);
  // flock(2) belongs to the open file, so a second open in this process is refused like another's.
  const second = elect(identity, true);
  assertEquals(second.role, "member");
  assertEquals(second.directory, first.directory);
  assertEquals(joinOuter(first.directory)?.directory, first.directory);
  first.release();
  assertEquals(joinOuter(first.directory), undefined);
  const third = elect(identity, true);
  assert(third.role === "monitor");
  assertNotEquals(third.directory, first.directory);
  third.release();
  // Whoever ends last leaves nothing of the job behind.
  assertThrows(() => Deno.statSync(first.directory.replace(/\/[^/]*$/, "")), Deno.errors.NotFound);
});

Deno.test("elect() without a job gives everybody a session of its own", () => {
  const a = elect(undefined, false);
  const b = elect(undefined, false);
  assert(a.role === "monitor" && b.role === "monitor");
  assertNotEquals(a.directory, b.directory);
  a.release();
  b.release();
});

Deno.test("joinOuter() takes no directory that others could have made", () => {
  const dir = Deno.makeTempDirSync();
  Deno.mkdirSync(`${dir}/s`, { mode: 0o755 });
  assertEquals(joinOuter(`${dir}/s`), undefined);
  assertEquals(joinOuter("relative"), undefined);
  assertEquals(joinOuter("/no/such"), undefined);
  Deno.removeSync(dir, { recursive: true });
});
