/** From registers to the job's joules: monitor, file and metrics together. */
import { assertAlmostEquals, assertEquals } from "@std/assert";
import { RawWriter } from "../../../src/rawstats/format/writer.ts";
import { MachineHost } from "../../../src/os/host.ts";
import { RawMachine } from "../../../src/os/raw_machine.ts";
import { JOB_METRICS } from "../../../src/rawstats/analysis/metrics.ts";
import { RawCollection } from "../../../src/rawstats/daemon/collection.ts";
import { lookAtRawFiles } from "../../../src/rawstats/analysis/files.ts";
import { analyseRawFiles } from "../../../src/rawstats/analysis/stats.ts";
import { advanceNodeTree } from "../../_support/node_tree.ts";
import { loadRawNode, writeRawTree } from "../../_support/raw_node.ts";

for (const name of ["intel-skx-2s", "amd-epyc-rome-2s"]) {
  Deno.test(`a job's joules come out of raw stats as the node's truth has them: ${name}`, async () => {
    const root = Deno.makeTempDirSync();
    try {
      const node = loadRawNode(name);
      writeRawTree(root, node, 0);
      using collection = new RawCollection(new RawMachine(new MachineHost(root)));
      const path = `${root}/raw`;
      Deno.writeTextFileSync(path, collection.header());
      const writer = new RawWriter();
      const last = node.frames.length - 1;
      node.frames.forEach(({ time }, i) => {
        if (i > 0) advanceNodeTree(root, node, i);
        const marks = i === 0 ? ["begin 4001"] : i === last ? ["end 4001"] : [];
        writer.clear();
        const request = { timeUs: time * 1e6, jobs: "4001", marks, isFirst: i === 0 };
        collection.record(writer, request, undefined);
        Deno.writeFileSync(path, writer.bytes, { append: true });
      });
      const errors: string[] = [];
      const { jobs } = await analyseRawFiles({
        files: await lookAtRawFiles([path]),
        error: (error) => errors.push(error.message),
      });
      assertEquals(errors, []);
      const inputs = jobs.get("4001")!.inputs;
      const metric = (wanted: string) => JOB_METRICS.find((m) => m.name === wanted)!.of(inputs);
      const total = (lists: number[][]) => lists.flat().reduce((a, b) => a + b);
      const { rapl, amd_rapl } = node.truth;
      const sum = total(
        amd_rapl?.pkg_delta_J ?? [rapl.package0.pkg_delta_J, rapl.package1.pkg_delta_J],
      );
      assertAlmostEquals(metric("pkg_energy"), sum, 0.01);
      const ratio = inputs[0].total("APERF") / inputs[0].total("MPERF");
      const nominalGhz = name === "intel-skx-2s" ? 2.6 : 3;
      assertAlmostEquals(metric("avg_freq"), nominalGhz * ratio, 1e-9);
      const seconds = node.frames[last].time - node.frames[0].time;
      assertAlmostEquals(metric("avg_pkgpower"), sum / seconds, 1e-4);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  });
}
