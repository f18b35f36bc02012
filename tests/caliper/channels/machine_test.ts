import { assert, assertEquals } from "@std/assert";
import type { MachineValue } from "../../../src/caliper/model/service.ts";
import { machineOf } from "./_node.ts";

const POWER = (name: string, instance: number, timeS: number) =>
  name === "CPU_POWER" ? 50 + instance : 10 * timeS;

function valuesOf(name: string, options: Parameters<typeof machineOf>[1] = {}) {
  const made = machineOf(POWER, options), found = made.machine.values(name);
  assert(!("absent" in found), JSON.stringify(found));
  return { ...made, values: found as readonly MachineValue[] };
}

function reasonFor(name: string): string {
  const found = machineOf(POWER).machine.values(name);
  return "absent" in found ? found.absent : "it is there";
}

Deno.test("a signal is the whole node's, or one of each instance with the instance in its name", () => {
  const names = (text: string) => valuesOf(text).values.map(({ name }) => name);
  assertEquals(names("CPU_POWER"), ["CPU_POWER"]);
  assertEquals(names("CPU_POWER@board"), ["CPU_POWER"]);
  assertEquals(names("CPU_POWER@package"), ["CPU_POWER-package-0", "CPU_POWER-package-1"]);
});

Deno.test("the form of a value follows the signal's row", () => {
  const [energy] = valuesOf("CPU_ENERGY", { quality: "simulated" }).values;
  const { name, unit, grows, quality, source } = energy;
  assertEquals([name, unit, grows, quality, source], [
    ...["CPU_ENERGY", "J", true, "simulated", "script"],
  ]);
  const [power] = valuesOf("CPU_POWER").values;
  assertEquals([power.unit, power.grows, power.quality], ["W", false, "measured"]);
});

Deno.test("powers are read as they are, for whichever thread; counters for main threads alone", () => {
  const { machine, batch, values: [power] } = valuesOf("CPU_POWER");
  const energy = machine.values("BOARD_ENERGY") as readonly MachineValue[];
  const step = (timeS: number) => {
    batch.read(timeS);
    batch.settle();
    machine.take(timeS, batch);
  };
  step(0);
  machine.processes(0, [{ startS: 0, endS: NaN, cpus: [0] }]);
  step(1);
  Object.assign(machine.moment, { timeS: 0.5, process: 0, main: true });
  assertEquals([power.read(), energy[0].read()], [101, 5]);
  Object.assign(machine.moment, { main: false });
  assertEquals([power.read(), energy[0].read()], [101, NaN]);
});

Deno.test("channels that ask for the same counter have the same value", () => {
  const { machine, values: [first] } = valuesOf("CPU_ENERGY");
  assertEquals((machine.values("CPU_ENERGY@board") as readonly MachineValue[])[0] === first, true);
});

Deno.test("a signal that cannot be had has its reason", () => {
  assertEquals(reasonFor("GPU_ENERGY"), "no GPU on this node");
  assertEquals(reasonFor("NO_SUCH"), "there is no such signal");
  assertEquals(reasonFor("memstat.vmrss"), "a recording holds no memory of processes");
  for (const wrong of ["CPU_ENERGY@cpu", "CPU_ENERGY@nowhere", "a@b@c", "@package"]) {
    const reason = reasonFor(wrong);
    assert(reason.includes(wrong.split("@")[0]) && !reason.includes("\n"), `${wrong}: ${reason}`);
    assert(reason !== "it is there");
  }
});

Deno.test("memory, place and thread are those of the moment", () => {
  const asked: [number, string][] = [];
  const { machine } = machineOf(POWER, {
    facts: { memory: (pid, field) => asked.push([pid, field]) },
  });
  const value = (name: string) => (machine.values(name) as readonly MachineValue[])[0];
  Object.assign(machine.moment, { pid: 42, thread: 43, main: false, cpu: 2 });
  assertEquals(
    ["memstat.vmsize", "memstat.vmrss", "memstat.data"].map((name) => value(name).read()),
    [1, 2, 3],
  );
  assertEquals(asked, [[42, "size"], [42, "resident"], [42, "data"]]);
  assertEquals([value("pthread.id").read(), value("pthread.is_master").read()], [43, 0]);
  assertEquals([value("cpuinfo.cpu").read(), value("cpuinfo.numa_node").read()], [2, 1]);
  Object.assign(machine.moment, { cpu: -1 });
  assertEquals(value("cpuinfo.numa_node").read(), NaN);
});
