/** A ring of sockets: whoever has the byte has the turn, and who is gone is seen. */
import { assertEquals, assertThrows } from "@std/assert";
import { closeEnds, openRing, RingPlace, TurnLost } from "../../src/os/turn_ring.ts";

Deno.test("a turn goes around a ring, and a process that is gone is seen behind its last turn", () => {
  const ends = openRing(3)!;
  const [first, second, third] = ends.map((own) => new RingPlace(own));
  assertEquals([first.has(), second.has(), third.has()], [false, false, false]);
  first.pass();
  assertEquals([first.has(), third.has(), second.has(), second.has()], [false, false, true, false]);
  second.pass();
  third.wait();
  third.pass();
  closeEnds(ends[2]);
  // what it passed on before its end counts
  assertEquals(first.has(), true);
  assertThrows(() => first.has(), TurnLost);
  assertThrows(() => first.wait(), TurnLost);
  // passing to one that has ended is no error
  second.pass();
  closeEnds(ends[0]);
  closeEnds(ends[1]);
});
