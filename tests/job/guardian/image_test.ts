/** The guardian's stored bytes are those that its source makes, and what carries them is laid out right. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  type Machine,
  makeBlock,
  makeExecutable,
  MODE,
  readCode,
} from "../../../src/job/guardian/image.ts";
import { skippedWithout, unless } from "../../_support/skipped.ts";
import { timed } from "../../_support/time_limit.ts";

const ROOM = new URL("../../../src/job/guardian/", import.meta.url);
const COMPILERS: Record<Machine, string> = { x86_64: "gcc", aarch64: "aarch64-linux-gnu-gcc" };

for (const [machine, compiler] of Object.entries(COMPILERS)) {
  const stored = Deno.readTextFileSync(new URL(`guardian_${machine}.hex`, ROOM));
  const recorded = /^# compiler: (.*)$/m.exec(stored)?.[1];
  const found = firstLine(compiler, "--version");
  Deno.test({
    // Another version of the compiler makes other bytes of the same source.
    ...skippedWithout(
      `guardian_${machine}.hex holds what build.sh makes of guardian.c`,
      unless(found === recorded, `needs ${recorded}, found ${found}`),
    ),
    fn() {
      const { code, stdout, stderr } = new Deno.Command("sh", {
        args: [new URL("build.sh", ROOM).pathname, machine],
      }).outputSync();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      assertEquals(new TextDecoder().decode(stdout), stored);
    },
  });

  timed(`readCode() gives whole words and checks the sum (${machine})`, async () => {
    const code = await readCode(stored);
    assertEquals(code.length % 16, 0);
    const digit = stored.split("\n").find((line) => !line.startsWith("#"))![0];
    const other = digit === "0" ? "1" : "0";
    const broken = stored.replace(new RegExp(`^${digit}`, "m"), other);
    const error = await assertRejects(() => readCode(broken), Error);
    assertStringIncludes(error.message, "its sha256 is");
  });
}

const BLOCK = makeBlock({
  code: new Uint8Array(16).fill(0x90),
  mode: MODE.packed,
  linker: "/ld.so",
  flags: ["run", "-q"],
  variables: ["A=1"],
  withValue: ["--report"],
  codeCache: new TextEncoder().encode("cache"),
  queryCodeCache: new TextEncoder().encode("query"),
  stored: new TextEncoder().encode("stored"),
  script: (storedAt) => new TextEncoder().encode(`script ${storedAt}`),
  entryDelta: -5,
});

timed("makeBlock() lays out what struct config says", () => {
  const view = new DataView(BLOCK.buffer, 16);
  const words = Array.from({ length: 19 }, (_, i) => Number(view.getBigInt64(i * 8, true)));
  const text = (at: number, size: number) =>
    new TextDecoder().decode(BLOCK.subarray(16 + at, 16 + at + size));
  assertEquals(text(0, 8), "jmkguard");
  const [, mode, delta, flags, flagsAt, variables, variablesAt, linkerAt, , from] = words;
  const [scriptAt, scriptLength, cycles, withValue, withValueAt] = words.slice(10);
  const [cacheAt, cacheLength, queryAt, queryLength] = words.slice(15);
  assertEquals([mode, delta, flags, variables, from], [0, -5, 2, 1, 1]);
  assertEquals(text(flagsAt, 7), "run\0-q\0");
  assertEquals(text(variablesAt, 4), "A=1\0");
  assertEquals(text(linkerAt, 7), "/ld.so\0");
  assertEquals([withValue, text(withValueAt, 9)], [1, "--report\0"]);
  assertEquals(text(cacheAt, cacheLength), "cache");
  assertEquals(text(queryAt, queryLength), "query");
  const [, storedAt] = text(scriptAt, scriptLength).split(" ");
  assertEquals(text(Number(storedAt) - 16, 6), "stored");
  // the session file, docs/reference/formats/ring.md
  assertEquals([text(19 * 8, 7), cycles], ["JMSESS\0", 8]);
});

timed("makeExecutable() makes an ELF file that maps the block and begins at it", () => {
  const file = makeExecutable("aarch64", BLOCK);
  const view = new DataView(file.buffer);
  const entry = Number(view.getBigUint64(24, true));
  assertEquals([...file.subarray(entry)], [...BLOCK]);
  assertEquals([view.getUint16(18, true), view.getUint16(56, true), entry % 16], [183, 2, 0]);
  assertEquals(Number(view.getBigUint64(64 + 32, true)), file.length);
});

function firstLine(command: string, ...args: string[]): string | undefined {
  try {
    const { stdout } = new Deno.Command(command, { args }).outputSync();
    return new TextDecoder().decode(stdout).split("\n")[0];
  } catch {
    return undefined; // no such command here
  }
}
