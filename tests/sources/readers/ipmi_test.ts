/** The BMC's power over a door that answers by a script: late, wrong, not at all, gone. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { OfferedSignal, SignalReading } from "../../../src/core/signal.ts";
import { PlatformTopology } from "../../../src/core/machine/topology.ts";
import type { BmcDoor, OpenedDoor } from "../../../src/os/devices/ipmi.ts";
import { askAndWait } from "../../../src/sources/readers/readings/ipmi.ts";
import { hwmon } from "../../../src/sources/readers/hwmon.ts";
import { ipmi, ipmiReader } from "../../../src/sources/readers/ipmi.ts";
import { Batch } from "../../../src/sources/signals/batch.ts";
import { buildCatalogue } from "../../../src/sources/signals/catalogue.ts";
import { FakeHost } from "../../_support/fake_host.ts";
import { timed } from "../../_support/time_limit.ts";

const ENODEV = 19;
const EIO = 5;

/** A good answer. */
function watts(w: number): number[] {
  const low = w & 0xff, high = w >> 8;
  return [0, 0xdc, low, high, low, high, low, high, low, high, 0, 0, 0, 0, 0xe8, 3, 0, 0, 0x40];
}

/** What the BMC does with a request: bytes after some seconds, never, or an errno at once. */
type Act = { after?: number; bytes: number[]; netfn?: number; type?: number } | "never" | number;

/** A BMC that plays its script, one act a request; the last one is repeated. */
class FakeBmc {
  nowS = 0;
  /** Requests as they came. */
  readonly sentS: number[] = [];
  opened = 0;
  closed = 0;
  fetches = 0;
  /** What fetching answers instead. */
  errno = 0;
  lack: (OpenedDoor & { ok: false }) | undefined;
  readonly #script: Act[];
  readonly queue: { dueS: number; id: number; bytes: number[]; netfn: number; type: number }[] = [];

  constructor(...script: Act[]) {
    this.#script = script;
  }

  readonly open = (): OpenedDoor => {
    if (this.lack !== undefined) return this.lack;
    this.opened++;
    return { ok: true, door: this.#door() };
  };

  #door(): BmcDoor {
    const bytes = new Uint8Array(272);
    const message = { type: 0, id: 0, netfn: 0, command: 0, length: 0 };
    return {
      path: "/dev/ipmi0",
      bytes,
      message,
      send: (id) => {
        const act = this.#script.length > 1 ? this.#script.shift()! : this.#script[0];
        if (typeof act === "number") return -act;
        this.sentS.push(this.nowS);
        if (act === "never") return 0;
        const { after = 0, netfn = 0x2d, type = 1 } = act;
        this.queue.push({ dueS: this.nowS + after, id, bytes: act.bytes, netfn, type });
        return 0;
      },
      fetch: () => {
        this.fetches++;
        if (this.errno !== 0) return -this.errno;
        const at = this.queue.findIndex(({ dueS }) => dueS <= this.nowS);
        if (at < 0) return 0;
        const [m] = this.queue.splice(at, 1);
        bytes.set(m.bytes);
        const length = m.bytes.length;
        Object.assign(message, { type: m.type, id: m.id, netfn: m.netfn, command: 2, length });
        return 1;
      },
      wait: () => {},
      [Symbol.dispose]: () => {
        this.closed++;
      },
    };
  }
}

function machine(): FakeHost {
  const host = new FakeHost();
  host.root = "";
  return host;
}

/** Opens the reader over a BMC; the first act answers the probe, the second the opening. */
function opened(bmc: FakeBmc) {
  const reader = ipmiReader(bmc.open);
  const offer = reader.probe(machine());
  assert(offer.ok, JSON.stringify(offer));
  const reading = reader.open(machine(), offer.signals as OfferedSignal[]);
  bmc.sentS.length = 0;
  const out = Float64Array.of(-1);
  return {
    reading,
    at(timeS: number): number {
      bmc.nowS = timeS;
      reading.readInto(out, timeS);
      return out[0];
    },
  };
}

function troubles(reading: SignalReading): Record<string, number> {
  return Object.fromEntries((reading.troubles ?? []).map((t) => [t.kind, t.count]));
}

const START: Act[] = [{ bytes: watts(300) }, { bytes: watts(301) }];

timed(
  "the first tick has a value; then one request a second, and its answer at a later tick",
  () => {
    const bmc = new FakeBmc(...START, { bytes: watts(400), after: 0.25 }, { bytes: watts(500) });
    const { reading, at } = opened(bmc);
    const seen = Array.from({ length: 24 }, (_, i) => at(i / 10));
    // Asked at 1 s, answered at 1.25 s, fetched at 1.3 s; asked at 2 s, fetched at 2.1 s.
    const expected = (i: number) => i < 13 ? 301 : i < 21 ? 400 : 500;
    assertEquals(seen, seen.map((_, i) => expected(i)));
    assertEquals(bmc.sentS, [1, 2]);
    assertEquals(troubles(reading), {});
    const before = bmc.fetches;
    for (let i = 0; i < 5; i++) at(2.4 + i / 10);
    assertEquals(bmc.fetches, before, "nothing is fetched while nothing was asked");
    reading[Symbol.dispose]();
    assertEquals(bmc.closed, bmc.opened);
  },
);

timed("ticks slower than a BMC ask at each of them, and keep a figure for one tick", () => {
  const bmc = new FakeBmc(...START, { bytes: watts(400) }, { bytes: watts(500) }, "never");
  const { reading, at } = opened(bmc);
  assertEquals([0, 10, 20, 30, 40, 50].map(at), [301, 301, 400, 500, 500, NaN]);
  assertEquals(bmc.sentS, [10, 20, 30, 40, 50]);
  assertEquals(troubles(reading), { error: 2 });
});

timed(
  "no answer within 5 s is a reason, the next request goes out, a late answer is dropped",
  () => {
    const late = { bytes: watts(999), after: 7 };
    const bmc = new FakeBmc(...START, late, { bytes: watts(400), after: 0.5 }, "never");
    const { reading, at } = opened(bmc);
    assertEquals([0, 1, 2, 4.9].map(at), [301, 301, 301, 301]);
    assertEquals(at(5.5), NaN, "a figure older than 5 s is none");
    assertEquals(bmc.sentS, [1]);
    // Given up at 6 s, and asked again in the same tick.
    assertEquals([at(6), bmc.sentS], [NaN, [1, 6]]);
    assertEquals(troubles(reading), { error: 1 });
    assertEquals(reading.troubles![0].text, "/dev/ipmi0: the BMC did not answer within 5 s");
    assertEquals(at(6.6), 400);
    // The answer to the first request comes while the third is on its way.
    assertEquals([at(7.5), at(8.5)], [400, 400]);
    assertEquals(bmc.queue.length, 0, "it was fetched, and it was not taken");
  },
);

timed("events and answers to others are dropped", () => {
  const bmc = new FakeBmc(...START, { bytes: watts(400), after: 0.2 });
  const { reading, at } = opened(bmc);
  at(0);
  at(1);
  for (const other of [{ type: 2 }, { netfn: 0x07 }, { id: 77 }]) {
    bmc.queue.unshift({ dueS: 0, id: 2, bytes: watts(7), netfn: 0x2d, type: 1, ...other });
  }
  assertEquals(at(1.1), 301);
  assertEquals(bmc.queue.length, 1, "only the true answer is still on its way");
  assertEquals([at(1.3), troubles(reading)], [400, {}]);
});

timed("a busy BMC keeps its last figure, a refusal and a broken answer do not", () => {
  const answers: [number[], number, Record<string, number>][] = [
    [[0xc0], 301, { error: 1 }],
    [[0xc1], NaN, { error: 1 }],
    [watts(0), NaN, { torn: 1 }],
    [watts(300).slice(0, 18), NaN, { torn: 1 }],
    [[], NaN, { torn: 1 }],
    [watts(300).with(18, 0), 301, { error: 1 }],
  ];
  for (const [bytes, after, kinds] of answers) {
    const bmc = new FakeBmc(...START, { bytes }, { bytes: watts(400) });
    const { reading, at } = opened(bmc);
    assertEquals([at(0), at(1), at(1.1)], [301, 301, after], `${bytes}`);
    assertEquals(troubles(reading), kinds, `${bytes}`);
    assertStringIncludes(reading.troubles![0].text, "/dev/ipmi0: the BMC ");
    assertEquals([at(2), at(2.1)], [after, 400], "the next answer counts again");
  }
  const busy = new FakeBmc(...START, { bytes: [0xc0] });
  const { at } = opened(busy);
  let last = 0;
  for (let t = 0; t <= 5; t += 0.5) last = at(t);
  assertEquals([last, at(5.5)], [301, NaN], "but not for ever");
});

timed("a driver that goes away is opened again, once a second", () => {
  const bmc = new FakeBmc(...START, { bytes: watts(400) });
  const { reading, at } = opened(bmc);
  at(0);
  at(1);
  bmc.errno = ENODEV;
  assertEquals(at(1.1), NaN);
  const opens = bmc.opened;
  assertEquals(bmc.closed, opens);
  bmc.lack = { ok: false, kind: "absent", reason: "no /dev/ipmi0" };
  for (const t of [1.2, 2, 2.5, 3]) assertEquals(at(t), NaN);
  assertEquals(troubles(reading), { gone: 3 });
  assertMatch(
    reading.troubles![0].text,
    /^\/dev\/ipmi0: no answer can be fetched: No such device$/,
  );
  bmc.lack = undefined;
  bmc.errno = 0;
  bmc.queue.length = 0;
  assertEquals([at(4), bmc.opened, at(4.1)], [NaN, opens + 1, 400]);
});

timed("a request that is not taken is a reason, and tried again a second later", () => {
  const bmc = new FakeBmc(...START, EIO, { bytes: watts(400) });
  const { reading, at } = opened(bmc);
  assertEquals([at(0), at(1), at(1.5), at(2), at(2.1)], [301, NaN, NaN, NaN, 400]);
  assertEquals(troubles(reading), { error: 1 });
  assertMatch(reading.troubles![0].text, /the request was not taken: Input\/output error/);
});

timed("probe: absent, forbidden and unusable are told apart", () => {
  const asked = (bmc: FakeBmc) => ipmiReader(bmc.open).probe(machine());
  const none = new FakeBmc({ bytes: [0xc1] });
  assertEquals(asked(none), {
    ok: false,
    kind: "absent",
    reason: "/dev/ipmi0: the BMC does not know DCMI's power reading (0xC1)",
  });
  assertEquals([none.opened, none.closed], [1, 1]);
  const busy = asked(new FakeBmc({ bytes: [0xc0] }));
  assert(!busy.ok && busy.kind === "unusable");
  const closed = new FakeBmc("never");
  closed.lack = { ok: false, kind: "forbidden", reason: "/dev/ipmi0: Permission denied" };
  assertEquals(asked(closed), closed.lack);
  const tree = new FakeBmc({ bytes: watts(300) });
  const inTree = ipmiReader(tree.open).probe(new FakeHost());
  assert(!inTree.ok && inTree.kind === "absent");
  assertEquals(tree.opened, 0, "a tree's device is not the machine's");
});

timed("askAndWait() gives up in time, also where strangers keep talking", () => {
  const silent = new FakeBmc("never");
  const { door } = silent.open() as OpenedDoor & { ok: true };
  assertEquals(askAndWait(door, 1, 0.02), {
    ok: false,
    kind: "later",
    reason: "the BMC did not answer within 0.02 s",
  });
  assert(silent.fetches < 10, "without keeping a CPU busy");
  const loud = new FakeBmc({ bytes: watts(300) });
  const other = (loud.open() as OpenedDoor & { ok: true }).door;
  for (let i = 0; i < 100; i++) {
    loud.queue.push({ dueS: 0, id: 99, bytes: watts(7), netfn: 0x2d, type: 1 });
  }
  const found = askAndWait(other, 1, 2);
  assert(found.ok && found.watts === 300);
  loud.errno = EIO;
  const failed = askAndWait(other, 2, 2);
  assert(!failed.ok && failed.kind === "broken" && failed.reason.endsWith("Input/output error"));
});

timed("BOARD_POWER and BOARD_ENERGY are the BMC's where nothing else is, and say so", () => {
  const bmc = new FakeBmc({ bytes: watts(300) });
  const host = machine();
  host.topology = PlatformTopology.regular({ packages: 1, coresPerPackage: 1, threadsPerCore: 1 });
  const readers = [ipmiReader(bmc.open)];
  const catalogue = buildCatalogue({ host, readers });
  assertEquals(catalogue.info("BOARD_POWER")!.aliasFor, "IPMI::NODE_POWER");
  const energy = catalogue.info("BOARD_ENERGY")!;
  assertEquals(energy.aliasFor, "INTEGRAL::NODE_POWER");
  assert(energy.state.ok);
  assertEquals(energy.state.signal.quality, "derived");
  assertStringIncludes(energy.state.signal.note!, "whole watts");
  assertEquals(catalogue.info("IPMI::NODE_POWER")!.row.behavior, "variable");
  using batch = new Batch(host.topology, catalogue);
  const handles = ["BOARD_POWER", "BOARD_ENERGY"].map((n) => batch.pushSignal(n, "board", 0));
  for (let t = 0; t <= 3; t += 0.5) {
    bmc.nowS = t;
    batch.read(t);
    batch.settle();
  }
  assertEquals(handles.map((h) => batch.sample(h)), [300, 900]);
  const without = buildCatalogue({ host, readers, without: ["ipmi"] });
  assert(!without.info("BOARD_POWER")!.state.ok);
});

timed("the meters of ibmaem, which wait for the BMC, are no source and said to be there", () => {
  const dir = "/sys/class/hwmon/hwmon1";
  for (const at of [dir, `${dir}/device`]) {
    const host = new FakeHost({ [`${at}/name`]: "aem2\n", [`${at}/power1_average`]: "1\n" });
    const offer = hwmon.probe(host);
    assert(!offer.ok && offer.kind === "unusable");
    assertEquals(offer.reason, `${dir}: reading ibmaem blocks until the BMC answers`);
  }
});

timed("the reader declares each device that it opens", () => {
  assertEquals(ipmi.needs.files, ["/dev/ipmi0", "/dev/ipmi/0", "/dev/ipmidev/0"]);
  const there = ipmi.probe(new FakeHost());
  assert(!there.ok && there.reason === "a tree has no BMC");
});

timed("200,000 ticks without an answer start no garbage collection", () => {
  const path = (name: string) => new URL(name, import.meta.url).pathname;
  const config = path("../../../airgap/deno.json");
  const loop = path("../../_support/ipmi_loop.ts");
  const flags = ["--quiet", "--config", config, "--no-lock", "-A", "--v8-flags=--trace-gc"];
  const run = new Deno.Command(Deno.execPath(), { args: ["run", ...flags, loop] });
  const { stdout, success } = run.outputSync();
  const text = new TextDecoder().decode(stdout);
  assert(success, text);
  assertMatch(text, / 249 without answer$/m);
  const at = (word: string) => Number(new RegExp(`^${word} (\\d+)$`, "m").exec(text)?.[1]);
  assert(at("end") > at("begin"), text);
  // `[pid:isolate]  123 ms: Scavenge …`; 16 bytes a tick would be four of them.
  const collections = [...text.matchAll(/^\[.*?\]\s+(\d+) ms: (Scavenge|Mark-Compact)/gm)]
    .filter((m) => Number(m[1]) > at("begin") && Number(m[1]) < at("end"));
  assert(collections.length <= 1, text);
});
