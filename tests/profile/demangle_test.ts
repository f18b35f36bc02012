/** Names of C++ and Rust as people write them. */
import { assert, assertEquals } from "@std/assert";
import { makeDemangler } from "../../airgap/demangler.ts";
import { demangled } from "../../src/profile/demangle.ts";
import { skippedWithout, succeeds, unless } from "../_support/skipped.ts";
import { withTimeLimit } from "../_support/time_limit.ts";

/** As c++filt(1) has them with -p. Rust's names are without the hashes of crates. */
const NAMES: Readonly<Record<string, string | undefined>> = {
  _Z5solvei: "solve",
  _ZL5solvei: "solve",
  _ZNK4heat6Solver4stepEd: "heat::Solver::step",
  _ZN4heat6SolverD1Ev: "heat::Solver::~Solver",
  _ZN12_GLOBAL__N_16hiddenEi: "(anonymous namespace)::hidden",
  _Z3maxIiET_S0_S0_: "max<int>",
  _ZplRK1AS1_: "operator+",
  _ZN1AclEii: "A::operator()",
  _ZN1AltERKS_: "A::operator<",
  _ZN1AssERKS_: "A::operator<=>",
  _ZN1ArsEi: "A::operator>>",
  _ZNK1AptEv: "A::operator->",
  _ZN1AcvT_IiEEv: "A::operator int<int>",
  _ZN1AnwEm: "A::operator new",
  _ZNSt6vectorIiSaIiEE9push_backERKi: "std::vector<int, std::allocator<int> >::push_back",
  _ZN1VIiLj8EE3addEv: "V<int, 8u>::add",
  _ZN1VIiLm8EE3addEv: "V<int, 8ul>::add",
  _Z5applyIZ4mainEUliE_EdT_i: "apply<main::{lambda(int)#1}>",
  _ZZ4mainENKUlvE_clEv: "main::{lambda()#1}::operator()",
  _ZN3FunIFivEE4callEv: "Fun<int ()>::call",
  _ZZ4mainEN5Local3runEi: "main::Local::run",
  _ZThn16_NSdD0Ev: "non-virtual thunk to std::basic_iostream<char, std::char_traits<char> >::" +
    "~basic_iostream",
  _ZTv0_n24_N1A1fEi: "virtual thunk to A::f",
  _ZN3app5solve17h0123456789abcdefE: "app::solve",
  // Results of these are in forms that the module does not know.
  _ZSt4swapIdENSt9enable_ifIXsrSt6__and_IJSt6__not_ISt15__is_tuple_likeIT_EESt21is_move_constructibleIS4_ESt18is_move_assignableIS4_EEE5valueEvE4typeERS4_SE_:
    "std::swap<double>",
  _RNvCsayYDP3hoOQQ_1u5heavy: "u::heavy",
  _RINvCsayYDP3hoOQQ_1u7genericfEB2_: "u::generic::<f32>",
  _RNvXs_CsayYDP3hoOQQ_1uNtB4_6SquareNtB4_5Shape4area: "<u::Square as u::Shape>::area",
  _ZN4heat: undefined,
  _ZN99heatE: undefined,
  _Z: undefined,
  _R: undefined,
  main: undefined,
  runtime: undefined,
};

Deno.test("demangled() is the name as people write it, without arguments", () => {
  for (const [name, shown] of Object.entries(NAMES)) assertEquals(demangled(name), shown, name);
});

Deno.test("demangled() of names that are truncated or altered anywhere is a text or nothing", () => {
  for (const name of Object.keys(NAMES)) {
    for (let at = 2; at < name.length; at++) {
      demangled(name.slice(0, at));
      demangled(name.slice(0, at) + "I".repeat(200) + name.slice(at + 1));
    }
  }
  assertEquals(demangled(`_Z${"N".repeat(1 << 20)}`), undefined);
});

const LIBRARY = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6";
const NO_FILTER = unless(
  succeeds("c++filt", "--version") && succeeds("stat", LIBRARY),
  "no c++filt",
);

Deno.test({
  ...skippedWithout("demangled() and c++filt agree on the names of libstdc++", NO_FILTER),
  fn: () =>
    withTimeLimit(() => {
      const shell = `nm -D --defined-only ${LIBRARY} | sed -n 's/.* [TW] \\(_Z[^@]*\\).*/\\1/p'`;
      const lines = (command: string) => {
        const { stdout } = new Deno.Command("sh", { args: ["-c", command] }).outputSync();
        return new TextDecoder().decode(stdout).trimEnd().split("\n");
      };
      const symbols = lines(shell), names = lines(`${shell} | c++filt -p`);
      // One has abbreviations, `std::string`, for names whose last part then differs; and tags.
      const isStyle = (name: string) => /basic_(string|[io]+stream)\b|transaction|thunk/.test(name);
      const plain = (name: string) => name.replaceAll("[abi:cxx11]", "");
      const differ = symbols.filter((symbol, i) => {
        return !isStyle(names[i]) && plain(demangled(symbol) ?? symbol) !== plain(names[i]);
      });
      assert(differ.length < 0.005 * symbols.length, differ.slice(0, 20).join("\n"));
    }),
});

Deno.test("the demangler is what deno task demangler makes of its package", async () => {
  const file = await Deno.makeTempFile();
  try {
    await makeDemangler(file);
    const own = new URL("../../src/profile/demangler.txt", import.meta.url);
    assert(Deno.readTextFileSync(own) === Deno.readTextFileSync(file), "deno task demangler");
  } finally {
    Deno.removeSync(file);
  }
});
