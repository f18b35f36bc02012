/**
 * Replay of a generated run of 64 CPUs at 5 ms, end to end, in a process of its own.
 *
 * By default half a minute of it; JOULEMARK_BENCH_HOUR=1 takes the whole hour (720,000 samples, two
 * million events, 1.5 GB on disk), once. Prints the time and the most memory that it had.
 * Run: `deno bench -A --config CONFIG tests/bench/replay_bench.ts`; figures: docs/explanation/overhead.md.
 */
import { generateRecording } from "./_generated_recording.ts";

const hour = Deno.env.get("JOULEMARK_BENCH_HOUR") === "1";
const samples = hour ? 720_000 : 6_000;
const config = Deno.env.get("JOULEMARK_CONFIG") ??
  new URL("../../airgap/deno.json", import.meta.url).pathname;
const cli = new URL("../../src/cli/main.ts", import.meta.url).href;

/** Replays, and tells what the kernel says of the process. */
async function replay(directory: string): Promise<string> {
  const program = `
    import { main } from ${JSON.stringify(cli)};
    const status = await main(["replay", "-q", ${JSON.stringify(directory)}]);
    const hwm = /VmHWM:\\s*(\\d+)/.exec(Deno.readTextFileSync("/proc/self/status"))?.[1];
    console.error("status", status, "most memory", Math.round(Number(hwm) / 1024), "MiB");`;
  const script = `${directory}/replay.ts`;
  Deno.writeTextFileSync(script, program);
  const { stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-lock", "--no-check", "--config", config, script],
    stdout: "null",
  }).output();
  return new TextDecoder().decode(stderr).trim();
}

for (const perCpu of [true, false]) {
  const directory = Deno.makeTempDirSync({ prefix: "joulemark-bench-" });
  generateRecording(directory, { samples, events: Math.round(samples * 2.8), perCpu });
  let told = false;
  Deno.bench({
    name: `replay of ${samples} samples: ${perCpu ? "132" : "4"} columns`,
    group: perCpu ? "counters of every CPU" : "energies only",
    n: hour ? 1 : 5,
    warmup: 0,
    async fn() {
      const said = await replay(directory);
      if (!told) console.log(said);
      told = true;
    },
  });
  addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));
}
