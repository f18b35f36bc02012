/** Texts of functions: folded stacks, and samples as perf prints them. */
import { assertEquals } from "@std/assert";
import { foldedText, type LeafTimesNs } from "../../src/formats/folded.ts";
import { scriptText } from "../../src/formats/perf_script.ts";

Deno.test("foldedText() says in its head that energies are simulated", () => {
  const stack = { frames: ["a"], ns: 1, samples: 1 };
  assertEquals(
    foldedText([stack], "simulated"),
    "# joulemark-folded/1\n# stack\ttime(ns)\tsamples(count)\n# simulated\na\t1\t1\n",
  );
});

Deno.test("foldedText() adds up stacks of the same names, most time first", () => {
  const text = foldedText([
    { frames: ["app", "main"], ns: 1.4, samples: 1 },
    { frames: ["app", "operator;\t()"], ns: 10, samples: 2 },
    { frames: ["app", "main"], ns: 3, samples: 1 },
    { frames: ["app", "a"], ns: 4, samples: 1 },
  ]);
  assertEquals(
    text,
    "# joulemark-folded/1\n# stack\ttime(ns)\tsamples(count)\n" +
      "app;operator: ()\t10\t2\napp;a\t4\t1\napp;main\t4\t2\n",
  );
});

Deno.test("foldedText() adds up energies of functions with the same name", () => {
  const energiesOf = (times: LeafTimesNs) => {
    const joules = times.reduce((sum, [leaf, ns]) => sum + [60, 10][leaf] * ns / 1e9, 0);
    return new Map([["package", { energyJ: joules, seJ: 1 }]]);
  };
  const frames = ["app", "main", "kernel"];
  const text = foldedText(
    [0, 1].map((leaf) => ({ frames, ns: 1e9, samples: 2, leaf, energiesOf })),
  );
  assertEquals(text.split("\n")[2], "app;main;kernel\t2000000000\t4\t70000000\t1000000");
});

Deno.test("scriptText() prints a sample as perf script does", () => {
  const frames = [
    { name: "heavy", address: 0x1190, offset: 0x10, module: "/bin/app" },
    { name: "f", address: 0x1200, offset: 0x80, module: "inlined" },
    { name: "read", address: 0xffffffff81000010n, offset: 0x10, module: "[kernel.kallsyms]" },
    { name: "[unknown]", address: 0, offset: 0, module: "" },
  ];
  const sample = { process: 7, thread: 8, cpu: 1, timeNs: 12_000_345_678, comm: "my app", frames };
  assertEquals(
    scriptText(sample, 5025125.6),
    "my app 7/8 [001] 12.000345: 5025126 cpu-clock:\n" +
      "\t            1190 heavy+0x10 (/bin/app)\n\t            1200 f+0x80 (inlined)\n" +
      "\tffffffff81000010 read+0x10 ([kernel.kallsyms])\n\t               0 [unknown] ([unknown])\n\n",
  );
});
