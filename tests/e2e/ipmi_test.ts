/** The BMC's power by the true calls of /dev/ipmi0, answered by a server in a private node. */
import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { onPrivateNode, type PrivateNode, programFor } from "../_support/private_node.ts";

/** All other sources of the node's power. */
const ALONE = ["--without", "CNL,MSR,PERF,POWERCAP,HWMON"];
/** What bmc.h answers with. */
const WATTS = 350;

function reportOf(node: PrivateNode) {
  const [host] = parseReport(Deno.readTextFileSync(`${node.dir}/joulemark.report`), "r").hosts;
  const sources = host.joulemark!.sources as Record<string, Record<string, string>>;
  return { application: host.application, sources };
}

const wait = (ms: number) => new Promise((go) => setTimeout(go, ms));

onPrivateNode(
  "read and run have the node's power from the BMC, and the report says so",
  async (node) => {
    const read = await node.joulemark(["read", "IPMI::NODE_POWER", "board", "0"]);
    assertEquals([read.code, read.stdout], [0, `${WATTS}\n`], read.stderr);
    // Another meter comes first where there is one.
    const first = await node.joulemark(["read", "BOARD_POWER", "board", "0"]);
    assertEquals(first.stdout, "300\n");
    const out = await node.joulemark([
      ...["run", ...ALONE, "--report-signals", "BOARD_ENERGY,BOARD_POWER", "--", "sleep", "3"],
    ]);
    assertEquals(out.code, 0, out.stderr);
    const { application, sources } = reportOf(node);
    const seconds = Number(application["sync-runtime (s)"]);
    assertAlmostEquals(Number(application.BOARD_ENERGY), WATTS * seconds, 0.03 * WATTS);
    assertEquals(Number(application.BOARD_POWER), WATTS);
    assertEquals(sources.BOARD_ENERGY.signal, "INTEGRAL::NODE_POWER");
    assertEquals(sources.BOARD_ENERGY.quality, "derived");
    assertEquals(sources.BOARD_POWER.source, "/dev/ipmi0, DCMI Get Power Reading");
    assertStringIncludes(sources.BOARD_POWER.note, "in whole watts");
    assert(sources.BOARD_POWER.trouble === undefined, JSON.stringify(sources.BOARD_POWER));
  },
);

onPrivateNode("a BMC that answers late delays no tick", async (node) => {
  node.breakIt("bmc_ms 1500");
  const signals = "IPMI::NODE_POWER";
  const out = await node.joulemark([
    ...["run", ...ALONE, "--report-signals", signals, "--trace", "trace", "--trace-signals"],
    // The command waits a second for us, and the BMC takes longer to say its first word.
    ...[signals, "--", "sleep", "6"],
  ]);
  assertEquals(out.code, 0, out.stderr);
  const [names, ...rows] = Deno.readTextFileSync(`${node.dir}/trace`).split("\n")
    .filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("|"));
  const times = rows.map((row) => Number(row[names.indexOf("TIME")]));
  const at = names.indexOf(signals);
  assert(rows.every((row) => Number(row[at]) === WATTS), `${rows.map((row) => row[at])}`);
  const gaps = times.slice(1).map((t, i) => t - times[i]);
  assert(times.at(-1)! - times[0] > 3, "two requests and more");
  assert(Math.max(...gaps) < 1, `a gap of ${Math.max(...gaps)} s is a wait for the BMC`);
});

onPrivateNode(
  "a BMC that is taken away in mid-run is NaN, counted, and found again",
  async (node) => {
    const signals = "IPMI::NODE_POWER";
    const running = node.joulemark([
      ...["run", ...ALONE, "--report-signals", signals, "--trace", "trace", "--trace-signals"],
      ...[signals, "--", ...programFor(6)],
    ]);
    await node.begun();
    await wait(1500);
    node.breakIt("bmc_gone 1");
    await wait(1800);
    node.breakIt("");
    const out = await running;
    assertEquals(out.code, 0, out.stderr);
    const rows = Deno.readTextFileSync(`${node.dir}/trace`).split("\n")
      .filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split("|"));
    const watts = rows.slice(1).map((row) => Number(row[rows[0].indexOf(signals)]));
    assertEquals([watts[0], watts.at(-1)], [WATTS, WATTS]);
    assert(watts.some(Number.isNaN), "nothing is invented in between");
    assertStringIncludes(reportOf(node).sources[signals].trouble, "No such device");
  },
);

onPrivateNode("what is in the way: no DCMI, no answer, no BMC, no permission", async (node) => {
  const reasonOf = async (word: string) => {
    node.breakIt(word);
    const read = await node.joulemark(["read", "IPMI::NODE_POWER", "board", "0"]);
    assertEquals([read.code, read.stdout], [1, "nan\n"]);
    return read.stderr;
  };
  assertStringIncludes(
    await reasonOf("bmc_code 0xc1"),
    "does not know DCMI's power reading (0xC1)",
  );
  assertStringIncludes(await reasonOf("bmc_silent 1"), "the BMC did not answer within 2 s");
  assertStringIncludes(await reasonOf("bmc_gone 1"), "/dev/ipmi0 exists, but there is no BMC");
  node.breakIt("");
  const doctor = await node.joulemark(["doctor", "--sources"], true);
  assertEquals(doctor.code, 0, doctor.stderr);
  for (const line of doctor.stdout.split("\n")) assert(line.length <= 80, line);
  assertStringIncludes(
    doctor.stdout,
    "  IPMI      forbidden  /dev/ipmi0: Permission denied (mode 0600",
  );
  assertStringIncludes(doctor.stdout, "fix, risk high: one group gets full access to the BMC");
  const root = await node.joulemark(["doctor", "--sources"]);
  assertStringIncludes(root.stdout, "  IPMI      readable   1 signal, such as IPMI::NODE_POWER");
  assertStringIncludes(root.stdout, "note: a mean of the BMC over about a second, in whole");
  const captured = await node.joulemark(["capture", "tree"]);
  assertEquals(captured.code, 0, captured.stderr);
  const tree = await node.joulemark(["read", "--root", "tree", "IPMI::NODE_POWER", "board", "0"]);
  assertStringIncludes(tree.stderr, "a tree has no BMC");
});
