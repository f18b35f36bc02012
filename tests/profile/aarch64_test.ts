/** Stacks of aarch64: kept ones with the frames of gdb, some that are made by hand, and tables of the cross compiler. */
import { assert, assertEquals } from "@std/assert";
import { AddressSpace } from "../../src/profile/address_space.ts";
import { addressOf, openElf } from "../../src/profile/elf.ts";
import { FrameTable } from "../../src/profile/frame_rows.ts";
import { AARCH64, REGISTER, SAME, UNDEFINED } from "../../src/profile/machine.ts";
import { memoryReader } from "../../src/profile/modules.ts";
import { LinkageTable } from "../../src/profile/plt.ts";
import { Profile } from "../../src/profile/profile.ts";
import { samplingAttribute } from "../../src/profile/records.ts";
import { type CodeTables, END, Unwinder } from "../../src/profile/unwind.ts";
import {
  ARM_VECTORS,
  compileForArm,
  type EmulatedRun,
  EmulatedWalker,
  expectedAddresses,
  NO_ARM_COMPILER,
  SYSROOT,
  unpackedStack,
} from "../_support/emulated.ts";
import { skippedWithout } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { Random } from "../fuzz/random.ts";
import { comm, mapping, sample, together } from "./_records.ts";

const RUNS: Readonly<Record<string, EmulatedRun>> = JSON.parse(
  Deno.readTextFileSync(`${ARM_VECTORS}/stacks.json`),
);
const FDES_MOST = 2000;
const CASES = Number(Deno.env.get("FUZZ_CASES") ?? 200);
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 20261129);
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
  profile.take([{ records: together(records), cpu: 0, from: 0, to }]);
  const path = profile.trie.path(node).slice(1).map((at) => profile.trie.address(at)).reverse();
  assertEquals(path, expectedAddresses(one));
  assertEquals(profile.facts.ends[END.root], 1);
});

const SP = 0x7ffc0000, CODE = 0x1000, MADE = 0x800000, SIGNATURE = 0x32 * 2 ** 48;
/** x29 and x30 lie at sp; or the function has no frame. */
const FRAMED = rowOf(16, { 29: -16, 30: -8 }), BARE = rowOf(0, {});

function rowOf(size: number, rules: Readonly<Record<number, number>>): number[] {
  const kept = AARCH64.kept.map((register) => rules[register] ?? SAME);
  return [0, 31, size, ...kept, rules[30] ?? REGISTER | 30];
}

/** Walks a stack that is made by hand. */
function walk(
  rows: Readonly<Record<number, readonly number[]>>,
  words: readonly number[],
  registers: Readonly<Record<number, number>>,
  { hasTrampolines = false, ...code }: Partial<CodeTables> & { hasTrampolines?: boolean } = {},
) {
  const all: CodeTables = {
    fde(_, address) {
      // The signal's entry begins one byte early, as the instruction before it has it.
      const at = rows[address + 1] === AARCH64.signal!.row ? address + 1 : address;
      const start = at - at % 0x100, row = rows[start];
      if (row === undefined) return undefined;
      const isSignal = row === AARCH64.signal!.row;
      const more = { isSignal, expressions: isSignal ? AARCH64.signal!.expressions : [] };
      return Object.assign(more, { start, end: start + 0x100, rows: Int32Array.from(row) });
    },
    callBefore: () => 1,
    hasFrame: () => undefined,
    entryRow: () => undefined,
    isSameFunction: (_, a, b) => Math.floor(a / 0x100) === Math.floor(b / 0x100),
    isOutermost: () => false,
    leavesStack: () => false,
  };
  const unwinder = new Unwinder(AARCH64, Object.assign(all, code)), space = new AddressSpace(1);
  space.hasTrampolines = hasTrampolines;
  space.add({ start: CODE, end: 0x100000, module: 0, bias: 0, isMade: false });
  space.add({ start: MADE, end: MADE + 0x1000, module: 1, bias: 0, isMade: true });
  const bytes = new BigUint64Array(words.map(BigInt)).buffer, values = new Float64Array(33);
  values[31] = SP;
  for (const [number, value] of Object.entries(registers)) values[Number(number)] = value;
  const record = { words: new Uint32Array(bytes), view: new DataView(bytes) };
  const depth = unwinder.walk(space, values, record, 0, bytes.byteLength);
  const guessed = [...unwinder.isGuessed.subarray(0, depth)].indexOf(1);
  return [[...unwinder.addresses.subarray(0, depth)], unwinder.end, guessed];
}

const LAST = rowOf(0, { 30: UNDEFINED });

Deno.test("the link register has the return address of the innermost function only", () => {
  const rows = { 0x1000: BARE, 0x2000: BARE, 0x3000: LAST };
  const link = { 30: 0x3010 + SIGNATURE, 32: 0x1004 };
  assertEquals(walk(rows, [0, 0], link), [[0x1004, 0x300f], END.root, -1]);
  // A caller that has not saved it cannot be left.
  assertEquals(walk(rows, [0, 0], { 30: 0x2010, 32: 0x1004 }), [[0x1004, 0x200f], END.bad, -1]);
  const isOutermost: CodeTables["isOutermost"] = (_, address) => address >= 0x2000;
  const ended = walk(rows, [0, 0], { 30: 0x2010, 32: 0x1004 }, { isOutermost });
  assertEquals(ended, [[0x1004, 0x200f], END.root, -1]);
});

Deno.test("a function without a frame that a signal interrupted has its caller in the saved link register", () => {
  const rows = { 0x1000: BARE, 0x2000: AARCH64.signal!.row, 0x3000: BARE, 0x4000: LAST };
  // x0 to x30, sp and pc are 312 bytes above the begin of the signal's frame.
  const words = new Array(39 + 33).fill(0);
  words[39 + 30] = 0x4010 + SIGNATURE;
  words[39 + 31] = SP + 8 * words.length;
  words[39 + 32] = 0x3008;
  const found = walk(rows, words, { 30: 0x2000, 32: 0x1004 });
  assertEquals(found, [[0x1004, 0x2000, 0x3008, 0x400f], END.root, -1]);
});

Deno.test("a frame whose entry has the return address above it reaches behind that", () => {
  // glibc's _dl_runtime_resolve: x16 and x30 were pushed before.
  const rows = { 0x1000: rowOf(0, { 30: 8 }), 0x2000: FRAMED, 0x3000: LAST };
  const words = [7, 0x2010, SP + 32, 0x3010, 0, 0];
  assertEquals(walk(rows, words, { 29: SP + 16, 32: 0x1004 }), [
    [0x1004, 0x200f, 0x300f],
    END.root,
    -1,
  ]);
});

Deno.test("signed return addresses on the stack are plain ones", () => {
  const rows = { 0x1000: FRAMED, 0x2000: FRAMED, 0x3000: LAST };
  const words = [SP + 16, 0x2010 + SIGNATURE, 0, 0x3010 + 2 ** 48];
  assertEquals(walk(rows, words, { 29: SP, 32: 0x1008 }), [[0x1008, 0x200f, 0x300f], END.root, -1]);
});

Deno.test("without a table and a frame the link register is used, unless it is of a call in the function", () => {
  const rows = { 0x2000: LAST }, hasFrame = () => false;
  const first = walk(rows, [0, 0], { 30: 0x2010, 32: 0x1004 }, { hasFrame });
  assertEquals(first, [[0x1004, 0x200f], END.root, -1]);
  // Searched on the stack: a guess.
  const later = walk(rows, [5, 0x2010], { 30: 0x1010, 32: 0x1014 }, { hasFrame });
  assertEquals(later, [[0x1014, 0x200f], END.root, 1]);
  // It is not known whether there is a frame.
  const unknown = walk(rows, [5, 7], { 30: 0x2010, 32: 0x1004 });
  assertEquals(unknown, [[0x1004, 0x200f], END.root, 1]);
});

Deno.test("frame records lead through code that a process made, and trampolines have one", () => {
  const rows = { 0x2000: rowOf(32, { 29: -32, 30: -24 }), 0x3000: LAST };
  // The caller of made code has its frame directly above the record.
  const words = [SP + 16, 0x2010, 0, 0x3010, 0, 0];
  const made = walk(rows, words, { 29: SP, 32: MADE + 4 });
  assertEquals(made, [[MADE + 4, 0x200f, 0x300f], END.root, -1]);
  // x29 is of another function: the trampoline's own record lies at sp.
  const bare = { 0x1000: rowOf(16, { 30: -16 }), 0x2000: rows[0x2000], 0x3000: LAST };
  const stack = [MADE + 8, 0, SP + 32, 0x2010, 0, 0x3010, 0, 0];
  const python = walk(bare, stack, { 29: 1, 32: 0x1004 }, { hasTrampolines: true });
  assertEquals(python, [[0x1004, MADE + 7, 0x200f, 0x300f], END.root, -1]);
});

Deno.test("code of aarch64 is mapped at multiples of any page", () => {
  const text = { type: 1, flags: 5, offset: 0x1f2f8, address: 0x2f2f8, size: 0x1000 };
  const head = { type: 1, flags: 4, offset: 0, address: 0, size: 0x1f2f8 };
  const file = { machine: AARCH64, segments: [head, text] };
  for (const page of [0x1000, 0x4000, 0x10000]) {
    const offset = text.offset - text.offset % page;
    assertEquals(addressOf(file, offset), text.address - text.address % page);
  }
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

Deno.test("damaged programs of aarch64 give a result or nothing, and end", async () => {
  await withTimeLimit(() => {
    const whole = vector("/restored");
    for (let number = 0; number < CASES; number++) {
      const random = new Random(SEED, number), damaged = whole.slice();
      for (let n = 1 + random.below(12); n > 0; n--) {
        damaged[random.below(damaged.length)] = random.below(256);
      }
      const cut = random.once(4) ? damaged.slice(0, random.below(whole.length)) : damaged;
      const walker = new EmulatedWalker(RUNS.restored.maps, () => cut), { modules } = walker;
      for (const one of samplesOf("restored").slice(0, 2)) walker.walk(one);
      for (let at = 0x400000; at < 0x401000; at += 37) {
        modules.fde(0, at);
        modules.linkageEntry(0, at);
        modules.callBefore(0, at, at + 5);
        modules.hasFrame(0, at);
      }
    }
  });
});

function output(program: string, ...args: string[]): string {
  return new TextDecoder().decode(new Deno.Command(program, { args }).outputSync().stdout);
}

/** A test with programs of the cross compiler. */
function onPrograms(
  name: string,
  body: (compile: (name: string, flags: readonly string[]) => string) => void,
): void {
  Deno.test({
    ...skippedWithout(name, NO_ARM_COMPILER),
    async fn() {
      const dir = Deno.makeTempDirSync();
      const compile = (name: string, flags: readonly string[]) =>
        compileForArm("vectors/aarch64/libc.c", `${dir}/${name}`, flags);
      try {
        await withTimeLimit(() => body(compile), 60);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

onPrograms(
  "entries of aarch64's linkage tables have the names that objdump gives",
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

onPrograms("rows of aarch64's C library are those of readelf", () => {
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
