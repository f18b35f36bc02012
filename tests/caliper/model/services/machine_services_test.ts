/** Services that put what the machine knows into snapshots: cpuinfo, memstat, pthread, perf. */
import { assertEquals } from "@std/assert";
import { Scripted, ScriptedMachine } from "../_scripted.ts";

function scripted(
  services: string,
  machine: ScriptedMachine,
  config: Record<string, string> = {},
): Scripted {
  return new Scripted(`${services},trace,recorder`, config, { machine });
}

Deno.test("cpuinfo adds CPU and NUMA node, and leaves out what is not known", () => {
  const machine = new ScriptedMachine({ name: "cpuinfo.cpu" }, { name: "cpuinfo.numa_node" });
  const one = scripted("cpuinfo", machine);
  for (const [cpu, node] of [[3, 1], [0, 0], [-1, NaN], [7, -1]]) {
    machine.set("cpuinfo.cpu", cpu);
    machine.set("cpuinfo.numa_node", node);
    one.channel.snapshot();
  }
  assertEquals(one.records(), [
    { "cpuinfo.cpu": 3, "cpuinfo.numa_node": 1 },
    { "cpuinfo.cpu": 0, "cpuinfo.numa_node": 0 },
    {},
    { "cpuinfo.cpu": 7 },
  ]);
  assertEquals(one.content().attributes["cpuinfo.cpu"], { type: "uint", properties: 85 });
});

Deno.test("memstat adds pages of memory, which can be aggregated; memusage is the same", () => {
  const names = ["memstat.vmsize", "memstat.vmrss", "memstat.data"];
  const machine = new ScriptedMachine(...names.map((name) => ({ name })));
  names.forEach((name, i) => machine.set(name, 100 * (i + 1)));
  const one = scripted("memusage,memstat", machine);
  one.channel.snapshot();
  machine.set("memstat.data", NaN);
  one.channel.snapshot();
  assertEquals(one.records(), [
    { "memstat.vmsize": 100, "memstat.vmrss": 200, "memstat.data": 300 },
    { "memstat.vmsize": 100, "memstat.vmrss": 200 },
  ]);
  assertEquals(one.content().attributes["memstat.vmrss"], { type: "uint", properties: 2133 });
});

Deno.test("a service of a machine without it reports it once, and records the rest", () => {
  const machine = new ScriptedMachine({ name: "cpuinfo.cpu" });
  machine.set("cpuinfo.cpu", 2);
  const one = scripted("cpuinfo", machine);
  one.channel.snapshot();
  assertEquals(one.records(), [{ "cpuinfo.cpu": 2 }]);
  assertEquals(one.channel.log, ["== CALIPER: cpuinfo: no cpuinfo.numa_node: not in the script"]);
});

Deno.test("pthread reports the identity of each thread from its first event or tick on", () => {
  const machine = new ScriptedMachine({ name: "pthread.id" }, { name: "pthread.is_master" });
  const one = scripted("pthread,event", machine), { channel } = one;
  const second = channel.addThread(0), silent = channel.addThread(0);
  const turn = (thread: number, id: number, isMaster: number) => {
    channel.turnTo(thread);
    machine.set("pthread.id", id);
    machine.set("pthread.is_master", isMaster);
  };
  turn(0, 4711, 1);
  channel.beginRegion("a");
  turn(second, 4712, 0);
  channel.beginRegion("b");
  // What is said of a thread does not change.
  turn(second, 9999, 1);
  channel.endRegion("b");
  turn(silent, 4713, 0);
  channel.tick();
  channel.snapshot();
  const told = one.records().map((r) => [r["pthread.id"], r["pthread.is_master"]]);
  assertEquals(told, [[4711, true], [4712, false], [4712, false], [4713, false]]);
  const { attributes } = one.content();
  assertEquals(attributes["pthread.id"].type, "uint");
  assertEquals(attributes["pthread.is_master"].type, "bool");
});

Deno.test("perf records PAPI's presets and signals under the names that were asked for", () => {
  const machine = new ScriptedMachine(
    { name: "CPU_INSTRUCTIONS_RETIRED", grows: true },
    { name: "CPU_CYCLES_THREAD", grows: true },
    { name: "PERF::CACHE_MISSES", grows: true },
  );
  const one = scripted("papi", machine, {
    CALI_PAPI_COUNTERS: "PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_FP_OPS",
    CALI_PERF_COUNTERS: "PERF::CACHE_MISSES PAPI_TOT_INS",
  });
  for (const [instructions, cycles, misses] of [[1000, 400, 5], [1500, 700, NaN], [1600, 900, 9]]) {
    machine.set("CPU_INSTRUCTIONS_RETIRED", instructions);
    machine.set("CPU_CYCLES_THREAD", cycles);
    machine.set("PERF::CACHE_MISSES", misses);
    one.channel.snapshot();
  }
  assertEquals(one.records(), [
    { "papi.PAPI_TOT_INS": 1000, "papi.PAPI_TOT_CYC": 400, "papi.PERF::CACHE_MISSES": 5 },
    { "papi.PAPI_TOT_INS": 500, "papi.PAPI_TOT_CYC": 300 },
    { "papi.PAPI_TOT_INS": 100, "papi.PAPI_TOT_CYC": 200, "papi.PERF::CACHE_MISSES": 4 },
  ]);
  assertEquals(one.channel.log, ["== CALIPER: perf: no PAPI_FP_OPS: not in the script"]);
  assertEquals(one.content().attributes["papi.PAPI_TOT_INS"], { type: "int", properties: 2133 });
});

Deno.test("perf gives folded visits their part by time, and the rest to what follows", () => {
  const machine = new ScriptedMachine({ name: "CPU_CYCLES_THREAD", grows: true });
  const one = scripted("perf", machine, { CALI_PERF_COUNTERS: "PAPI_TOT_CYC" });
  machine.set("CPU_CYCLES_THREAD", 1000);
  one.at(100, (channel) => channel.foldedVisits("tiny", 5, 40));
  one.at(100, (channel) => channel.snapshot());
  assertEquals(one.column("papi.PAPI_TOT_CYC"), [400, 600]);
});
