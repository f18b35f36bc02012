/** Lines and inlined functions against addr2line(1), and damaged debug information. */
import { assert, assertEquals } from "@std/assert";
import { DebugInfo } from "../../src/profile/dwarf.ts";
import { openElf, SymbolTable } from "../../src/profile/elf.ts";
import { memoryReader } from "../../src/profile/modules.ts";
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

/** Addresses inside of the program's own functions. */
function addressesOf(bytes: Uint8Array): number[] {
  const read = memoryReader(bytes), file = openElf(read);
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
  const read = memoryReader(bytes), file = openElf(read);
  assert(!("refused" in file));
  const info = new DebugInfo(file, read), addresses = addressesOf(bytes);
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

Deno.test({
  ...skippedWithout("damaged debug information gives a result or nothing, and ends", NO_TOOLS),
  async fn() {
    const { dir, bytes } = built("cc", ["-g"], "inlined.c");
    Deno.removeSync(dir, { recursive: true });
    const read = memoryReader(bytes), file = openElf(read);
    assert(!("refused" in file));
    const parts = file.sections.filter(({ name, size }) => name.startsWith(".debug_") && size > 0);
    await withTimeLimit(() => {
      for (let number = 0; number < CASES; number++) {
        const random = new Random(SEED, number), damaged = bytes.slice();
        for (let n = 1 + random.below(8); n > 0; n--) {
          const { offset, size } = random.pick(parts);
          damaged[offset + random.below(size)] = random.below(256);
        }
        const info = new DebugInfo(file, memoryReader(damaged));
        for (let at = 0x1000; at < 0x1400; at += 13) info.frames(at);
      }
    }, 60);
  },
});
