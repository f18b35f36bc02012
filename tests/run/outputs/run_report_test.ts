/** A report of many regions is long in the making. */
import { assertEquals } from "@std/assert";
import { whileAlive } from "../../../src/run/outputs/run_report.ts";
import { timed } from "../../_support/time_limit.ts";

timed("whileAlive() hands the pieces on, and tells of itself between them", () => {
  const said: string[] = [];
  function* pieces() {
    for (const piece of ["a", "b", "c"]) {
      said.push(piece);
      yield piece;
    }
  }
  assertEquals([...whileAlive(pieces(), () => said.push("alive"))], ["a", "b", "c"]);
  assertEquals(said, ["alive", "a", "alive", "b", "alive", "c", "alive"]);
  assertEquals([...whileAlive(["x"], undefined)], ["x"]);
});
