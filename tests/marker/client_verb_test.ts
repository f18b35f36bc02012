/** `joulemark client`, and the workload that marks by the same ring: src/cli/client.ts. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { client } from "../../src/cli/client.ts";
import { joulemarkHeader } from "../../src/client/header.ts";
import { UnknownNameError, UsageError } from "../../src/core/errors.ts";
import { run } from "./_c_program.ts";
import { RingSession } from "./_ring_session.ts";

Deno.test("client c writes the whole header and nothing beside it", () => {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-client-" });
  try {
    assertEquals(client.run(["c", "--dir", dir, "-q"]), 0);
    Deno.writeTextFileSync(`${dir}/joulemark.h`, "old");
    assertEquals(client.run(["c", "--dir", `${dir}/`, "--quiet"]), 0);
    assertEquals(Deno.readTextFileSync(`${dir}/joulemark.h`), joulemarkHeader());
    assertEquals([...Deno.readDirSync(dir)].map((e) => e.name), ["joulemark.h"]);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("client refuses what it does not know, before it writes", () => {
  assertThrows(() => client.run([]), UsageError, "one language: c");
  assertThrows(() => client.run(["c", "c"]), UsageError);
  assertThrows(() => client.run(["cobol"]), UnknownNameError);
  assertThrows(() => client.run(["toString"]), UnknownNameError);
  assertThrows(() => client.run(["c", "--dir"]), UsageError);
});

Deno.test("client --help ends in three examples under 80 columns", () => {
  const lines = client.help.trimEnd().split("\n");
  assertEquals(lines.at(-4), "Examples:");
  assert(lines.every((line) => line.length < 80));
});

Deno.test("demoWorkload() marks five epochs in two processes", async () => {
  using session = new RingSession();
  const main = new URL("../../main.ts", import.meta.url).pathname;
  const config = Deno.env.get("JOULEMARK_CONFIG") ?? "airgap/deno.json";
  const permissions = ["--allow-ffi", "--allow-read", "--allow-env"];
  const ran = await run(
    [Deno.execPath(), "run", "-q", "--config", config, ...permissions, main, "demo-workload"],
    session,
  );
  assertEquals([ran.code, ran.stderr], [0, ""]);
  assertEquals(session.files.length, 2);
  for (const name of session.files) {
    using seen = session.open(name);
    seen.poll();
    assertEquals(seen.visits(), { assemble: 5, stream: 5, exchange: 5, checkpoint: 2 });
    assertEquals(seen.events.filter((e) => e.kind === "epoch").length, 5);
    assert(!Number.isNaN(seen.ring.stopNs(0n)));
    assertEquals(seen.ring.names.slice(1).map((n) => n.hint), [2, 3, 4, 5]);
  }
});
