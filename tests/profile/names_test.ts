/** Names of functions as people write them, and of code that processes made. */
import { assert, assertEquals } from "@std/assert";
import { JitMap, kernelLines, KernelMap } from "../../src/profile/jit_map.ts";
import { kernelAddress } from "../../src/profile/records.ts";
import { shownName } from "../../src/profile/names.ts";
import { busyModules } from "../../src/profile/function_data.ts";
import { functionTable } from "../../src/profile/function_table.ts";
import { ROOT, StackTrie } from "../../src/profile/stack_trie.ts";

const NAMES: Readonly<Record<string, string>> = {
  main: "main",
  "memcpy@@GLIBC_2.14": "memcpy",
  "memcpy@plt": "memcpy@plt",
  "_ZNSt6vectorIiSaIiEE9push_backERKi@plt": "std::vector<int, std::allocator<int> >::push_back@plt",
  _ZN4heat6Solver5heavyEl: "heat::Solver::heavy",
  "_ZN4heat6Solver5heavyEl.cold": "heat::Solver::heavy.cold",
  _ZN4heat5LightIdE5lightEl: "heat::Light<double>::light",
  "_ZN4heat5LightIdE5lightEl.constprop.0": "heat::Light<double>::light.constprop.0",
  __heat_MOD_heavy: "heat::heavy",
  "__heat_MOD_heavy.constprop.0": "heat::heavy.constprop.0",
  "__heat_MOD_heavy._omp_fn.0": "heat::heavy._omp_fn.0",
  heat_mp_heavy_: "heat::heavy",
  "_QMheatPheavy..omp_par": "heat::heavy..omp_par",
  _QMheatPheavy: "heat::heavy",
  "_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE":
    "std::rt::lang_start::{{closure}}",
};

Deno.test("shownName() writes names of C++, Rust and Fortran as people do", () => {
  for (const [symbol, name] of Object.entries(NAMES)) assertEquals(shownName(symbol), name);
});

Deno.test("JitMap takes the last name of an address, and nothing else", () => {
  const map = JitMap.of("1000 10 old\nbroken\n2000 20 py::f:/a.py\n1000 10 new name\nzz 1 x\n");
  assertEquals(map.find(0x100f)?.name, "new name");
  assertEquals(map.find(0x1010), undefined);
  assertEquals(map.find(0x2008), { name: "py::f:/a.py", start: 0x2000 });
});

Deno.test("KernelMap finds code of an older kernel on aarch64, and no marks of code", () => {
  const map = new KernelMap(
    [
      "ffff000010080000 T _text",
      "ffff000010081000 t do_idle",
      "ffff000010081010 t $x",
      "ffff800010082000 T schedule",
    ].join("\n") + "\n",
  );
  const find = (address: bigint) => map.find(Number(address - (0xffff8000n << 32n)))?.name;
  assertEquals(
    [0xffff000010081004n, 0xffff000010081014n, 0xffff800010082004n].map(find),
    ["do_idle", "do_idle", "schedule"],
  );
  assertEquals(
    kernelAddress(Number(0xffff000010081004n - (0xffff8000n << 32n))),
    0xffff000010081004n,
  );
});

Deno.test("KernelMap finds functions, and none where the kernel hides them", () => {
  const base = 0xffffffff81000000n - (0xffff8000n << 32n);
  const line = (offset: number, kind: string, name: string) => {
    return `${(0xffffffff81000000n + BigInt(offset)).toString(16)} ${kind} ${name}\n`;
  };
  const core = Array.from({ length: 500 }, (_, i) => line(0x100 * (i + 1), "t", `f${i}`)).join("");
  const text = line(0, "T", "_stext") + core + line(0x20000, "D", "data") +
    line(0x40000200, "t", "late\t[two]") + line(0x40000000, "t", "early\t[one]");
  const map = new KernelMap(text), find = (offset: number) => map.find(Number(base) + offset)?.name;
  assertEquals([find(0x20), find(0x100), find(0x1ff), find(0x110 + 0x100 * 321)], [
    ...["_stext", "f0", "f0", "f321"],
  ]);
  // Data has no code: an address in it is of the function before.
  assertEquals([find(0x20010), find(0x40000080), find(0x40000210)], ["f499", "early", "late"]);
  assertEquals([map.find(0), new KernelMap("").find(Number(base))], [undefined, undefined]);
  const hidden = new KernelMap("0000000000000000 T _stext\n0000000000000000 t f\n");
  assertEquals(hidden.find(Number(base)), undefined);
});

Deno.test("kernelLines() takes the lines that name addresses, however the text is cut", () => {
  const line = (address: bigint, name: string) => `${address.toString(16)} t ${name}\n`;
  const from = 0xffffffff81000000n, none = "0000000000000000 A fixed_percpu_data\n";
  const core = Array.from({ length: 3000 }, (_, i) => line(from + 64n * BigInt(i), `f${i}`));
  const text = none + core.join("") + line(0xffffffffc0000200n, "late\t[two]") +
    line(0xffffffffc0000000n, "early\t[one]");
  const wanted = [0n, 63n, 64n * 700n, 64n * 701n + 8n, 64n * 2999n + 1n, 0x3f000210n];
  const addresses = wanted.map((offset) => Number(from + offset - (0xffff8000n << 32n)));
  const whole = new KernelMap(text);
  for (const bytes of [100, 997, 4000, text.length]) {
    const pieces = Array.from(
      { length: Math.ceil(text.length / bytes) },
      (_, i) => text.slice(i * bytes, (i + 1) * bytes),
    );
    const part = kernelLines(pieces, addresses), map = new KernelMap(part);
    assertEquals(addresses.map((at) => map.find(at)), addresses.map((at) => whole.find(at)));
    if (bytes < 4000) assert(part.length < text.length / 5, `${part.length} of ${text.length}`);
  }
  assertEquals(addresses.map((at) => whole.find(at)?.name), [
    ...["f0", "f0", "f700", "f701", "f2999", "late"],
  ]);
  assertEquals(kernelLines([], addresses), "");
});

Deno.test("busyModules() counts a module's own code, not what it calls", () => {
  const trie = new StackTrie();
  const keyOf = (module: number) => 2 * module;
  const main = trie.child(ROOT, keyOf(0), 0x10), start = trie.child(ROOT, keyOf(1), 0x20);
  const inner = trie.child(start, keyOf(0), 0x30), rare = trie.child(main, keyOf(2) + 1, 0x40);
  const costs = [[main, 500], [inner, 493], [rare, 7]].map(([node, ns]) => {
    return { node, ns, samples: 1, briefNs: 0 };
  });
  assertEquals(busyModules(trie, costs, 0.01), new Set([0]));
  assertEquals(busyModules(trie, costs, 0.001), new Set([0, 2]));
});

Deno.test("functionTable() counts a function once for each stack, and parts as their function", () => {
  const frame = (name: string) => ({ name, suffix: "", module: 0, address: 0, start: 0 });
  const stack = (names: string[], ns: number, samples: number, briefNs = 0) => {
    return { frames: names.map(frame), ns, samples, briefNs, node: names.length };
  };
  const leaves = { of: (node: number) => node };
  const rows = functionTable([
    stack(["app", "main", "f", "f"], 30, 3),
    stack(["app", "main", "f.cold"], 10, 1),
    stack(["app", "main"], 60, 6),
  ], leaves);
  assertEquals(rows.map(({ name, selfNs, totalNs, samples }) => [name, selfNs, totalNs, samples]), [
    ["main", 60, 100, 6],
    ["f", 40, 40, 4],
  ]);
  assertEquals(rows.map(({ leafS }) => [...leafS]), [
    [[4, 3e-8], [3, 1e-8], [2, 6e-8]],
    [[4, 3e-8], [3, 1e-8]],
  ]);
  // All of a function in brief threads may be another one's.
  const [g] = functionTable([stack(["app", "g"], 60, 60, 60), stack(["app", "h"], 40, 40)], leaves);
  assertEquals([g.name, Math.round(g.seNs)], ["g", 35]);
});
