/** Stacks of aarch64 against gdb: those that were kept, and where the tools are there fresh ones under an emulator. */
import { assert, assertEquals } from "@std/assert";
import { openElf } from "../../src/profile/elf.ts";
import { FrameTable } from "../../src/profile/frame_rows.ts";
import { AARCH64, SAME, UNDEFINED } from "../../src/profile/machine.ts";
import { memoryReader } from "../../src/profile/modules.ts";
import { LinkageTable } from "../../src/profile/plt.ts";
import { Profile } from "../../src/profile/profile.ts";
import { samplingAttribute } from "../../src/profile/records.ts";
import { END } from "../../src/profile/unwind.ts";
import {
  ARM_COMPILER,
  ARM_VECTORS,
  type EmulatedRun,
  EmulatedWalker,
  expectedAddresses,
  NO_ARM_COMPILER,
  NO_ARM_DEBUGGER,
  NO_EMULATOR,
  stacksOf,
  SYSROOT,
  unpackedStack,
} from "../_support/emulated.ts";
import { skippedWithout } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { comm, mapping, sample, together } from "./_records.ts";

const RUNS: Readonly<Record<string, EmulatedRun>> = JSON.parse(
  Deno.readTextFileSync(`${ARM_VECTORS}/stacks.json`),
);
const FDES_MOST = 2000;
const vector = (path: string) => Deno.readFileSync(`${ARM_VECTORS}${path}`);

function samplesOf(name: string) {
  return RUNS[name].samples.map((one) => {
    return Object.assign({}, one, { stack: unpackedStack(one.stack) });
  });
}

function hasSignal(name: string): boolean {
  return RUNS[name].samples.some(({ frames }) => frames.some(([, , isSignal]) => isSignal));
}

for (const name of Object.keys(RUNS)) {
  Deno.test(`stacks of aarch64 are those of gdb: ${name}`, () => {
    const walker = new EmulatedWalker(RUNS[name].maps, vector);
    assert(hasSignal(name));
    for (const one of samplesOf(name)) {
      const { addresses, end, guessed } = walker.walk(one);
      assertEquals(addresses, expectedAddresses(one));
      assertEquals([end, guessed], [END.root, 0]);
      // Names by the symbols of the file, as gdb has them.
      const names = addresses.map((at) => walker.modules.symbols(0)?.find(at)?.name ?? "");
      assertEquals(names, one.frames.map(([, name]) => name));
    }
  });
}

Deno.test("without tables stacks of aarch64 are walked by the link register and frame records", () => {
  const hidden = ["leaf", "many", "sized", "recurse", "interrupted", "work", "program"];
  // Inside a function, the frame record is complete; a function at its begin has the return address in x30.
  for (
    const [name, stops] of [["frames", ["leaf", "many", "sized"]], ["plain", ["leaf"]]] as const
  ) {
    const walker = new EmulatedWalker(RUNS[name].maps, vector, hidden);
    let checked = 0;
    for (const one of samplesOf(name)) {
      if (!stops.some((stop) => stop === one.frames[0][1])) continue;
      const { addresses, end, guessed } = walker.walk(one);
      assertEquals([addresses, end, guessed], [expectedAddresses(one), END.root, 0]);
      checked++;
    }
    assert(checked >= 4, name);
  }
});

Deno.test("a record of aarch64 has 33 registers, in the order of their numbers", () => {
  const attribute = samplingAttribute({
    periodNs: 5e6,
    stackBytes: 4096,
    withKernel: false,
    withBuildIds: false,
    offCpu: false,
    event: "cpu-clock",
  }, AARCH64);
  const mask = new DataView(attribute.buffer).getBigUint64(80, true);
  assertEquals([mask, AARCH64.sampled.length], [0x1ffffffffn, 33]);
  const { modules } = new EmulatedWalker(RUNS.plain.maps, vector);
  const profile = new Profile(modules, {
    periodNs: 5e6,
    withKernel: false,
    offCpu: false,
    event: "cpu-clock",
  });
  const [one] = samplesOf("plain"), from = { process: 7, timeNs: 1 };
  const registers = Object.fromEntries(one.registers.map((text, i) => [i, parseInt(text, 16)]));
  const stack = [...new BigUint64Array(Uint8Array.fromHex(one.stack).buffer)].map(Number);
  const records = [
    comm("app", from),
    mapping("/plain", 0x400000, 0x1000, from),
    sample(registers, stack, { process: 7, timeNs: 2 }, AARCH64),
  ];
  const to = records.reduce((sum, { length }) => sum + length, 0);
  let node = 0;
  profile.onSample = (seen) => node = seen.node;
  profile.take(together(records), [{ cpu: 0, from: 0, to }]);
  const path = profile.trie.path(node).slice(1).map((at) => profile.trie.address(at)).reverse();
  assertEquals(path, expectedAddresses(one));
  assertEquals(profile.facts.ends[END.root], 1);
});

Deno.test("calls, frames and returns of aarch64 are known by their instructions", () => {
  const code = (...words: number[]) => new Uint8Array(Uint32Array.from(words).buffer);
  const { callTarget, isIndirectCall, setsFrame, isReturn } = AARCH64;
  assertEquals(callTarget(code(0x94000002), 0x1004), 0x1008); // bl .+8
  assertEquals(callTarget(code(0x97fffff5), 0x400194), 0x400164); // bl .-44
  assertEquals(callTarget(code(0x17fffff5), 0x1004), undefined); // b
  // blr x3; blraa x8, x9; blraaz x8; br x3; ret
  const calls = [0xd63f0060, 0xd73f0909, 0xd63f091f, 0xd61f0060, 0xd65f03c0];
  assertEquals(calls.map((word) => isIndirectCall(code(word))), [true, true, true, false, false]);
  // mov x29, sp; add x29, sp, #0x10; mov x0, sp
  const sets = [0x910003fd, 0x910043fd, 0x910003e0];
  assertEquals(sets.map((word) => setsFrame(code(word), 0)), [true, true, false]);
  const returns = [0xd65f03c0, 0xd65f0bff, 0xd65f0fff, 0xd503201f];
  assertEquals(returns.map((word) => isReturn(code(word))), [true, true, true, false]);
});

function output(program: string, ...args: string[]): string {
  return new TextDecoder().decode(new Deno.Command(program, { args }).outputSync().stdout);
}

/** A test with programs of the cross compiler. */
function onPrograms(
  name: string,
  missing: readonly (string | undefined)[],
  body: (compile: (name: string, flags: readonly string[]) => string) => void | Promise<void>,
): void {
  Deno.test({
    ...skippedWithout(name, NO_ARM_COMPILER, ...missing),
    async fn() {
      const dir = Deno.makeTempDirSync();
      try {
        await withTimeLimit(() =>
          body((name, flags) => {
            const out = `${dir}/${name}`;
            const args = ["-g0", `${ARM_VECTORS}/libc.c`, "-o", out, "-pthread", ...flags];
            const made = new Deno.Command(ARM_COMPILER, { args }).outputSync();
            assert(made.success, new TextDecoder().decode(made.stderr));
            return out;
          }), 150);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

onPrograms(
  "stacks of aarch64 programs with the C library are those of gdb",
  [NO_EMULATOR, NO_ARM_DEBUGGER],
  async (compile) => {
    const files = new Map<string, Uint8Array>();
    const open = (path: string) => files.getOrInsertComputed(path, Deno.readFileSync);
    for (
      const [name, flags] of [
        ["plain", ["-O2"]],
        ["static", ["-O2", "-static"]],
        ["frames", ["-O1", "-fno-omit-frame-pointer"]],
        ["signed", ["-O2", "-mbranch-protection=standard"]],
      ] as const
    ) {
      const stops = "sort,order,deep,body,handler,order,puts", steps = 25;
      const run = await stacksOf(compile(name, flags), { cpu: "cortex-a57", stops, steps });
      const walker = new EmulatedWalker(run.maps, open);
      assertEquals(run.samples.length, 7 * steps);
      for (const one of run.samples) {
        const { addresses, end } = walker.walk(one);
        assertEquals([addresses, end], [expectedAddresses(one), END.root], name);
      }
    }
  },
);

onPrograms(
  "entries of aarch64's linkage tables have the names that objdump gives",
  [],
  (compile) => {
    const ways = [
      ["lazy", []],
      ["now", ["-Wl,-z,now"]],
      ["checked", ["-mbranch-protection=standard", "-Wl,-z,force-bti"]],
      ["signed", ["-Wl,-z,pac-plt"]],
    ] as const;
    for (const [name, flags] of ways) {
      const path = compile(name, ["-O2", ...flags]);
      const read = memoryReader(Deno.readFileSync(path)), file = openElf(read, AARCH64);
      assert(!("refused" in file));
      const table = new LinkageTable(file, read);
      const entries = output("aarch64-linux-gnu-objdump", "-d", path)
        .matchAll(/^0*([0-9a-f]+) <(\w+@plt)>:$/gm);
      const wanted = [...entries].map(([, at, name]) => [parseInt(at, 16), name] as const);
      assert(wanted.some(([, name]) => name === "puts@plt"), name);
      for (const [at, name] of wanted) {
        for (const inside of [0, 4, 12]) assertEquals(table.find(at + inside), { name, start: at });
      }
      const { address } = file.sections.find(({ name }) => name === ".plt")!;
      assertEquals(table.find(address + 16), { name: ".plt", start: address });
    }
    const path = compile("static", ["-O2", "-static"]);
    const read = memoryReader(Deno.readFileSync(path)), file = openElf(read, AARCH64);
    assert(!("refused" in file));
    const { address } = file.sections.find(({ name }) => name === ".plt")!;
    const found = new LinkageTable(file, read).find(address + 20);
    assertEquals([found?.start, found?.name.startsWith("*ABS*+0x")], [address + 16, true]);
  },
);

onPrograms("rows of aarch64's C library are those of readelf", [], () => {
  const path = `${SYSROOT}/lib/libc.so.6`;
  const read = memoryReader(Deno.readFileSync(path)), file = openElf(read, AARCH64);
  assert(!("refused" in file));
  const table = new FrameTable(file, read), size = AARCH64.firstRow.length;
  const text = output("aarch64-linux-gnu-readelf", "--debug-dump=frames-interp", path);
  // vfork(2) has its return address in another register.
  const others = new Set(
    [...text.matchAll(/^([0-9a-f]+) .* CIE .* ra=(?!30$)\d+$/gm)].map(([, at]) => at),
  );
  let checked = 0;
  for (const part of text.split(/\n\n/).slice(0, FDES_MOST)) {
    const head = / FDE cie=(\w+) pc=([0-9a-f]+)\.\.([0-9a-f]+)/.exec(part);
    const titles = /\n +LOC +CFA +(.*)/.exec(part)?.[1].trim().split(/\s+/);
    if (head === null || titles === undefined || others.has(head[1])) continue;
    const start = parseInt(head[2], 16), fde = table.find(start);
    assertEquals([fde?.start, fde?.end], [start, parseInt(head[3], 16)]);
    for (const line of part.matchAll(/^([0-9a-f]{16}) (sp|x29)\+(\d+) +(.*)$/gm)) {
      const at = parseInt(line[1], 16) - start, rules = line[4].trim().split(/\s+/);
      let row = 0;
      for (let i = 0; i < fde!.rows.length && fde!.rows[i] <= at; i += size) row = i;
      const [, register, offset, ...kept] = fde!.rows.subarray(row, row + size);
      assertEquals([register === 31 ? "sp" : "x29", offset], [line[2], Number(line[3])]);
      titles.forEach((title, i) => {
        const number = title === "ra" ? 30 : Number(title.slice(1));
        const place = AARCH64.kept.indexOf(number);
        if (!/^(x\d+|ra)$/.test(title) || place < 0) return;
        const rule = kept[place];
        assertEquals(rule === SAME || rule === UNDEFINED ? "u" : `c${rule}`, rules[i]);
      });
      checked++;
    }
  }
  assert(checked > FDES_MOST, `${checked} rows`);
});
