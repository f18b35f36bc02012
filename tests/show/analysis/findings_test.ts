import { assert, assertEquals, assertMatch } from "@std/assert";
import { FINDING_RULES, findings } from "../../../src/show/analysis/findings.ts";
import type { SummaryFacts } from "../../../src/show/analysis/summary_facts.ts";
import { type FunctionFacts, shortFunction } from "../../../src/show/analysis/summary_functions.ts";
import { energyOf, factsOf, region, totalJ } from "./_summary_facts.ts";

const codes = (own: Partial<SummaryFacts>) => findings(factsOf(own)).map(({ code }) => code);
const first = (own: Partial<SummaryFacts>) => findings(factsOf(own))[0];

const hosts = (watts: readonly number[]) =>
  watts.map((meanW, i) => ({ name: `n${i}`, timeS: 10, energyJ: 10 * meanW, meanW }));

Deno.test("a run without a finding names its hottest region, and says that all is precise", () => {
  const [hot, precise] = findings(factsOf());
  assertEquals([hot.code, hot.stakeJ], ["hottest", 0]);
  assertEquals(hot.text, "solve itself uses most energy (70 %), output 20 %.");
  assertEquals([precise.code, precise.next], ["all-precise", "Nothing to do."]);
});

Deno.test("a region whose own energy has no estimate has what the regions inside it leave", () => {
  const regions = [
    region("step", 700, NaN),
    region("solve", 150, NaN, { depth: 1, parent: 0, path: "step/solve" }),
    region("output", 200, NaN),
  ];
  assertEquals(first({ regions }).text, "step itself uses most energy (55 %), output 20 %.");
});

Deno.test("MPI calls above 5 % of the energy name the process that the others wait for", () => {
  const spread = {
    region: "solve",
    processes: 4,
    meanS: 2,
    deviationS: 1,
    leastS: 1,
    mostS: 3,
    least: "rank 0",
    most: "rank 3",
    buckets: new Map<number, number>(),
  };
  const regions = [
    region("solve", 600, 5),
    region("MPI_Sendrecv", 200, 3),
    // Nested calls count once; setting up is no waiting.
    region("MPI_Wait", 50, 3, { depth: 1, parent: 1 }),
    region("MPI_Init", 100, 3),
  ];
  const finding = first({ regions, processes: 4, spreads: [spread] });
  assertEquals([finding.code, finding.stakeJ], ["waiting-in-mpi", 160]);
  assertEquals(finding.text, "MPI_Sendrecv uses 20 % of the energy.");
  assertEquals(
    finding.next,
    "Balance solve: rank 3 takes 1.50 times the mean " +
      "(would save at most 160 J).",
  );
  assertEquals(first({ regions, processes: 4 }).next.includes("messages"), true);
  // One process alone is in a region that is short beside the waits: they are not for it.
  const alone = { ...spread, region: "unpack", meanS: 0.1, leastS: 0.01, mostS: 0.19 };
  assertMatch(first({ regions, processes: 4, spreads: [alone] }).next, /^Look at the messages/);
  // Setup calls are not in the share of several calls.
  const several = [...regions, region("MPI_Bcast", 150, 3)];
  assertEquals(
    first({ regions: several, processes: 4 }).text,
    "MPI calls use 35 % of the energy, most in MPI_Sendrecv.",
  );
  // Who is longest in a region that only waits is the fastest one.
  const around = [
    region("solve", 600, 5),
    region("reduce", 200, 3),
    region("MPI_Reduce", 200, 3, { depth: 1, parent: 1 }),
  ];
  const waits = { ...spread, region: "reduce", leastS: 0.5, mostS: 3.5, most: "rank 0" };
  const both = first({ regions: around, processes: 4, spreads: [waits, spread] });
  assertMatch(both.next, /^Balance solve: rank 3 /);
  assert(
    !codes({ regions, processes: 1 }).includes("waiting-in-mpi"),
    "one process waits for none",
  );
  const few = [region("solve", 900, 5), region("MPI_Wait", 40, 1)];
  assert(!codes({ regions: few, processes: 4 }).includes("waiting-in-mpi"), "below 5 %");
});

Deno.test("an idle GPU is at stake with its own energy", () => {
  const row = (gpuBusy: number) => {
    const one = region("data", 300, 3, { gpuBusy, runtimeS: 2 });
    return [{ ...one, energies: new Map([...one.energies, ["gpu" as const, energyOf(80, 1)]]) }];
  };
  const finding = first({ regions: row(0.05), gpus: 2 });
  assertEquals([finding.code, finding.stakeJ], ["idle-gpu", 80]);
  assertEquals(finding.text, 'In "data" 2 GPUs idle for 2.00 s at 20.0 W each.');
  assertMatch(finding.next, /would save at most 80.0 J/);
  assertEquals(first({ regions: row(0.5), gpus: 2 }).code, "hottest");
});

Deno.test("a host stands out by more than 4 robust deviations and 3 %", () => {
  const finding = first({ hosts: hosts([100, 100, 101, 99, 100, 140]), hostCount: 6 });
  assertEquals(finding.code, "hosts-apart");
  assertEquals(finding.text, "n5 draws 140 W, the median host 100 W.");
  assertEquals(Math.round(finding.stakeJ), 400);
  assertEquals(first({ hosts: hosts([100, 100, 100, 100, 102]), hostCount: 5 }).code, "hottest");
});

Deno.test("limits and idle CPUs are found from their thresholds on", () => {
  assertEquals(first({ throttled: 0.03 }).code, "power-limit");
  assertEquals(first({ throttled: 0.02 }).code, "hottest");
  const idle = first({ busy: 0.5 });
  assertEquals([idle.code, idle.stakeJ], ["low-utilization", 500]);
  assertEquals(first({ busy: 0.6 }).code, "hottest");
});

Deno.test("tiny regions are those too short to annotate, or too short for the counter", () => {
  const of = (p50S: number, seJ: number) => {
    const one = region("tiny", 300, seJ);
    return [{ ...one, visits: { ...one.visits, p50S } }];
  };
  assertEquals(first({ regions: of(1e-7, 1) }).code, "tiny-regions");
  assertEquals(first({ regions: of(5e-3, 100) }).code, "tiny-regions");
  assertEquals(first({ regions: of(5e-3, 1) }).code, "hottest", "its energy is precise");
  assertEquals(
    first({ regions: of(5e-3, 100) }).text,
    'Half of the visits to "tiny" are shorter than 5.00 ms. The counter changes only every ' +
      "100 ms, so the energy of such visits is inaccurate.",
  );
  assertMatch(first({ regions: of(1e-7, 1) }).text, /Begin and end calls are a large part/);
});

Deno.test("a tiny region with little energy comes after the hottest region", () => {
  const one = region("tiny", 15, 5);
  const tiny = { ...one, visits: { ...one.visits, p50S: 7e-4 } };
  assertEquals(codes({ regions: [region("work", 980, 1), tiny] }), [
    "hottest",
    "tiny-regions",
    "inaccurate-regions",
  ]);
});

Deno.test("values without errors by their method are advised another method, not a longer run", () => {
  for (const method of ["sampled", "exact"] as const) {
    const found = findings(factsOf({ regions: [region("solve", 900, NaN)], method }));
    assertEquals(found.at(-1)!.next, "Use --attribution fit.");
  }
});

Deno.test("CPUs that spin while a GPU works are at stake with energy above idle", () => {
  const wait = region("cudaDeviceSynchronize", 300, 3, { runtimeS: 5 });
  const energies = new Map([...wait.energies, ["package" as const, energyOf(200, 2)]]);
  const components = new Map([
    ["node" as const, totalJ(1000)],
    ["package" as const, totalJ(600, 10, { idleJ: 100 })],
  ]);
  const finding = first({
    regions: [{ ...wait, energies }],
    totals: { seconds: 10, components, edp: 1e4 },
    gpuBusy: 0.9,
  });
  assertEquals([finding.code, finding.stakeJ], ["gpu-wait", 150]);
});

Deno.test("inaccurate regions come after findings with energy at stake", () => {
  assertEquals(codes({ regions: [region("solve", 900, 90)] }), ["hottest", "inaccurate-regions"]);
  assertEquals(codes({ regions: [region("solve", 900, NaN)], busy: 0.3 }), [
    "low-utilization",
    "inaccurate-regions",
  ]);
});

Deno.test("a finding below 1 % of the energy is left out", () => {
  const one = region("data", 300, 3, { gpuBusy: 0 });
  const regions = [{
    ...one,
    energies: new Map([...one.energies, ["gpu" as const, energyOf(9, 1)]]),
  }];
  assertEquals(codes({ regions }), ["hottest", "all-precise"]);
});

Deno.test("a run without regions is advised to get some, by two commands", () => {
  const [finding] = findings(factsOf({ regions: [], column: undefined }));
  assertEquals(finding.code, "no-regions");
  assertMatch(finding.next, /--preload all.*joulemark client c/);
});

Deno.test("the advice for a run without regions fits the program and the options", () => {
  const next = (name: string, ...notes: string[]) => {
    return first({ regions: [], column: undefined, name, notes }).next;
  };
  for (const name of ["python3.12", "python", "model.py"]) {
    assertMatch(next(name, "--preload: no call made a region."), /--python, .*client python\.$/);
  }
  for (const name of ["sh", "bash", "job.sh"]) {
    assertMatch(next(name), /annotate the script: joulemark client shell\.$/);
  }
  assertMatch(next("sleep"), /joulemark client c\.$/);
  assertMatch(next("joulemark"), /see the report of the joulemark that this run started\.$/);
  assertMatch(next("app", "--phase: no output line matched."), /the expression of --phase\.$/);
});

Deno.test("no finding promises: they say at most", () => {
  for (const rule of FINDING_RULES) {
    const { text, next } = rule(factsOf()) ?? { text: "", next: "" };
    assert(!/will save/.test(text + next));
  }
});

Deno.test("regions that share a name are named by their paths", () => {
  const regions = [
    region("par", 500, 5),
    region("step", 400, 5, { energies: new Map([["node", { ...energyOf(400, 5), selfJ: 280 }]]) }),
    region("par", 120, 5, { depth: 1, parent: 1, path: "step/par" }),
  ];
  const { text, next } = first({ regions });
  assertEquals(
    [text, next],
    ["par itself uses most energy (50 %), step 28 %.", "Look at par first."],
  );
  const inner = [regions[0], {
    ...regions[1],
    energies: new Map([["node" as const, energyOf(400, 5)]]),
  }]
    .map((row, i) =>
      i === 0
        ? row
        : { ...row, energies: new Map([["node" as const, { ...energyOf(400, 5), selfJ: 0 }]]) }
    );
  assertEquals(
    first({ regions: [...inner, regions[2]] }).text,
    "par itself uses most energy (50 %), step/par 12 %.",
  );
  const tiny = { ...regions[2], visits: { ...regions[2].visits, p50S: 1e-8 } };
  const tinyOnes = findings(factsOf({ regions: [regions[0], regions[1], tiny] }));
  assertMatch(tinyOnes.map(({ text }) => text).join(), /visits to "step\/par" are/);
});

function functionsOf(...names: [name: string, module: string][]): FunctionFacts {
  return {
    rows: names.map(([name, module], i) => {
      return { name, module, ownS: 10 - i / 10, energies: new Map() };
    }),
    waiting: new Map(),
    unlisted: { count: 0, ownS: 0 },
    hostsWithout: 0,
    cpuS: 100,
    samples: 1000,
    lost: 0,
    rateHz: 199,
    completePercent: 99,
    guessedPercent: 0,
  };
}

Deno.test("the hottest function is named once, without template and call arguments", () => {
  const name = "void deep::Solver<std::vector<double, std::allocator<double> >, 4>::" +
    "step<int>(std::map<int, std::function<void (int)> > const&, int) const";
  const of = (name: string, module = "/opt/app") => {
    return first({ regions: [], column: undefined, functions: functionsOf([name, module]) });
  };
  assertEquals(of(name).text, "deep::Solver::step uses 10 % of the CPU time by itself.");
  assertEquals(
    of(name).next,
    "Look at this function first; the file of --folded shows its callers.",
  );
  assert(of("f".repeat(300)).text.length < 100);
  assertMatch(of("clear_page_rep_[k]", "").next, /^This is the kernel; .*--folded/);
  for (const module of ["/usr/lib/libpython3.11.so.1.0", "/usr/bin/python3.12", "python"]) {
    assertMatch(of("_PyEval_EvalFrameDefault", module).next, /Python interpreter: --python/);
  }
});

Deno.test("a library with many warm functions is named with the hottest function", () => {
  const names = [..."abcd"].map((name): [string, string] => [name, "/lib/libfftw3.so.3.6.10"]);
  const of = (...functions: [string, string][]) => {
    return first({ regions: [], column: undefined, functions: functionsOf(...functions) }).text;
  };
  const text = "a uses 10 % of the CPU time by itself, all functions of libfftw3.so.3.6.10 39 %.";
  assertEquals(of(...names), text);
  assertEquals(of(["main", "/opt/app"], ...names), text.replace("a uses", "main uses"));
  // Twice as much, but little.
  assertEquals(of(...names.slice(0, 2)), "a uses 10 % of the CPU time by itself.");
  assertEquals(
    of(...[..."abcd"].map((n): [string, string] => [`${n}_[k]`, ""])),
    "a_[k] uses 10 % of the CPU time by itself.",
  );
});

Deno.test("code of interpreters and of libraries that wait has advice of its own", () => {
  const next = (module: string) => {
    const functions = functionsOf([`[${module}+0x1f780]`, `/usr/lib/${module}`]);
    return first({ regions: [], column: undefined, functions }).next;
  };
  for (const module of ["libR.so", "liboctinterp.so.10.0.0", "perl", "libperl.so.5.36"]) {
    assertMatch(next(module), /interpreter of a script.*--phase/);
  }
  for (const module of ["libgomp.so.1.0.0", "libomp.so.5", "libiomp5.so"]) {
    assertMatch(next(module), /OpenMP library.*--preload ompt/);
  }
  for (
    const module of [
      "mca_btl_vader.so",
      "libopen-pal.so.40.30.2",
      "libmpi_mpifh.so.40",
      "libmpich.so.12",
    ]
  ) {
    assertMatch(next(module), /MPI library.*--preload mpi/);
  }
  assertMatch(next("libfftw3.so.3"), /--debuginfo/);
});

Deno.test("the hottest of two instances of a template has its arguments", () => {
  const functions = functionsOf(["step<30>", "/opt/app"], ["step<10>", "/opt/app"]);
  assertMatch(first({ regions: [], column: undefined, functions }).text, /^step<30> uses 10 %/);
});

Deno.test("a row without a function is not the function to look at", () => {
  const functions = functionsOf(["[short threads]", ""], ["solve", "/opt/app"]);
  assertMatch(first({ regions: [], column: undefined, functions }).text, /^solve uses 10 %/);
  const none = functionsOf(["[short threads]", ""], ["[lost]", ""]);
  assertEquals(codes({ regions: [], column: undefined, functions: none }), []);
});

Deno.test("a function of a stripped program is the one to look at, by its debug file", () => {
  for (const name of ["[app+0x1200]", "[app]"]) {
    const functions = functionsOf([name, "/opt/app"], ["irq_[k]", ""]);
    const { text, next } = first({ regions: [], column: undefined, functions });
    assertEquals(text, `${name} uses 10 % of the CPU time by itself.`);
    assertMatch(next, /--debuginfo/);
  }
});

Deno.test("code of a JIT compiler without names is what to look at, by options that give it names", () => {
  const functions = functionsOf(["[jit]", "[made by the process]"], ["clear_page_[k]", ""]);
  const { text, next } = first({ regions: [], column: undefined, functions });
  assertMatch(text, /^\[jit\] uses 10 %/);
  assertMatch(next, /"joulemark explain jit"/);
});

Deno.test("shortFunction() keeps what is not an argument", () => {
  for (
    const [name, short] of [
      ["main", "main"],
      ["pymalloc_alloc_[i]", "pymalloc_alloc_[i]"],
      ["[short threads]", "[short threads]"],
      ["(anonymous namespace)::f<int>(int)", "(anonymous namespace)::f"],
      ["void (anonymous namespace)::f<int>(int)", "(anonymous namespace)::f"],
      ["A<int>::operator()(int) const", "A::operator()"],
      ["bool operator< <int>(A<int> const&, A<int> const&)", "operator<"],
      ["std::ostream& operator<< <char>(std::ostream&, char)", "operator<<"],
      ["A::operator new(unsigned long)", "A::operator new"],
      ["operator<(A const&, A const&)", "operator<"],
      ["A<int>::operator->()", "A::operator->"],
      ["main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"],
      ["f(int) [clone .part.0]", "f"],
      ["f<int>(int)_[i]", "f_[i]"],
      ["<module>", "<module>"],
      ["K.f.<locals>.g", "K.f.<locals>.g"],
      ["<alloc::vec::Vec<T> as core::ops::Drop>::drop", "core::ops::Drop>::drop"],
      ["decltype(x->y) g<(x->y)>(int)", "g"],
      ["f(", "f"],
      ["", ""],
    ]
  ) assertEquals(shortFunction(name), short, name);
});
