/** Programs of this machine's compiler against nm(1) and readelf(1), and damaged ones. */
import { assert, assertEquals } from "@std/assert";
import { debugLinkOf } from "../../src/profile/debug_link.ts";
import { addressOf, elfFunctions, openElf, SymbolTable } from "../../src/profile/elf.ts";
import { FrameTable } from "../../src/profile/frame_rows.ts";
import { LinkageTable } from "../../src/profile/plt.ts";
import { memoryReader, Modules } from "../../src/profile/modules.ts";
import { LIBC_PATHS } from "../../src/os/bind.ts";
import { cpuSeconds } from "../../src/os/clock.ts";
import { OWN_MACHINE, SAME, UNDEFINED, X86_64 } from "../../src/profile/machine.ts";
import { compile, NO_COMPILER } from "../_support/compiled.ts";
import { skippedWithout, succeeds, unless } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { Random } from "../fuzz/random.ts";

const NO_READELF = unless(succeeds("readelf", "--version"), "no readelf");
const FDES_MOST = 2000;
const CASES = Number(Deno.env.get("FUZZ_CASES") ?? 400);
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 20260314);

function output(program: string, ...args: string[]): string {
  return new TextDecoder().decode(new Deno.Command(program, { args }).outputSync().stdout);
}

/** A program for tests, and its bytes. */
function onProgram(
  name: string,
  body: (path: string, bytes: Uint8Array) => void,
  flags = ["-O2"],
): void {
  Deno.test({
    ...skippedWithout(name, NO_COMPILER, NO_READELF),
    async fn() {
      const dir = Deno.makeTempDirSync();
      try {
        compile("e2e/programs/functions/shares.c", `${dir}/app`, flags);
        await withTimeLimit(() => body(`${dir}/app`, Deno.readFileSync(`${dir}/app`)), 60);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

onProgram("SymbolTable has the functions of nm at their addresses", (path, bytes) => {
  const read = memoryReader(bytes), file = openElf(read, OWN_MACHINE);
  assert(!("refused" in file));
  const table = new SymbolTable(file, read);
  for (const name of ["main", "work", "heavy", "light", "_start"]) {
    const at = parseInt(
      new RegExp(`^([0-9a-f]+) T ${name}$`, "m").exec(output("nm", path))![1],
      16,
    );
    assertEquals([table.find(at)?.name, table.find(at + 3)?.name], [name, name]);
  }
  assertEquals(table.find(0), undefined);
  assertEquals(output("readelf", "-n", path).includes(file.buildId), true);
});

onProgram("in a stripped file a name without a size reaches not far", (path) => {
  const code = `${path}.s`, library = `${path}.so`;
  Deno.writeTextFileSync(code, ".globl named\nnamed: ret\n.skip 8192, 0x90\nret\n");
  for (const [flag, far] of [["-g", "named"], ["-s", undefined]] as const) {
    assert(succeeds("cc", "-shared", "-nostdlib", flag, "-o", library, code));
    const read = memoryReader(Deno.readFileSync(library)), file = openElf(read, OWN_MACHINE);
    assert(!("refused" in file));
    const table = new SymbolTable(file, read);
    const at = parseInt(
      / ([0-9a-f]+) .* named$/m.exec(output("readelf", "-W", "--dyn-syms", library))![1],
      16,
    );
    assertEquals([table.find(at)?.name, table.find(at + 5000)?.name], ["named", far]);
  }
});

onProgram("of several names of a function the plain one counts", () => {
  const path = LIBC_PATHS.find((path) => succeeds("test", "-f", path))!;
  const read = memoryReader(Deno.readFileSync(path)), file = openElf(read, OWN_MACHINE);
  assert(!("refused" in file));
  const functions = elfFunctions(read), table = new SymbolTable(file, read);
  assert(!("refused" in functions));
  for (const wanted of ["malloc", "free"]) {
    const { offset } = functions.find(({ name }) => name.replace(/@.*/, "") === wanted)!;
    const name = table.find(addressOf(file, offset)!)?.name ?? "";
    assertEquals(name.replace(/@.*/, "").startsWith("_"), false, name);
  }
});

for (const [name, flags] of [["lazy", []], ["now", ["-Wl,-z,now", "-fcf-protection"]]] as const) {
  onProgram(
    `entries of linkage tables have the names that objdump gives: ${name}`,
    (path, bytes) => {
      const read = memoryReader(bytes), file = openElf(read, OWN_MACHINE);
      assert(!("refused" in file));
      const table = new LinkageTable(file, read);
      const entries = output("objdump", "-d", path).matchAll(/^0*([0-9a-f]+) <(\w+@plt)>:$/gm);
      const wanted = [...entries].map(([, at, name]) => [parseInt(at, 16), name] as const);
      assert(wanted.some(([, name]) => name === "puts@plt"), "puts");
      for (const [at, name] of wanted) {
        assertEquals(table.find(at + 4), { name, start: at });
      }
      // Nothing else has an entry, and no symbol reaches into the table.
      const symbols = new SymbolTable(file, read), [[at]] = wanted;
      assertEquals([table.find(0), symbols.find(at)], [undefined, undefined]);
    },
    ["-O2", ...flags],
  );
}

onProgram("rows of call frame information of libc are those of readelf", () => {
  const path = LIBC_PATHS.find((path) => succeeds("test", "-f", path))!;
  const read = memoryReader(Deno.readFileSync(path)), file = openElf(read, OWN_MACHINE);
  assert(!("refused" in file));
  const table = new FrameTable(file, read);
  const text = output("readelf", "--debug-dump=frames-interp", path);
  let checked = 0;
  for (const part of text.split(/\n\n/).slice(0, FDES_MOST)) {
    const head = / FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)/.exec(part);
    const titles = /\n +LOC +CFA +(.*)/.exec(part)?.[1].trim().split(/\s+/);
    if (head === null || titles === undefined) continue;
    const start = parseInt(head[1], 16), fde = table.find(start);
    assertEquals([fde?.start, fde?.end], [start, parseInt(head[2], 16)]);
    for (const line of part.matchAll(/^([0-9a-f]{16}) (rsp|rbp)\+(\d+) +(.*)$/gm)) {
      const at = parseInt(line[1], 16) - start, rules = line[4].trim().split(/\s+/);
      let row = 0;
      for (let i = 0; i < fde!.rows.length && fde!.rows[i] <= at; i += X86_64.firstRow.length) {
        row = i;
      }
      const [, register, offset, rbx, rbp] = fde!.rows.subarray(row);
      assertEquals([register === 7 ? "rsp" : "rbp", offset], [line[2], Number(line[3])]);
      const told = (rule: number) => {
        return rule === SAME ? "u" : rule === UNDEFINED ? "u" : `c${rule}`;
      };
      titles.forEach((title, i) => {
        if (title === "rbx") assertEquals(told(rbx), rules[i]);
        if (title === "rbp") assertEquals(told(rbp), rules[i]);
      });
      checked++;
    }
  }
  assert(checked > FDES_MOST, `${checked} rows`);
});

onProgram("a table without its header is scanned", (path, bytes) => {
  output("objcopy", "--remove-section=.eh_frame_hdr", path);
  const read = memoryReader(bytes), file = openElf(read, OWN_MACHINE);
  assert(!("refused" in file));
  const bare = Object.assign({}, file, { segments: file.segments.filter(({ type }) => type < 8) });
  const whole = new FrameTable(file, read), scanned = new FrameTable(bare, read);
  for (let at = 0x1000; at < 0x1300; at += 7) {
    assertEquals(scanned.find(at), whole.find(at));
  }
});

onProgram("damaged programs give a result or nothing, and end", (_, bytes) => {
  for (let number = 0; number < CASES; number++) {
    const random = new Random(SEED, number), damaged = bytes.slice();
    // The heads and tables are where damage matters.
    const parts = [[0, 1024], [0x2000, 0x2400], [bytes.length - 4096, bytes.length]];
    for (let n = 1 + random.below(12); n > 0; n--) {
      const [from, to] = random.pick(parts);
      damaged[from + random.below(to - from)] = random.below(256);
    }
    const cut = random.once(4) ? damaged.slice(0, random.below(bytes.length)) : damaged;
    const read = memoryReader(cut);
    elfFunctions(read);
    const file = openElf(read, OWN_MACHINE);
    if ("refused" in file) continue;
    const symbols = new SymbolTable(file, read), frames = new FrameTable(file, read);
    const linkage = new LinkageTable(file, read);
    debugLinkOf(file, read);
    const modules = new Modules(OWN_MACHINE, () => ({ read, inode: 0, close: () => {} }));
    const module = modules.ofFile({ path: "/a", offset: 0, buildId: "", inode: 0 }, 1);
    for (let at = 0; at < 0x4000; at += 37) {
      symbols.find(at);
      frames.find(at);
      addressOf(file, at);
      linkage.find(at);
      modules.callBefore(module, at, at + 5);
      modules.hasFrame(module, at);
      modules.entryRow(module, at);
    }
  }
});

Deno.test("a million symbols are read in ten seconds of CPU time", async () => {
  await withTimeLimit(() => {
    const count = 1e6,
      symbols = new Uint8Array(24 * (count + 1)),
      view = new DataView(symbols.buffer);
    for (let i = 1; i <= count; i++) {
      view.setUint32(24 * i, 1, true);
      symbols[24 * i + 4] = 0x12;
      view.setUint16(24 * i + 6, 1, true);
      view.setUint32(24 * i + 8, 0x1000 + (i * 7919 % count) * 16, true);
      view.setUint32(24 * i + 16, 16, true);
    }
    const names = new TextEncoder().encode("\0f\0");
    const section = (kind: number, offset: number, size: number) => {
      return { name: "", kind, flags: 0, link: 2, address: 0, offset, size, entrySize: 0 };
    };
    const sections = [
      section(0, 0, 0),
      section(2, 0, symbols.length),
      section(3, 1e9, names.length),
    ];
    const read = (offset: number, length: number) => {
      return offset === 1e9 ? names : symbols.subarray(offset, offset + length);
    };
    // CPU time: on a busy machine the clock tells of others.
    const beforeS = cpuSeconds();
    const table = new SymbolTable({ machine: X86_64, segments: [], sections, buildId: "" }, read);
    assertEquals([table.count, table.find(0x1008)?.start], [count, 0x1000]);
    const tookS = cpuSeconds() - beforeS;
    console.log(`${tookS.toFixed(2)} CPU s`);
    assert(tookS < 10, `${tookS} s`);
  });
});
