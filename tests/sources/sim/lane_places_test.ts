/** On which CPU each thread of an application is, and so what each CPU draws. */
import { assertEquals } from "@std/assert";
import { LanePlaces } from "../../../src/sources/sim/lane_places.ts";

const MS = 1e6;

/** Places on so many CPUs, and the region that each of them shows. */
function onCpus(count: number) {
  const shown: string[] = new Array(count).fill("-");
  const places = new LanePlaces(count, (_, cpu, { name }) => void (shown[cpu] = name ?? "outside"));
  const all = Int32Array.from({ length: count }, (_, cpu) => cpu);
  return { places, shown, all };
}

Deno.test("a thread that shares its CPUs with no other one has all of them", () => {
  const { places, shown, all } = onCpus(3);
  places.live(0, 1, all);
  assertEquals(shown, ["outside", "outside", "outside"]);
  places.move(MS, 1, { name: "a" }, 2);
  assertEquals(shown, ["a", "a", "a"]);
  places.end(2 * MS, 1);
  assertEquals(shown, ["outside", "outside", "outside"]);
});

Deno.test("threads are on the CPUs on which they began their regions", () => {
  const { places, shown, all } = onCpus(2);
  places.live(0, 1, all);
  places.live(0, 2, all);
  places.move(MS, 1, { name: "a" }, 1);
  places.move(MS, 2, { name: "b" }, 0);
  assertEquals(shown, ["b", "a"]);
  // Both change their CPU: the one that is seen last is there.
  places.move(2 * MS, 1, { name: "c" }, 0);
  assertEquals(shown, ["c", "b"]);
  places.move(3 * MS, 1, {}, 0);
  assertEquals(shown, ["outside", "b"]);
});

Deno.test("a look at the threads moves those that ran", () => {
  const { places, shown, all } = onCpus(2);
  places.live(0, 1, all);
  places.live(0, 2, all);
  places.move(MS, 1, { name: "a" }, 0);
  places.move(MS, 2, { name: "b" }, 1);
  assertEquals(places.shared(), [1, 2]);
  places.look(2 * MS, new Map([[1, { cpu: 0, ranNs: 5 }], [2, { cpu: 1, ranNs: 5 }]]));
  places.look(3 * MS, new Map([[1, { cpu: 1, ranNs: 9 }], [2, { cpu: 0, ranNs: 9 }]]));
  assertEquals(shown, ["b", "a"]);
});

Deno.test("of more threads than CPUs, those that do not run have none", () => {
  const { places, shown, all } = onCpus(2);
  for (const lane of [1, 2, 3]) places.live(0, lane, all);
  places.move(MS, 2, { name: "a" }, 0);
  places.move(MS, 3, { name: "b" }, 0);
  const look = (ns: number, main: number) =>
    places.look(
      ns,
      new Map([[1, { cpu: 1, ranNs: main }], [2, { cpu: 0, ranNs: ns }], [3, {
        cpu: 1,
        ranNs: ns,
      }]]),
    );
  look(5 * MS, 1);
  look(10 * MS, 1);
  assertEquals(shown, ["a", "b"]);
  // The first one waits in a region: it has no CPU, either.
  places.move(11 * MS, 1, { name: "c" }, 1);
  look(15 * MS, 2);
  assertEquals(shown, ["a", "b"]);
});

Deno.test("CPUs that no thread is on are divided among the threads, in turns", () => {
  const { places, shown, all } = onCpus(3);
  places.live(0, 1, all);
  places.live(0, 2, all);
  places.move(MS, 1, { name: "a" }, 0);
  places.move(MS, 2, { name: "b" }, 1);
  const turns = new Map<string, number>();
  for (let k = 0; k < 10; k++) {
    assertEquals(shown.slice(0, 2), ["a", "b"]);
    places.look((2 + k) * MS, new Map());
    turns.set(shown[2], (turns.get(shown[2]) ?? 0) + 1);
  }
  assertEquals([turns.get("a"), turns.get("b")], [5, 5]);
});

Deno.test("threads that are bound to CPUs of their own stay there", () => {
  const { places, shown } = onCpus(4);
  places.live(0, 1, Int32Array.of(0, 1));
  places.live(0, 2, Int32Array.of(2, 3));
  places.move(MS, 1, { name: "a" }, 3);
  places.move(MS, 2, { name: "b" }, 2);
  assertEquals(shown, ["a", "a", "b", "b"]);
});

Deno.test("a thread whose CPUs are not known is on none", () => {
  const { places, shown, all } = onCpus(2);
  places.live(0, 1, all);
  places.live(0, 2, new Int32Array());
  places.move(MS, 1, { name: "a" }, 0);
  places.move(MS, 2, { name: "b" }, 1);
  assertEquals(shown, ["a", "a"]);
  places.look(2 * MS, new Map([[2, { cpu: 1, ranNs: 5 }]]));
  places.end(3 * MS, 2);
  assertEquals(shown, ["a", "a"]);
});
