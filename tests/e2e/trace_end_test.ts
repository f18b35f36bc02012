/** geopm_report, "trace of the last steps": where the rows end. */
import { assert, assertEquals } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

/** TIME of each row. */
function times(path: string): number[] {
  const lines = Deno.readTextFileSync(path).trimEnd().split("\n")
    .filter((line) => !line.startsWith("#"));
  const column = lines[0].split("|").indexOf("TIME");
  return lines.slice(1).map((line) => Number(line.split("|")[column]));
}

const RECORDING = `format: joulemark-recording/1
host: n1
profile: p
agent: monitor
start: 2024-10-24T08:00:00Z
topology: {packages: 1, cores_per_package: 1, threads_per_core: 1}
signals:
  - {name: CPU_ENERGY, domain: package, unit: joules, aggregation: sum, behavior: monotone, format: double}
`;

endToEnd(
  "trace of the last steps: the step that first sees all processes ended writes a row, only the " +
    "update after the loop does not",
  (dir) => {
    Deno.mkdirSync(`${dir}/rec`);
    Deno.writeTextFileSync(`${dir}/rec/recording.yaml`, RECORDING);
    const events = [
      "time,process,event,region,value,thread",
      "0,7,start,,0,",
      "2.6348,7,shutdown,,,",
    ];
    Deno.writeTextFileSync(`${dir}/rec/events.csv`, events.join("\n") + "\n");
    const rows = ["time,CPU_ENERGY@package-0"];
    for (const time of [0, 1.3, 2.6064, 2.6364, 2.6664]) rows.push(`${time},${100 * time}`);
    Deno.writeTextFileSync(`${dir}/rec/samples.csv`, rows.join("\n") + "\n");
    const out = joulemark(dir, ["replay", "rec", "--report", "r", "--trace", "t"]);
    assertEquals(out.code, 0, out.stderr);
    assertEquals(times(`${dir}/t`), [0, 1.3, 2.6064, 2.6364]);
  },
);

endToEnd("a live run's trace reaches the end of the application, and replays so", (dir) => {
  for (const command of [["sleep", "0.3"], ["sh", "-c", "sleep 0.1; exit 3"]]) {
    const run = ["run", "--simulate", "--report", "r", "--trace", "t", "--record", "rec"];
    joulemark(dir, [...run, "--", ...command]);
    const live = times(`${dir}/t`);
    const events = Deno.readTextFileSync(`${dir}/rec/events.csv`).trimEnd().split("\n");
    const end = Number(events.findLast((line) => /,(shutdown|died),/.test(line))!.split(",")[0]);
    const start = Number(events.find((line) => /,start,/.test(line))!.split(",")[0]);
    assert(live.at(-1)! >= end - start - 1e-9, `${live.at(-1)} < ${end - start}`);
    assertEquals(joulemark(dir, ["replay", "rec", "--report", "r2", "--trace", "t2"]).code, 0);
    assertEquals(times(`${dir}/t2`), live);
    Deno.removeSync(`${dir}/rec`, { recursive: true });
  }
});
