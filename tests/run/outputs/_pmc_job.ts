/** The job of tests/vectors/pmc/, as three recordings. */
import { RecordingOnDisk } from "../session/_application.ts";

const INPUT = JSON.parse(
  Deno.readTextFileSync(new URL("../../vectors/pmc/run-a.input.json", import.meta.url)),
);

interface State {
  power_W: number;
  energy_J: number;
  cpu_power_W: number;
  cpu_energy_J: number;
  memory_power_W: number;
  memory_energy_J: number;
  cpu0_temp_C: number;
  cpu1_temp_C: number;
}

const SIGNALS: readonly [string, string, string, keyof State][] = [
  ["CNL::BOARD_POWER", "board", "W", "power_W"],
  ["CNL::BOARD_ENERGY", "board", "J", "energy_J"],
  ["CNL::BOARD_POWER_CPU", "board", "W", "cpu_power_W"],
  ["CNL::BOARD_ENERGY_CPU", "board", "J", "cpu_energy_J"],
  ["CNL::MEMORY_POWER", "board", "W", "memory_power_W"],
  ["CNL::MEMORY_ENERGY", "board", "J", "memory_energy_J"],
];

/** Labels of the records that the library's own logs were made with. */
export function labels(version: string): string[] {
  return [1, 2, 3, 4, 5].map((i) => {
    if (version === "2.0") return `${10 * i} 1 0 0`;
    const flags = Number(version) >= 4.3 && i === 3 ? "1 1" : "0 0";
    return `${i} ${i % 2 + 1} ${flags}`;
  });
}

/**
 * @param moreJ What all energies of the first node have more, of the second three times, and so on.
 * @param events The calls instead of the library's: events of the first process at second k.
 */
export function pmcJob(
  version: string,
  events?: (k: number) => string[],
  moreJ = 0n,
): RecordingOnDisk[] {
  const nodes: { hostname: string; states: State[] }[] = INPUT.nodes;
  return nodes.map(({ hostname, states }, node) => {
    const value = (state: State, key: keyof State) =>
      key.endsWith("_J") ? BigInt(state[key]) + moreJ * BigInt(2 * node + 1) : state[key];
    const yaml = `format: joulemark-recording/1
host: ${hostname}
profile: run-a
agent: monitor
start: "2024-10-24T08:00:00.000000000+0000"
topology: {packages: 2, cores_per_package: 2, threads_per_core: 1}
signals:
${
      SIGNALS.map(([name, domain, unit]) =>
        `- {name: "${name}", domain: ${domain}, unit: ${unit}, aggregation: sum, behavior: ${
          unit === "J" ? "monotone" : "variable"
        }}`
      ).join("\n")
    }
- {name: "CNL::CPU_TEMPERATURE", domain: package, unit: C, aggregation: average, behavior: variable}
`;
    const header = SIGNALS.map(([name]) => `${name}@board-0`).join(",");
    const rows = states.map((state, k) =>
      [k, ...SIGNALS.map(([, , , key]) => value(state, key)), state.cpu0_temp_C, state.cpu1_temp_C]
        .join()
    );
    const calls = labels(version);
    const library = (k: number) => {
      if (k === 0) return [`pm_open,,${version},`];
      return k === states.length - 1 ? ["pm_close,,,"] : [`pm_record,,${calls[k - 1]},`];
    };
    const lines = states.flatMap((_, k) =>
      (events ?? library)(k).flatMap((event) =>
        events === undefined ? [`${k},501,${event}`, `${k},502,${event}`] : [`${k},501,${event}`]
      )
    );
    return new RecordingOnDisk({
      "recording.yaml": yaml,
      "samples.csv":
        `time,${header},CNL::CPU_TEMPERATURE@package-0,CNL::CPU_TEMPERATURE@package-1\n` +
        rows.join("\n") + "\n",
      "events.csv": "time,process,event,region,value,thread\n" +
        "0,501,start,,0,\n0,502,start,,1,\n" + lines.join("\n") +
        "\n6,501,shutdown,,,\n6,502,shutdown,,,\n",
    });
  });
}
