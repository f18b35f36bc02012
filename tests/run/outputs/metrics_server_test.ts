/** Clients of `--metrics` at the end of a run: who has asked gets an answer, nobody holds it up. */
import { assert, assertEquals } from "@std/assert";
import { findCrowding, MetricsServer } from "../../../src/run/outputs/metrics_server.ts";

const ASKING = new TextEncoder().encode("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");

async function withServer(
  text: string,
  body: (server: MetricsServer, connect: () => Promise<Deno.UnixConn>) => Promise<void>,
): Promise<void> {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-metrics-" });
  const path = `${dir}/m.sock`;
  const clients: Deno.UnixConn[] = [];
  try {
    using server = new MetricsServer(path, path, () => text);
    await body(server, async () => {
      const client = await Deno.connect({ transport: "unix", path });
      clients.push(client);
      return client;
    });
  } finally {
    for (const client of clients) client.close();
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test("silent clients do not hold up the end of a run", async () => {
  await withServer("up 1\n", async (server, connect) => {
    for (let i = 0; i < 12; i++) {
      const client = await connect();
      if (i % 3 === 0) await client.write(ASKING.subarray(0, 9));
    }
    let pauses = 0;
    server.finish(1, () => void pauses++);
    assertEquals(pauses, 1);
    assertEquals(server.waitMs, Infinity);
  });
});

Deno.test("a client that takes nothing of its answer does not hold up the end of a run", async () => {
  // More than a socket keeps for a reader.
  await withServer("x".repeat(8 << 20), async (server, connect) => {
    await (await connect()).write(ASKING);
    let pauses = 0;
    server.finish(1, () => void pauses++);
    assertEquals(pauses, 2);
  });
});

Deno.test("who asked before the end of a run gets the whole answer", async () => {
  await withServer("up 0\n", async (server, connect) => {
    const client = await connect();
    await client.write(ASKING);
    let pauses = 0;
    server.finish(1, () => void pauses++);
    assertEquals(pauses, 0);
    const bytes = new Uint8Array(1000);
    const answer = new TextDecoder().decode(bytes.subarray(0, (await client.read(bytes))!));
    assert(answer.endsWith("\r\n\r\nup 0\n"), answer);
  });
});

Deno.test("who sends on while its answer waits wakes nobody", async () => {
  await withServer("x".repeat(8 << 20), async (server, connect) => {
    const client = await connect();
    await client.write(ASKING);
    server.serve(0);
    await client.write(ASKING);
    // The listener alone: what this client sent is read by nobody, and would be there each time.
    assertEquals([server.descriptors.length, server.waitMs < 100], [1, true]);
  });
});

Deno.test("who asks is answered, though others come faster than there are places", async () => {
  await withServer("up 1\n", async (server, connect) => {
    for (let i = 0; i < 16; i++) await connect();
    server.serve(0);
    const client = await connect();
    await client.write(ASKING);
    for (let i = 0; i < 16; i++) await connect();
    server.serve(0);
    const bytes = new Uint8Array(1000);
    const size = await client.read(bytes) ?? 0;
    const answer = new TextDecoder().decode(bytes.subarray(0, size));
    assert(answer.endsWith("\r\n\r\nup 1\n"), answer);
  });
});

Deno.test("findCrowding() takes from the origin that has most clients, the silent ones first", () => {
  const answer = new Uint8Array(1);
  const node = { origin: "10,0,0,7" }, silent = { origin: "here" };
  const others = Array.from({ length: 14 }, () => ({ origin: "here", answer }));
  assertEquals(findCrowding([node, ...others, silent]) === silent, true);
  assertEquals(findCrowding([node, ...others, { ...node }]) === others[0], true);
});

Deno.test("who connects again and again gets a rate", async () => {
  await withServer("up 1\n", async (server, connect) => {
    const connectSome = async (count: number) => {
      for (let i = 0; i < count; i++) (await connect()).closeWrite();
    };
    await connectSome(100);
    server.serve(0);
    // 36 wait: nothing is to be done for a while, and the listener wakes nobody.
    assertEquals([server.descriptors.length, server.waitMs < 100], [0, true]);
    server.serve(0.05);
    assertEquals(server.descriptors.length, 0);
    server.serve(0.25);
    assertEquals(server.descriptors.length, 1);
  });
});
