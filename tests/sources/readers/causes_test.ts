/** Why a source is not there: no hardware, no driver, hidden in a container, no permission; and its fix. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Offer } from "../../../src/core/signal.ts";
import { msr } from "../../../src/sources/readers/msr.ts";
import { powercap } from "../../../src/sources/readers/powercap.ts";
import { refusal } from "../../../src/sources/readers/readings/perf.ts";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { buildCatalogue } from "../../../src/sources/signals/catalogue.ts";
import { FakeHost } from "../../_support/fake_host.ts";

const DIR = "/sys/class/powercap";

/** A machine of Intel, of its own or virtual. */
function machine(files: Record<string, string> = {}, flags = "msr"): FakeHost {
  const host = new FakeHost({
    "/proc/cpuinfo": `vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nflags : ${flags}\n`,
    ...files,
  });
  host.root = "";
  return host;
}

function lackOf(offer: Offer): [reason: string, remedy: string | undefined] {
  assert(!offer.ok);
  return [offer.reason, offer.remedy];
}

Deno.test("powercap: hidden in a container, no hardware, no driver", () => {
  const [hidden, container] = lackOf(powercap.probe(machine({ [`${DIR}/intel-rapl:0`]: "" })));
  assertStringIncludes(hidden, "a container hides /sys/devices/virtual/powercap");
  assertStringIncludes(container!, "start the container");
  const none = `no RAPL zone in ${DIR}`;
  assertEquals(lackOf(powercap.probe(machine({}, "hypervisor"))), [
    `${none}: a virtual machine`,
    undefined,
  ]);
  assertEquals(lackOf(powercap.probe(machine())), [none, "modprobe intel_rapl_msr (as root)"]);
  const loaded = machine({ "/sys/module/intel_rapl_msr/refcnt": "0" });
  assertEquals(lackOf(powercap.probe(loaded))[1], undefined);
});

Deno.test("msr: no hardware, hidden in a container, no driver", () => {
  assertEquals(lackOf(msr.probe(machine({}, "hypervisor"))), [
    "no /dev/cpu/0/msr: a virtual machine",
    undefined,
  ]);
  assertEquals(lackOf(msr.probe(machine())), ["no /dev/cpu/0/msr", "modprobe msr (as root)"]);
  const hidden = lackOf(msr.probe(machine({ "/sys/class/msr/msr0": "" })));
  assertStringIncludes(hidden[0], "a container hides the device");
  assert(!hidden[1]!.includes("modprobe"), hidden[1]);
});

Deno.test("perf: a level that allows the call is not blamed, nor advised", () => {
  const at = (paranoid: string) => {
    const host = machine({ "/proc/sys/kernel/perf_event_paranoid": `${paranoid}\n` });
    return refusal(host, 1, { lacks: " and CAP_PERFMON is not held", remedy: "see doctor" });
  };
  assertEquals(at("2"), {
    kind: "forbidden",
    reason: "perf_event_paranoid is 2 and CAP_PERFMON is not held",
    remedy: "see doctor",
  });
  assertStringIncludes(at("-1").reason, "as in containers");
  assertStringIncludes(at("0").remedy!, "seccomp");
});

Deno.test("an energy that no source can have blames no permission; what can be fixed comes first", () => {
  const reasonOf = (host: FakeHost) => {
    const { state } = buildCatalogue({ host, readers: READERS }).info("CPU_ENERGY")!;
    assert(!state.ok);
    return state;
  };
  const none = reasonOf(machine({ "/proc/sys/kernel/perf_event_paranoid": "4\n" }, "hypervisor"));
  assertEquals([none.kind, none.remedy], ["absent", undefined]);
  assert(!none.reason.includes("paranoid"), none.reason);
  assertStringIncludes(none.reason, "no power PMU");
  const hidden = reasonOf(machine({ [`${DIR}/intel-rapl:0`]: "", "/sys/class/msr/msr0": "" }));
  assertStringIncludes(hidden.reason, "a container hides");
});
