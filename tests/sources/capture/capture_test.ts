/** A captured node reads as the node did. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { RawWriter } from "../../../src/rawstats/format/writer.ts";
import { capture as verb } from "../../../src/cli/capture.ts";
import { MachineHost } from "../../../src/os/host.ts";
import { RawMachine } from "../../../src/os/raw_machine.ts";
import { READERS } from "../../../src/sources/readers/with_raw.ts";
import { capture } from "../../../src/sources/capture/capture.ts";
import { RawCollection } from "../../../src/rawstats/daemon/collection.ts";
import { isIdentity, ownNames, redactor } from "../../../src/sources/capture/redact.ts";
import { Batch } from "../../../src/sources/signals/batch.ts";
import { buildCatalogue } from "../../../src/sources/signals/catalogue.ts";
import { capture as runVerb } from "../../_support/capture.ts";
import { openNode } from "../../_support/node_run.ts";
import { advanceNodeTree, NODES } from "../../_support/node_tree.ts";

function withFolder(body: (dir: string) => void | Promise<void>) {
  return async () => {
    const dir = Deno.makeTempDirSync({ prefix: "joulemark-capture-" });
    try {
      await body(dir);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  };
}

/** All signals of a tree that have values, at the board, as text. */
function values(root: string): Record<string, string> {
  const host = new MachineHost(root);
  const catalogue = buildCatalogue({ host, readers: READERS });
  using batch = new Batch(host.topology, catalogue);
  const handles = catalogue.availableNames().map((name) => {
    return [name, batch.pushSignal(name, "board", 0)] as const;
  });
  batch.read(0);
  batch.settle();
  return Object.fromEntries(handles.map(([name, handle]) => [name, String(batch.sample(handle))]));
}

for (const name of NODES) {
  Deno.test(
    `a capture of ${name} has the same signals, values and topology`,
    withFolder((dir) => {
      using node = openNode(name);
      const saved = capture({ directory: dir, host: node.host, readers: READERS });
      assert(saved.files > 10, JSON.stringify(saved));
      assertEquals(saved.closed, []);
      assertEquals(values(dir), values(node.root));
      const topology = new MachineHost(dir).topology;
      for (const domain of ["package", "core", "cpu", "gpu", "gpu_chip", "memory"] as const) {
        assertEquals(topology.count(domain), node.host.topology.count(domain), domain);
      }
      const modes = new MachineHost(dir).facts.modes ?? {};
      for (const [path, mode] of Object.entries(modes)) assertEquals(mode, node.node.modes[path]);
    }),
  );
}

/** A record of the monitor's raw stats, without the lines of single processes. */
function rawRecord(root: string): string[] {
  const collection = new RawCollection(new RawMachine(new MachineHost(root)));
  const writer = new RawWriter();
  collection.record(writer, { timeUs: 0, jobs: "-", marks: [], isFirst: true }, undefined);
  const text = collection.header() + new TextDecoder().decode(writer.bytes);
  return text.split("\n").filter((line) => !line.startsWith("proc "));
}

for (const name of NODES) {
  Deno.test(
    `a capture of ${name} gives the monitor the same record, but for single processes`,
    withFolder((dir) => {
      using node = openNode(name);
      capture({ directory: dir, host: node.host, readers: READERS });
      assertEquals(rawRecord(dir), rawRecord(node.root));
      assert(![...Deno.readDirSync(`${dir}/proc`)].some((e) => /^\d+$/.test(e.name)));
    }),
  );
}

Deno.test(
  "frames hold what changed, and make the tree what it was",
  withFolder(async (dir) => {
    using node = openNode("intel-skx-2s");
    const first = values(node.root);
    const before = capture({ directory: `${dir}/a`, host: node.host, readers: READERS });
    assertEquals(before.changes, []);
    advanceNodeTree(node.root, node.node, 1);
    const after = capture({ directory: `${dir}/b`, host: node.host, readers: READERS, frames: 2 });
    assertEquals(after.changes, [0]);
    assertEquals(values(`${dir}/a`), first);
    assertEquals(values(`${dir}/b`), values(node.root));
    assert(JSON.parse(await Deno.readTextFile(`${dir}/b/.root.json`)).time > 1.5e9);
  }),
);

Deno.test(
  "frames of this machine can be laid over the tree",
  withFolder(async (dir) => {
    const args = ["--frames", "3", "--interval", "0.05", "--json", `${dir}/node`];
    const { code, stdout, stderr } = await runVerb(verb, args);
    assertEquals(code, 0, stderr);
    const saved = JSON.parse(stdout);
    assertEquals(saved.changes.length, 2);
    const frame = `${dir}/node/.frames/0002/proc/stat`;
    const later = Deno.readTextFileSync(frame);
    assert(later !== Deno.readTextFileSync(`${dir}/node/proc/stat`));
    Deno.copyFileSync(frame, `${dir}/node/proc/stat`);
    assert(Number(values(`${dir}/node`)["PROCSTAT::USER_TIME"]) > 0);
  }),
);

Deno.test(
  "capture refuses a directory that holds something, and bad numbers",
  withFolder(async (dir) => {
    Deno.writeTextFileSync(`${dir}/kept`, "x");
    assertEquals((await runVerb(verb, [dir])).code, 1);
    assertEquals(Deno.readTextFileSync(`${dir}/kept`), "x");
    for (const args of [[], ["a", "b"], ["--frames", "0", "a"], ["--interval", "-1", "a"]]) {
      assertEquals((await runVerb(verb, args)).code, 2, args.join(" "));
    }
    const host = new MachineHost();
    assertThrows(() => capture({ directory: "/proc/nowhere", host, readers: [] }));
  }),
);

Deno.test("redactor() replaces whole names, the longest first, in text and paths", () => {
  const names = ownNames("gold7.site.org", (name) => name === "USER" ? "ann" : undefined);
  const redact = redactor(names);
  assertEquals(redact("gold7.site.org gold7 gold70 ann/annex"), "node node gold70 user/annex");
  assertEquals(
    redact("/sys/fs/cgroup/user.slice/ann.scope"),
    "/sys/fs/cgroup/user.slice/user.scope",
  );
  const short = redactor(ownNames("n7", () => undefined));
  assertEquals([short("n7\n"), short("in n7 there")], ["node\n", "in n7 there"]);
  assertEquals(redactor(ownNames("localhost", () => "root"))("root localhost"), "root localhost");
  assert(isIdentity("/sys/class/hwmon/hwmon0/power1_serial_number"));
  assert(!isIdentity("/sys/class/hwmon/hwmon0/power1_average"));
});

Deno.test(
  "capture --redact leaves no host name behind",
  withFolder(async (dir) => {
    using node = openNode("cray-ex-trento-4gpu");
    const { code, stderr } = await runVerb(verb, [
      ...["--redact", "--frames", "1", "--root", node.root],
      `${dir}/node`,
    ]);
    assertEquals(code, 0, stderr);
    const host = new MachineHost(`${dir}/node`);
    assertEquals(host.readText("/proc/sys/kernel/hostname"), "node\n");
  }),
);
