import { assertAlmostEquals, assertEquals } from "@std/assert";
import { Random } from "../../../run/session/_random.ts";
import { Scripted, ScriptedMachine } from "../_scripted.ts";

function energy(...more: ConstructorParameters<typeof ScriptedMachine>) {
  const machine = new ScriptedMachine(
    { name: "CPU_ENERGY", unit: "J", grows: true, quality: "measured", source: "powercap" },
    { name: "CPU_POWER", unit: "W", quality: "derived" },
    ...more,
  );
  return machine;
}

const channelOf = (machine: ScriptedMachine, names: string, services = "") =>
  new Scripted(`${services}joulemark,trace,recorder`, { CALI_JOULEMARK_SIGNALS: names }, {
    machine,
  });

Deno.test("joulemark reports growth since the thread's snapshot before, and other values as they are", () => {
  const machine = energy(), one = channelOf(machine, "CPU_ENERGY,CPU_POWER"), { channel } = one;
  const second = channel.addThread(0);
  for (const [thread, joules, watts] of [[0, 10, 100], [0, 15, 90], [second, 18, 80], [0, 19, 7]]) {
    machine.set("CPU_ENERGY", joules);
    machine.set("CPU_POWER", watts);
    channel.turnTo(thread);
    channel.snapshot();
  }
  // What a machine tells of a thread begins at nothing.
  assertEquals(one.column("CPU_ENERGY"), [10, 5, 18, 4]);
  assertEquals(one.column("CPU_POWER"), [100, 90, 80, 7]);
});

Deno.test("joulemark leaves out what is not there; the next snapshot has what grew meanwhile", () => {
  const machine = energy(), one = channelOf(machine, "CPU_ENERGY CPU_POWER"), { channel } = one;
  for (const joules of [2, NaN, NaN, 9]) {
    machine.set("CPU_ENERGY", joules);
    machine.set("CPU_POWER", joules);
    channel.snapshot();
  }
  assertEquals(one.records(), [
    { CPU_ENERGY: 2, CPU_POWER: 2 },
    {},
    {},
    { CPU_ENERGY: 7, CPU_POWER: 9 },
  ]);
});

Deno.test("joulemark gives folded visits their part by time, and the rest to what follows", () => {
  const machine = energy(), one = channelOf(machine, "CPU_ENERGY"), { channel } = one;
  machine.set("CPU_ENERGY", 0);
  one.at(1000, () => channel.snapshot());
  machine.set("CPU_ENERGY", 80);
  // A quarter of the 800 ns, so 20 J; of the other 60 J half of the 600 ns, so 30 J.
  one.at(1800, () => channel.foldedVisits("tiny", 9, 200));
  one.at(1800, () => channel.foldedVisits("small", 9, 300));
  machine.set("CPU_ENERGY", 90);
  one.at(2000, () => channel.snapshot());
  assertEquals(one.column("CPU_ENERGY"), [0, 20, 30, 40]);
});

Deno.test("joulemark gives folded visits no more than there was, and nothing where no time passed", () => {
  const machine = energy(), one = channelOf(machine, "CPU_ENERGY"), { channel } = one;
  machine.set("CPU_ENERGY", 8);
  one.at(100, () => channel.foldedVisits("long", 1, 1e9));
  machine.set("CPU_ENERGY", 9);
  one.at(100, () => channel.foldedVisits("none", 1, 5));
  one.at(200, () => channel.snapshot());
  assertEquals(one.column("CPU_ENERGY"), [8, 0, 1]);
});

Deno.test("attributes of joulemark have unit, quality and source", () => {
  const one = channelOf(energy(), "CPU_ENERGY,CPU_POWER"), { tree } = one.channel;
  const about = (name: string) => {
    const id = tree.attributeByName(name);
    return ["attribute.unit", "joulemark.quality", "joulemark.source"].map((key) => {
      const node = tree.metadataNode(id, tree.attributeByName(key));
      return node < 0 ? undefined : tree.valueOf[node];
    });
  };
  assertEquals(about("CPU_ENERGY"), ["J", "measured", "powercap"]);
  assertEquals(about("CPU_POWER"), ["W", "derived", undefined]);
  const energyId = tree.attributeByName("CPU_ENERGY");
  assertEquals(tree.attribute(energyId).properties, 2133);
});

Deno.test("joulemark.simulated names the signals that no hardware measured, in every record", () => {
  const machine = energy(
    { name: "SIM", unit: "J", grows: true, quality: "simulated" },
    { name: "SIM2", quality: "simulated" },
  );
  const one = channelOf(machine, "SIM,CPU_ENERGY,SIM2");
  machine.set("SIM", 1);
  one.channel.snapshot();
  assertEquals(one.records(), [{ "joulemark.simulated": "SIM SIM2", SIM: 1 }]);
  assertEquals(one.content().globals["joulemark.simulated"], "SIM SIM2");
  const measured = channelOf(energy(), "CPU_ENERGY");
  measured.channel.snapshot();
  assertEquals(measured.content().globals["joulemark.simulated"], undefined);
});

Deno.test("joulemark reports which signals are absent, and when none is left", () => {
  assertEquals(channelOf(energy(), "CPU_ENERGY,GPU_ENERGY,GPU_ENERGY").channel.log, [
    "== CALIPER: joulemark: no GPU_ENERGY: not in the script",
  ]);
  assertEquals(channelOf(energy(), "GPU_ENERGY").channel.log, [
    "== CALIPER: joulemark: no GPU_ENERGY: not in the script",
    "== CALIPER: joulemark: CALI_JOULEMARK_SIGNALS names no signal to record",
  ]);
  const alone = new Scripted("joulemark,trace,recorder", { CALI_JOULEMARK_SIGNALS: "TIME" });
  assertEquals(
    alone.channel.log[0],
    "== CALIPER: joulemark: no TIME: this channel has no machine",
  );
});

Deno.test("a signal of many instances is an attribute of each", () => {
  const both = ["a", "b"].map((suffix, i) => ({
    name: `CPU_ENERGY-${suffix}`,
    unit: "J",
    grows: true,
    read: () => (i + 1) * 10,
  }));
  const one = new Scripted(
    "joulemark,trace,recorder",
    { CALI_JOULEMARK_SIGNALS: "CPU_ENERGY@package" },
    { machine: { values: () => both } },
  );
  one.channel.snapshot();
  assertEquals(one.records(), [{ "CPU_ENERGY-a": 10, "CPU_ENERGY-b": 20 }]);
});

Deno.test("what records of a thread have of a counter adds up to its growth, folded visits and gaps or not", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed), machine = energy();
    const one = channelOf(machine, "CPU_ENERGY"), { channel } = one;
    let joules = 0;
    for (let i = 0; i < 50; i++) {
      one.ns += random.int(0, 100);
      joules += random.next() * 10;
      machine.set("CPU_ENERGY", random.next() < 0.2 ? NaN : joules);
      if (random.next() < 0.3) channel.foldedVisits("tiny", 1, random.int(0, 150));
      else channel.snapshot();
    }
    one.ns += 1;
    machine.set("CPU_ENERGY", joules);
    channel.snapshot();
    const told = one.column("CPU_ENERGY").filter((value) => value !== undefined) as number[];
    assertEquals(told.every((value) => value >= 0), true, `seed ${seed}`);
    assertAlmostEquals(told.reduce((sum, value) => sum + value, 0), joules, 1e-9, `seed ${seed}`);
  }
});
