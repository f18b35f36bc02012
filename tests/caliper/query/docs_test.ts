/** What the page for Caliper's users shows is what the program does. */

import { assertEquals } from "@std/assert";
import { Channel } from "../../../src/caliper/model/services/channel.ts";
import { runQuery } from "./_support/run_query.ts";

const ROOT = new URL("../../../", import.meta.url);
const page = Deno.readTextFileSync(new URL("docs/reference/caliper.md", ROOT));

Deno.test("docs/reference/caliper.md shows the rows of the 2015 stream as they come out", () => {
  const stream = Deno.readTextFileSync(
    new URL("tests/vectors/caliper/slides_2015.cali", ROOT),
  );
  const shown = page.split("slides_2015.cali\n")[1].split("```")[0];
  assertEquals(shown, runQuery("format expand", [stream]).text);
  for (const line of stream.split("\n").slice(0, 8)) assertEquals(page.includes(line), true, line);
});

Deno.test("docs/reference/caliper.md shows how the program of the slides stops today", () => {
  const channel = new Channel({ CALI_SERVICES_ENABLE: "event,trace,recorder" });
  const phase = channel.attribute("phase", "string", "nested");
  const iteration = channel.attribute("iteration", "int");
  channel.begin(phase, "loop");
  for (let i = 0; i < 4; i++) channel.set(iteration, i);
  channel.end(phase);
  assertEquals(page.includes(channel.log.join("\n")), true, channel.log.join("\n"));
});
