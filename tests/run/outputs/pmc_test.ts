/** PMC logs from recordings: the library's own, and steps from epochs and regions. */
import { ReplaySite } from "../../../src/cli/replay_site.ts";
import { optionValues } from "../../../src/core/option.ts";
import { makePmc } from "../../../src/run/outputs/pmc/output.ts";
import { RUN_OPTIONS } from "../../../src/run/request/run_options.ts";
import { assert, assertEquals } from "@std/assert";
import { parsePmc, type PmcRecord, stringifyPmc } from "../../../src/formats/pmc/pmc.ts";
import { collateSteps, type NodeSteps } from "../../../src/job/merge/steps.ts";
import { epochSeconds, nodeRanks } from "../../../src/run/outputs/pmc/log.ts";
import { replay } from "../../../src/run/session/replay.ts";
import { capture } from "../../_support/capture.ts";
import { replay as verb } from "../../../src/cli/replay.ts";
import { pmcJob } from "./_pmc_job.ts";
import { tableOf } from "../session/_table.ts";

const VECTORS = new URL("../../vectors/pmc/", import.meta.url).pathname;

/** The log that the verb writes for the job. */
async function written(version: string, moreJ = 0n): Promise<Uint8Array> {
  const recordings = pmcJob(version, undefined, moreJ);
  const out = Deno.makeTempFileSync();
  try {
    const directories = recordings.map((r) => r.path);
    const args = ["-q", "--report", `${out}.report`, "--pmc", out, "--pmc-version", version];
    const got = await capture(verb, [...args, ...directories]);
    assertEquals(got.stderr, "");
    return Deno.readFileSync(out);
  } finally {
    for (const recording of recordings) recording[Symbol.dispose]();
    Deno.removeSync(out);
    Deno.removeSync(`${out}.report`);
  }
}

function withoutTime(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  return text.split("\n").map((l, i) => i === 0 ? l : l.replace(/^\S+/, "T")).join("\n");
}

for (const version of ["2.0", "3.1", "4.3"]) {
  Deno.test(`replay --pmc is the library's ${version} log but for the time`, async () => {
    const library = Deno.readFileSync(`${VECTORS}run-a.v${version}.0.pmc`);
    assertEquals(withoutTime(await written(version)), withoutTime(library));
  });
}

for (const version of ["2.0", "3.1", "4.3", "4.4"]) {
  Deno.test(`replay --pmc in ${version} is exact where counters are beyond 2^53 J`, async () => {
    const plain = withoutTime(await written(version));
    // Alone and summed, odd and even.
    for (
      const moreJ of [3_002_399_751_580_331n, 9_007_199_254_740_993n, 4_611_686_018_427_387_905n]
    ) {
      assertEquals(withoutTime(await written(version, moreJ)), plain, `${moreJ}`);
    }
  });
}

Deno.test("replay --pmc is the library's 6.0 log but for the time", async () => {
  const timeless = (bytes: Uint8Array) =>
    parsePmc(bytes).records.map((record) => ({ ...record, timeS: 0 }));
  const library = Deno.readFileSync(`${VECTORS}run-a.v6.0.0.bin`);
  const ours = await written("6.0");
  assertEquals(ours.length, library.length);
  assertEquals(timeless(ours), timeless(library));
});

Deno.test("replay --pmc in 4.0, 4.4 and 5.0 holds the same readings", async () => {
  const text = (bytes: Uint8Array) => withoutTime(bytes).split("\n");
  assertEquals(text(await written("4.0"))[2], "T 1 2 298.000000 897.000000");
  assertEquals(text(await written("4.4")).slice(0, 3), [
    "pm_mpi_lib v4.4.0: time (s), step, substep, power avg (W), cpu power avg (W), mem power avg (W), energy (J), cpu energy (J), mem energy (J)",
    "T -1 1 282.666667 172.666667 60.000000 0 0 0",
    "T 1 2 298.000000 188.000000 61.000000 897 450 180",
  ]);
  assertEquals((await written("5.0")).length, 2304);
});

async function stepsOf(events: (k: number) => string[]): Promise<PmcRecord[]> {
  const recordings = pmcJob("4.3", events);
  try {
    const nodes: NodeSteps[] = [];
    for (const { path } of recordings) {
      await replay(path, {
        makeTable: tableOf,
        version: "v",
        outputs: (recording, directory) => {
          const site = new ReplaySite(recording, directory, {
            several: false,
            tracePeriodS: 0,
            files: [],
            steps: nodes,
          });
          const given = { pmc: "unused", "pmc-version": "4.3" };
          return [makePmc(optionValues(RUN_OPTIONS, given, () => undefined), site)];
        },
      });
    }
    return collateSteps(nodes.map((n, i) => ({ ...n, rank: i })), "4.3").log.records;
  } finally {
    for (const recording of recordings) recording[Symbol.dispose]();
  }
}

Deno.test("PmcRecorder takes epochs as steps, else the entries of a region", async () => {
  const epochs = await stepsOf((k) => k < 6 ? ["epoch,,,"] : []);
  const regions = await stepsOf((k) => {
    if (k === 6) return [];
    return k === 0 ? ["enter,once,,", "exit,once,,", "enter,step,,"] : [
      "exit,step,,",
      "enter,step,,",
      "enter,inside,,",
      "exit,inside,,",
    ];
  });
  const seen = (records: PmcRecord[]) => records.map((r) => [r.timeS, r.step, r.energyJ]);
  assertEquals(seen(epochs), [
    [0, -1, 0],
    [1, 1, 897],
    [2, 2, 1834],
    [3, 3, 2731],
    [4, 4, 3640],
    [5, 5, 4570],
    [6, 6, 5429],
  ]);
  assertEquals(seen(regions), seen(epochs));
});

const STEP: PmcRecord = { timeS: 0, step: -1, substep: 1, powerW: 100, energyJ: 1000 };
const node = (host: string, rank: number, energies: number[], skip = -9): NodeSteps => ({
  host,
  rank,
  records: energies.map((energyJ, i) => ({
    ...STEP,
    timeS: i,
    step: i - (i === 0 ? 1 : 0),
    energyJ,
  }))
    .filter((record) => record.step !== skip),
});

Deno.test("collateSteps() reports missing steps, of nodes without any, and of restarts", () => {
  const missing = collateSteps([
    node("b", 2, [10, 20, 30], 1),
    node("a", 0, [1000, 1010, 1030]),
    node("c", 4, []),
  ], "3.1");
  assertEquals(missing.log.records.map((r) => [r.step, r.energyJ]), [[-1, 0], [2, 50]]);
  assertEquals(missing.troubles.length, 2);
  assert(missing.troubles[1].startsWith("b lacks 1 of 3 steps (the first: 1)"));
  const restart = collateSteps([node("a", 0, [10, 20, 30]), node("b", 1, [10, 15, 3])], "3.1");
  assertEquals(restart.log.records.map((r) => r.energyJ), [0, 15]);
  assert(restart.troubles[0].startsWith("b: energy fell from 15 J to 3 J at step 2"));
  assertEquals([missing.log.cut, restart.log.cut], [undefined, true]);
});

Deno.test("collateSteps() holds the reading before one that is missing, and reports it", () => {
  const gaps = collateSteps([
    node("a", 0, [NaN, 100, NaN, 130]),
    node("b", 1, [10, 20, 30, 40]),
  ], "3.1");
  assertEquals(gaps.log.records.map((r) => r.energyJ), [0, 10, 20, 60]);
  assertEquals(gaps.troubles, [
    "a: 2 of 4 readings of the node's energy are not known; the PMC log has the reading before " +
    "each of them, and begins with the first that there is",
  ]);
  const never = collateSteps([node("a", 0, [NaN, NaN]), node("b", 1, [10, 20])], "3.1");
  assertEquals([never.log.records.map((r) => r.energyJ), never.troubles], [[0, 10], []]);
});

Deno.test("collateSteps() ignores the order of nodes, and rounds the sum once a line", () => {
  const nodes = [node("a", 0, [0.4, 1.4]), node("b", 1, [0.4, 1.8]), node("c", 2, [0.4, 1.8])];
  for (const order of [[0, 1, 2], [2, 1, 0], [1, 2, 0]]) {
    const { log } = collateSteps(order.map((i) => nodes[i]), "4.3");
    // 1.0 + 1.4 + 1.4, where rounding each node would give 3.
    assertEquals((stringifyPmc(log) as string).split("\n")[2], "1.000000 1 1 100.000000 4");
  }
});

Deno.test("nodeRanks() counts processes by node, or believes numbers that are ranks", () => {
  assertEquals(nodeRanks([[501, 502], [77, 78], [501, 502]]), [0, 2, 4]);
  assertEquals(nodeRanks([[3, 2], [0, 1]]), [2, 0]);
  assertEquals(nodeRanks([[], []]), [0, 1]);
});

Deno.test("epochSeconds() reads a start time", () => {
  assertEquals(epochSeconds("1970-01-01T01:00:00.500000000+0100"), 0.5);
  assertEquals(epochSeconds("Thu Jan 1"), 0);
});
