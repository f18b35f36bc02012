/** `joulemark client`, and the workload that marks by the same ring: src/cli/client.ts. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { client } from "../../../src/cli/client.ts";
import { runVerb } from "../../../src/cli/command_line/run_verb.ts";
import { joulemarkHeader } from "../../../src/marks/client/header.ts";
import { UnknownNameError, UsageError } from "../../../src/core/errors.ts";
import { run } from "./_c_program.ts";
import { RingSession } from "./_ring_session.ts";

Deno.test("client c writes the whole header and nothing beside it", async () => {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-client-" });
  try {
    assertEquals(await runVerb(client, ["c", "--dir", dir, "-q"]), 0);
    Deno.writeTextFileSync(`${dir}/joulemark.h`, "old");
    assertEquals(await runVerb(client, ["c", "--dir", `${dir}/`, "--quiet"]), 0);
    assertEquals(Deno.readTextFileSync(`${dir}/joulemark.h`), joulemarkHeader());
    assertEquals([...Deno.readDirSync(dir)].map((e) => e.name), ["joulemark.h"]);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test("client refuses what it does not know, before it writes", async () => {
  await assertRejects(() => runVerb(client, []), UsageError, "one language: c");
  await assertRejects(() => runVerb(client, ["c", "c"]), UsageError);
  await assertRejects(() => runVerb(client, ["cobol"]), UnknownNameError);
  await assertRejects(() => runVerb(client, ["toString"]), UnknownNameError);
  await assertRejects(() => runVerb(client, ["c", "--dir"]), UsageError);
});

Deno.test("demoWorkload() marks five epochs in two processes", async () => {
  using session = new RingSession();
  const main = new URL("../../../main.ts", import.meta.url).pathname;
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
    const { elements, scatter, ...outer } = seen.visits();
    assertEquals([elements, scatter], [5, 5]);
    assertEquals(outer, { assemble: 5, stream: 5, exchange: 5, checkpoint: 2 });
    assertEquals(seen.events.filter((e) => e.kind === "epoch").length, 5);
    assert(!Number.isNaN(seen.ring.stopNs()));
    assertEquals(seen.ring.names.slice(1).map((n) => n.hint), [2, 2, 3, 3, 4, 5]);
  }
});
