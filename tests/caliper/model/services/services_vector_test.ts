/** Services over scripts record what Caliper itself recorded of them. */
import { assertEquals } from "@std/assert";
import type { Channel } from "../../../../src/caliper/model/services/channel.ts";
import { expandText } from "../../query/_support/run_query.ts";
import { Scripted } from "../_scripted.ts";

const VECTORS = new URL("../../../vectors/caliper/services/services.json", import.meta.url);

interface Scenario {
  name: string;
  config: Record<string, string>;
  ops: string[];
  records_expand: string[];
}

const { scenarios } = JSON.parse(Deno.readTextFileSync(VECTORS)) as { scenarios: Scenario[] };

function iteration(channel: Channel, loop: string) {
  return channel.attribute(`iteration#${loop}`, "int", "asvalue", { "class.iteration": true });
}

/** The double of a script, set as text, so that its sign is kept. */
function setDouble(channel: Channel, name: string, properties: string, text: string): void {
  channel.set(channel.attribute(name, "double", properties), text);
}

const OPERATIONS: Record<string, (one: Scripted, name: string, value: string) => void> = {
  begin: ({ channel }, name) => channel.beginRegion(name),
  end: ({ channel }, name) => channel.endRegion(name),
  loop: ({ channel }, name) => channel.begin("loop", name),
  endloop: ({ channel }) => channel.end("loop"),
  iter: ({ channel }, name, value) => channel.begin(iteration(channel, name), Number(value)),
  enditer: ({ channel }, name) => channel.end(iteration(channel, name)),
  wait: (one, ms) => void (one.ns += Number(ms) * 1e6),
  double: ({ channel }, name, value) => setDouble(channel, name, "asvalue:skip_events", value),
  metric: ({ channel }, name, value) => {
    setDouble(channel, name, "asvalue:skip_events:aggregatable", value);
  },
  whole: ({ channel }, name, value) => {
    channel.set(channel.attribute(name, "int", "asvalue:skip_events:aggregatable"), Number(value));
  },
  snapshot: ({ channel }) => channel.snapshot(),
};

/** Entries of a record in a fixed order, which carries no meaning; without who recorded it. */
function entriesOf(expanded: string): string[] {
  return expanded.replace(/(iter\.duration\.ns=)\d+/g, "$1T").split(",")
    .filter((entry) => !entry.startsWith("cali.caliper.version=")).sort();
}

for (const { name, config, ops, records_expand } of scenarios) {
  Deno.test(`a channel records as Caliper does: ${name}`, () => {
    const one = new Scripted("", config);
    for (const line of ops) {
      const [op, word = "", value = ""] = line.split(" ");
      OPERATIONS[op](one, word, value);
    }
    const records = expandText(one.channel.flush()).trimEnd().split("\n");
    assertEquals(records.map(entriesOf), records_expand.map(entriesOf));
  });
}

Deno.test("there are vectors of each service that a script can reach", () => {
  const services = scenarios.flatMap(({ config }) => config.CALI_SERVICES_ENABLE.split(","));
  for (const name of ["loop_monitor", "loop_statistics", "aggregate", "event"]) {
    assertEquals(services.includes(name), true, name);
  }
});
