/** Names of C++ and Rust as people write them, and points for tracers in broken files. */
import { assertEquals } from "@std/assert";
import { elfPoints, endsOf } from "../../../src/marks/preload/elf_points.ts";
import { demangled } from "../../../src/profile/demangle.ts";
import { plainName } from "../../../src/marks/preload/plain_name.ts";

/** As c++filt(1) has them, without arguments. */
const NAMES: Record<string, string | undefined> = {
  _ZN4heat6Solver4stepEi: "heat::Solver::step",
  _ZNK4heat6Solver4stepEd: "heat::Solver::step",
  _ZN4heat6SolverC2Ed: "heat::Solver::Solver",
  _ZN4heat6SolverD1Ev: "heat::Solver::~Solver",
  _Z5solvei: "solve",
  _ZL5solvei: "solve",
  _ZN12_GLOBAL__N_16hiddenEi: "(anonymous namespace)::hidden",
  _ZSt9terminatev: "std::terminate",
  _ZN3app5solve17h0123456789abcdefE: "app::solve",
  // Templates, operators and what is cut off keep the file's name.
  _Z3maxIiET_S0_S0_: undefined,
  _ZN3VecIiE4pushEi: undefined,
  _ZplRK1AS1_: undefined,

  _ZN4heat: undefined,
  _ZN99heatE: undefined,
  solve: undefined,
  _Z: undefined,
  _ZN: undefined,
};

Deno.test("plainName() is the qualified name without arguments, of plain scopes alone", () => {
  for (const [name, plain] of Object.entries(NAMES)) {
    assertEquals(plainName(name), plain, name);
    // Profiles show the same names.
    if (plain !== undefined) assertEquals(demangled(name), plain, name);
  }
});

Deno.test("endsOf() knows the words that begin and end something", () => {
  assertEquals(endsOf("gc__start"), {
    stem: "gc",
    ends: ["gc__done", "gc__end", "gc__stop", "gc__finish"],
  });
  assertEquals(endsOf("function__entry")?.ends[0], "function__return");
  assertEquals([endsOf("restart"), endsOf("start"), endsOf("line")], [
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("elfPoints() of a file that is cut or altered anywhere is a list or a reason", async () => {
  const whole = await Deno.readFile("/proc/self/exe").catch(() => new Uint8Array())
    .then((bytes) => bytes.slice(0, 4096));
  for (let cut = 0; cut <= whole.length; cut += 61) {
    const bytes = whole.slice(0, cut);
    for (let at = 0; at < Math.min(64, cut); at += 7) bytes[at + 24 < cut ? at + 24 : 0] ^= 0xff;
    const read = (offset: number, length: number) => bytes.slice(offset, offset + length);
    const found = elfPoints(read);
    assertEquals(Array.isArray(found) || "refused" in found, true);
  }
});
