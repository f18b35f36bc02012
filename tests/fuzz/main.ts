/**
 * The fuzzer by hand.
 *
 *     deno run -A tests/fuzz/main.ts --minutes 60 --seed 1       run, findings as they come
 *     deno run -A tests/fuzz/main.ts --seed 1 --case 4711        one case again, in this process
 *     deno run -A tests/fuzz/main.ts --seed 1 --case 4711 --keep FOLDER    its files, for a test
 *
 * A finding that stands is made small, mended, and kept: a stream in tests/vectors/caliper/fuzz/,
 * where the fuzzer also begins from, or a test that makes it.
 */

import { makeCase } from "./cases.ts";
import { judge } from "./oracle.ts";
import { watch } from "./watch.ts";

const options = new Map<string, string>();
for (let i = 0; i < Deno.args.length; i += 2) options.set(Deno.args[i], Deno.args[i + 1]);
const seed = Number(options.get("--seed") ?? Date.now() % 1_000_000);

if (options.has("--case")) again(Number(options.get("--case")));
else await run(Number(options.get("--minutes") ?? 1));

async function run(minutes: number): Promise<void> {
  console.log(`seed ${seed}, ${minutes} minutes`);
  const seen = new Map<string, number>();
  const { cases, findings } = await watch({
    seed,
    seconds: minutes * 60,
    found({ number, what, detail }) {
      const times = (seen.get(what) ?? 0) + 1;
      seen.set(what, times);
      if (times <= 3) console.log(`case ${number}: ${what}\n${detail.slice(0, 1500)}\n`);
    },
  });
  console.log(`seed ${seed}: ${cases} cases, ${findings.length} findings`);
  for (const [what, times] of seen) console.log(`${String(times).padStart(6)}  ${what}`);
  Deno.exit(findings.length > 0 ? 1 : 0);
}

function again(number: number): void {
  const input = makeCase(seed, number), folder = options.get("--keep");
  const { streams, ...rest } = input;
  console.log(JSON.stringify(rest));
  if (folder !== undefined) {
    streams.forEach((stream, i) => {
      const bytes = Uint8Array.from(stream, (c) => c.charCodeAt(0));
      Deno.writeFileSync(`${folder}/case${number}_${i}.cali`, bytes);
    });
  }
  const start = performance.now();
  for (const { what, detail } of judge(input)) console.log(`${what}\n${detail}\n`);
  console.log(`${Math.round(performance.now() - start)} ms`);
}
