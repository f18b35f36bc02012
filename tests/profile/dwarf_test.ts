/** Lines and inlined functions against addr2line(1), and damaged debug information. */
import { deflateSync, zstdCompressSync } from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { DebugInfo } from "../../src/profile/dwarf.ts";
import { openElf, type Section, SymbolTable } from "../../src/profile/elf.ts";
import { memoryReader } from "../../src/profile/modules.ts";
import { PackedSections } from "../../src/profile/packed_sections.ts";
import { OWN_MACHINE } from "../../src/profile/machine.ts";
import { skippedWithout, succeeds, unless } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";
import { Random } from "../fuzz/random.ts";

const CASES = Number(Deno.env.get("FUZZ_CASES") ?? 400);
const SEED = Number(Deno.env.get("FUZZ_SEED") ?? 20260314);
const SOURCES = new URL("../e2e/programs/functions/", import.meta.url).pathname;
const NO_TOOLS = unless(
  succeeds("addr2line", "--version") && succeeds("cc", "--version"),
  "no addr2line",
);

function built(
  compiler: string,
  flags: string[],
  source: string,
): { dir: string; path: string; bytes: Uint8Array } {
  // Fortran leaves a file of the module beside it.
  const dir = Deno.makeTempDirSync(), path = `${dir}/program`;
  const args = ["-O2", ...flags, "-o", path, SOURCES + source];
  const made = new Deno.Command(compiler, { args, cwd: dir }).outputSync();
  assert(made.success, new TextDecoder().decode(made.stderr));
  return { dir, path, bytes: Deno.readFileSync(path) };
}

/** Sections of a file, none of them compressed. */
function sectionsOf(bytes: Uint8Array): PackedSections {
  const read = memoryReader(bytes), file = openElf(read, OWN_MACHINE);
  assert(!("refused" in file));
  return new PackedSections(file, read);
}

function infoOf(bytes: Uint8Array): DebugInfo {
  const { file, read } = sectionsOf(bytes);
  return new DebugInfo(file, read);
}

/** Addresses inside of the program's own functions. */
function addressesOf(bytes: Uint8Array): number[] {
  const read = memoryReader(bytes), file = openElf(read, OWN_MACHINE);
  assert(!("refused" in file));
  const symbols = new SymbolTable(file, read);
  const text = file.sections.find(({ name }) => name === ".text")!;
  const found: number[] = [];
  for (let at = text.address; at < text.address + text.size; at++) {
    const name = symbols.find(at)?.name ?? "_";
    if (!/^(_start|_dl|deregister|register|frame_dummy|__do)|^_$/.test(name)) found.push(at);
  }
  return found;
}

const KINDS: [compiler: string, flags: string[], source: string][] = [
  ["cc", ["-gdwarf-2"], "inlined.c"],
  ["cc", ["-gdwarf-4"], "inlined.c"],
  ["cc", ["-gdwarf-5"], "inlined.c"],
  ["cc", ["-g", "-gz=zlib"], "inlined.c"],
  ["c++", ["-gdwarf-5"], "shares.cpp"],
  ["clang", ["-gdwarf-4"], "inlined.c"],
  ["clang", ["-gdwarf-5"], "inlined.c"],
  ["gfortran", ["-g"], "shares.f90"],
];

for (const [compiler, flags, source] of KINDS) {
  const missing = unless(succeeds(compiler, "--version"), `no ${compiler}`);
  Deno.test({
    ...skippedWithout(
      `lines of ${source} by ${compiler} ${flags} are addr2line's`,
      NO_TOOLS,
      missing,
    ),
    async fn() {
      const { dir, path, bytes } = built(compiler, flags, source);
      try {
        const isWhole = compiler !== "clang" || flags[0] !== "-gdwarf-5";
        await withTimeLimit(() => compare(path, bytes, source, isWhole), 60);
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    },
  });
}

/** @param isWhole addr2line also tells inlined functions; it does not of clang's DWARF 5. */
function compare(path: string, bytes: Uint8Array, source: string, isWhole: boolean): void {
  const info = infoOf(bytes), addresses = addressesOf(bytes);
  assert(addresses.length > 100);
  const args = ["-f", "-i", "-a", "-e", path, ...addresses.map((at) => at.toString(16))];
  const text = new TextDecoder().decode(
    new Deno.Command("addr2line", { args }).outputSync().stdout,
  );
  const theirs = text.split(/^0x[0-9a-f]+\n/m).slice(1);
  let compared = 0;
  addresses.forEach((at, i) => {
    const lines = theirs[i].trimEnd().split("\n");
    if (lines[0] === "??") return;
    // addr2line gives a name to code that is no function's.
    const frames = info.frames(at);
    if (frames.length === 0) return;
    const shown = frames.map(({ file, line }) => `${file.split("/").at(-1)}:${line}`);
    const expected = lines.filter((_, k) => k % 2 === 1)
      .map((place) => place.replace(/ \(discriminator.*/, "").split("/").at(-1)!);
    // A line that is not known is `?` there.
    const places = expected.map((place) => place.replace("?", "0"));
    assertEquals(isWhole ? shown : shown.slice(0, 1), places, at.toString(16));
    const names = lines.filter((_, k) => k % 2 === 0);
    if (source.endsWith(".c")) assertEquals(frames.at(-1)!.name, names.at(-1), at.toString(16));
    compared++;
  });
  assert(compared > 100, `${compared} of ${addresses.length}`);
}

/** Type of compression, and how it is done. */
const METHODS = { zlib: [1, deflateSync], zstd: [2, zstdCompressSync] } as const;

/** Compresses all debug sections of a file: their bytes then come after it. */
function packed(
  bytes: Uint8Array,
  method: keyof typeof METHODS,
  change: (header: DataView, content: Uint8Array) => void = () => {},
): Uint8Array<ArrayBuffer> {
  const read = memoryReader(bytes), file = openElf(read, OWN_MACHINE);
  assert(!("refused" in file));
  const parts = [bytes.slice()], head = new DataView(parts[0].buffer);
  const [type, compress] = METHODS[method], tableAt = Number(head.getBigUint64(40, true));
  let end = bytes.length;
  file.sections.forEach(({ name, offset, size }, i) => {
    if (!name.startsWith(".debug_")) return;
    const content = new Uint8Array(compress(bytes.subarray(offset, offset + size)));
    const header = new DataView(new ArrayBuffer(24)), at = tableAt + 64 * i;
    header.setUint32(0, type, true);
    header.setBigUint64(8, BigInt(size), true);
    header.setBigUint64(16, 1n, true);
    change(header, content);
    parts.push(new Uint8Array(header.buffer), content);
    head.setBigUint64(at + 8, 0x800n, true);
    head.setBigUint64(at + 24, BigInt(end), true);
    head.setBigUint64(at + 32, BigInt(24 + content.length), true);
    end += 24 + content.length;
  });
  const all = new Uint8Array(end);
  parts.reduce((at, part) => {
    all.set(part, at);
    return at + part.length;
  }, 0);
  return all;
}

/** Functions and lines at some addresses. */
function framesOf(info: DebugInfo): unknown[] {
  return Array.from({ length: 80 }, (_, i) => info.frames(0x1000 + 13 * i));
}

Deno.test({
  ...skippedWithout("compressed debug sections have the same functions and lines", NO_TOOLS),
  fn() {
    const { dir, bytes } = built("cc", ["-g"], "inlined.c");
    Deno.removeSync(dir, { recursive: true });
    const expected = framesOf(infoOf(bytes));
    assert(expected.flat().length > 20);
    for (const method of ["zlib", "zstd"] as const) {
      assertEquals(framesOf(infoOf(packed(bytes, method))), expected, method);
    }
    // addr2line cannot read these.
    if (!succeeds("sh", "-c", "echo 'int main;' | cc -gz=zlib-gnu -xc -c -o /dev/null -")) return;
    const older = built("cc", ["-g", "-gz=zlib-gnu"], "inlined.c");
    Deno.removeSync(older.dir, { recursive: true });
    assertEquals(framesOf(infoOf(older.bytes)), expected);
  },
});

Deno.test({
  ...skippedWithout("functions and lines are the same without .debug_aranges", NO_TOOLS),
  fn() {
    for (const source of ["inlined.c", "shares.cpp"]) {
      const { dir, bytes } = built(source.endsWith("c") ? "cc" : "c++", ["-g"], source);
      Deno.removeSync(dir, { recursive: true });
      const { file, read } = sectionsOf(bytes), addresses = addressesOf(bytes);
      const framesAt = (info: DebugInfo) => addresses.map((at) => info.frames(at));
      const without = file.sections.filter(({ name }) => name !== ".debug_aranges");
      assertEquals(without.length, file.sections.length - 1);
      const rest = new DebugInfo(Object.assign({}, file, { sections: without }), read);
      const expected = framesAt(rest);
      assert(expected.flat().length > 100);
      assertEquals(framesAt(new DebugInfo(file, read)), expected);
    }
  },
});

Deno.test({
  ...skippedWithout("one reason says why a debug section cannot be read", NO_TOOLS),
  fn() {
    const { dir, bytes } = built("cc", ["-g"], "inlined.c");
    Deno.removeSync(dir, { recursive: true });
    const reasonOf = (
      change: Parameters<typeof packed>[2],
      method: keyof typeof METHODS = "zlib",
    ) => {
      const sections = sectionsOf(packed(bytes, method, change));
      const beganMs = performance.now();
      assertEquals(framesOf(new DebugInfo(sections.file, sections.read)).flat(), []);
      assert(performance.now() - beganMs < 2000);
      return sections.refused.replace(/^\.debug_\w+ /, "");
    };
    const claims = (size: bigint) => (header: DataView) => header.setBigUint64(8, size, true);
    assertEquals(reasonOf(claims(10n ** 10n)), "is too large (1.00e+4 MB)");
    assertEquals(reasonOf(claims(1n << 63n)).slice(0, 12), "is too large");
    for (const method of ["zlib", "zstd"] as const) {
      // More than there is, and less: what the bytes are worth is not made.
      for (const size of [200_000_000n, 5n, 0n]) {
        const found = reasonOf(claims(size), method);
        assertEquals(found, size === 0n ? "" : "is damaged");
      }
      assertEquals(reasonOf((_, content) => content.fill(0xff), method), "is damaged");
    }
    const unknown = (header: DataView) => header.setUint32(0, 77, true);
    assertEquals(reasonOf(unknown), "has the unknown compression 77");
  },
});

Deno.test({
  ...skippedWithout("damaged debug information gives a result or nothing, and ends", NO_TOOLS),
  async fn() {
    const { dir, bytes } = built("cc", ["-g"], "inlined.c");
    Deno.removeSync(dir, { recursive: true });
    for (const whole of [bytes, packed(bytes, "zlib"), packed(bytes, "zstd")]) {
      const file = openElf(memoryReader(whole), OWN_MACHINE);
      assert(!("refused" in file));
      const isPart = ({ name, size }: Section) => name.startsWith(".debug_") && size > 0;
      const parts = file.sections.filter(isPart);
      await withTimeLimit(() => {
        for (let number = 0; number < CASES; number++) {
          const random = new Random(SEED, number), damaged = whole.slice();
          for (let n = 1 + random.below(8); n > 0; n--) {
            const { offset, size } = random.pick(parts);
            // The header of a compressed section is as likely as all the rest of it.
            const length = random.below(2) === 0 ? Math.min(24, size) : size;
            damaged[offset + random.below(length)] = random.below(256);
          }
          framesOf(infoOf(damaged));
        }
      });
    }
  },
});
