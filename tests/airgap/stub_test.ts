/** The stub's stored bytes are those that its source makes, and the checksum beside them holds. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { makeBlock, readStub } from "../../airgap/pack/block.ts";

const PACK = new URL("../../airgap/pack/", import.meta.url);
const stored = await Deno.readTextFile(new URL("stub.hex", PACK));
const compiler = await firstLine("cc", "--version");
const recorded = /^# compiler: (.*)$/m.exec(stored)?.[1];

Deno.test({
  // Another version of the compiler makes other bytes of the same source.
  name: compiler === recorded
    ? "stub.hex holds what build_stub.sh makes of stub.c"
    : `stub.hex holds what build_stub.sh makes of stub.c (needs ${recorded}, found ${compiler})`,
  ignore: compiler !== recorded,
  async fn() {
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: [new URL("build_stub.sh", PACK).pathname],
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertEquals(new TextDecoder().decode(stdout), stored);
  },
});

Deno.test("readStub() gives whole words and rejects bytes that are not those of the checksum", async () => {
  const stub = await readStub(stored);
  assertEquals(stub.length % 16, 0);
  const error = await assertRejects(() => readStub(stored.replace(/^4/m, "5")), Error);
  assertStringIncludes(error.message, "expected sha256");
});

Deno.test("makeBlock() lays out what struct config says", () => {
  const stub = new Uint8Array(16).fill(0x90);
  const block = makeBlock({
    stub,
    flags: ["run", "-q"],
    variables: ["A=1"],
    script: new TextEncoder().encode("script"),
    entryDelta: 5,
    environDelta: 7,
  });
  const view = new DataView(block.buffer, 16);
  const words = Array.from({ length: 9 }, (_, i) => Number(view.getBigUint64(i * 8, true)));
  const text = (at: number, size: number) =>
    new TextDecoder().decode(block.subarray(16 + at, 16 + at + size));
  assertEquals(new TextDecoder().decode(block.subarray(16, 24)), "jmkpack1");
  assertEquals(words.slice(1), [5, 7, 2, 72, 1, 79, 96, 6]);
  assertEquals(text(words[4], 7), "run\0-q\0");
  assertEquals(text(words[6], 4), "A=1\0");
  assertEquals(text(words[7], 6), "script");
});

async function firstLine(command: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await new Deno.Command(command, { args }).output();
    return new TextDecoder().decode(stdout).split("\n")[0];
  } catch {
    return undefined; // no such command here
  }
}
