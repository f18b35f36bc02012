/**
 * Merging reports of many hosts: 50 regions each, generated. Memory is measured on the executable
 * (docs/how-to/many-nodes.md): here it holds the benchmark too.
 *
 *     deno bench --config airgap/deno.json --no-lock -A tests/bench/merge_bench.ts
 */
import { mergeFiles } from "../../src/job/place/merge_parts.ts";
import { hostName, writeJob } from "../job/merge/_generated.ts";

const REGIONS = 50;

for (const hosts of [100, 1000, 10_000]) {
  Deno.bench(`${hosts} hosts: merge`, { group: "merge", n: 1, warmup: 0 }, (bench) => {
    const dir = Deno.makeTempDirSync();
    try {
      writeJob(dir, hosts, { regions: REGIONS });
      const paths = Array.from({ length: hosts }, (_, n) => `${dir}/${hostName(n)}.report`);
      bench.start();
      mergeFiles(paths, `${dir}/job`);
      bench.end();
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  });
}
