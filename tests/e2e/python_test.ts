/** `run --python`: functions of Python programs as regions, with what Pythons there are. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { joulemark } from "../_support/programs.ts";
import { eventsOf, needing, works } from "../_support/preload.ts";

const PROGRAMS = new URL("programs/python/", import.meta.url).pathname;
const PYENV = `${Deno.env.get("HOME")}/.pyenv/versions`;

/** The system's, and those of pyenv: monitoring from 3.12 on, profiling below. */
function pythons(): string[] {
  const found = works("python3 -c ''") ? ["python3"] : [];
  try {
    for (const { name } of Deno.readDirSync(PYENV)) {
      if (/^3\.([89]|1\d)\./.test(name)) found.push(`${PYENV}/${name}/bin/python3`);
    }
  } catch {
    // No pyenv here.
  }
  return found.sort();
}

function watched(dir: string, args: string[], env: Record<string, string> = {}) {
  const out = joulemark(dir, args, { XDG_CACHE_HOME: `${dir}/cache`, ...env });
  assertEquals(out.code, 0, out.stderr);
  const path = `${dir}/joulemark.report`;
  const report = Deno.readTextFileSync(path);
  return { ...out, report, host: parseReport(report, path).hosts[0] };
}

needing(
  "python3",
  pythons().length > 0,
  "run --python marks functions of the program's own",
  (dir) => {
    for (const python of pythons()) {
      const app = `${PROGRAMS}app.py`;
      const alone = new Deno.Command(python, { args: [app], cwd: dir }).outputSync();
      const said = new TextDecoder().decode(alone.stdout);
      assertStringIncludes(said, '[45, 45, 45, 45, 45, [0, 1, 2], 2, "as it should"]');
      const out = watched(dir, [
        ...["run", "-q", "--simulate", "--python", "--record", "recording"],
        ...["--", python, app],
      ]);
      assertEquals(out.stdout, said, python);
      assertEquals(out.stderr, "", python);
      const regions = Object.fromEntries((out.host.regions ?? []).map((r) => [r.region, r.fields]));
      // Others' code is none: json, asyncio, threading.
      assertEquals(Object.keys(regions).sort(), ["app.main", "app.thread"], python);
      assertEquals(Number(regions["app.main"].count), 1);
      const rows = eventsOf(dir);
      const visits = (name: string) =>
        rows.filter((row) => row === `enter,app.${name},UNKNOWN`).length;
      const qualified = rows.some((row) => row.startsWith("enter,app.Solver.step,"));
      assertEquals(visits(qualified ? "Solver.step" : "step"), 5, python);
      assertEquals(visits("fails"), 1, python);
      // A generator and a coroutine are there each time that they run.
      assertEquals(visits("numbers"), 4, python);
      assert(visits("wait") >= 4, `${visits("wait")} by ${python}`);
      for (const name of ["main", "numbers", "wait", "both", "fails", "spin"]) {
        const ends = rows.filter((row) => row === `exit,app.${name}`).length;
        assertEquals(ends, visits(name), `${name} by ${python}`);
      }
      assert(!out.report.includes("mistakes:"), out.report);
      Deno.removeSync(`${dir}/recording`, { recursive: true });
    }
  },
);

needing(
  "python3",
  pythons().length > 0,
  "run --python leaves a program of many threads its descriptors",
  (dir) => {
    for (const python of pythons()) {
      const out = watched(dir, [
        ...["run", "-q", "--simulate", "--python"],
        ...["--", python, `${PROGRAMS}crowd.py`, "100"],
      ]);
      assert(Number(out.stdout) < 10, `${out.stdout} by ${python}`);
      const body = out.host.regions?.find((r) => /body/.test(r.region));
      assertEquals(Number(body?.fields.count), 100, python);
    }
  },
);

needing("python3", pythons().length > 0, "run --python leaves out what is too short", (dir) => {
  const args = [
    "run",
    "-q",
    "--simulate",
    "--python",
    "--",
    pythons()[0],
    `${PROGRAMS}app.py`,
    "x",
  ];
  const out = watched(dir, args);
  assertStringIncludes(out.report, "app.tiny is left out after 10000 visits");
  const tiny = out.host.regions!.find((r) => r.region === "app.tiny")!;
  assertEquals(Number(tiny.fields.count), 9999);
});

needing(
  "python3",
  pythons().length > 0,
  "run --python keeps a sitecustomize that is there",
  (dir) => {
    Deno.mkdirSync(`${dir}/site`);
    Deno.writeTextFileSync(`${dir}/site/sitecustomize.py`, "print('theirs')\n");
    const args = ["run", "-q", "--simulate", "--python", "--", pythons()[0], `${PROGRAMS}app.py`];
    const out = watched(dir, args, { PYTHONPATH: `${dir}/site` });
    assertStringIncludes(out.stdout, "theirs\n");
    assertStringIncludes(out.stdout, "\nsitecustomize.py\n");
    assertEquals(out.stderr, "");
    assert(out.host.regions!.some((r) => r.region === "app.main"));
  },
);

needing("python3", pythons().length > 0, "run --python: record_function names regions", (dir) => {
  // As PyTorch 1.13 and 2 have it: what is entered and left, also as a decorator.
  const profiler = `class record_function:
    def __init__(self, name, args=None):
        self.name = name
    def __enter__(self):
        helper()
        return self
    def __exit__(self, *error):
        pass
    def __call__(self, function):
        def decorated(*args):
            with record_function(self.name):
                return function(*args)
        return decorated
def helper():
    pass
`;
  const folder = `${dir}/dist-packages/torch/autograd`;
  Deno.mkdirSync(folder, { recursive: true });
  for (const name of [`${dir}/dist-packages/torch`, folder]) {
    Deno.writeTextFileSync(`${name}/__init__.py`, "");
  }
  Deno.writeTextFileSync(`${folder}/profiler.py`, profiler);
  Deno.writeTextFileSync(
    `${dir}/train.py`,
    `from torch.autograd.profiler import record_function

def main():
    for _ in range(7):
        with record_function("forward"):
            with record_function("matmul"):
                pass
    f = record_function("decorated")(lambda: 1)
    f(), f()
    try:
        with record_function("fails"):
            raise ValueError("as it should")
    except ValueError:
        pass

main()
`,
  );
  for (const python of pythons()) {
    const out = watched(dir, ["run", "-q", "--simulate", "--python", "--", python, "train.py"], {
      PYTHONPATH: `${dir}/dist-packages`,
    });
    assertEquals(out.stderr, "", python);
    const rows = (out.host.joulemark!.tree as unknown as {
      rows: { region: string; depth: number; count: number }[];
    }).rows.map(({ region, depth, count }) => `${depth} ${region} ${count}`);
    const own = rows.filter((row) => !row.includes("lambda"));
    assertEquals(own.sort(), [
      "0 train.main 1",
      "1 decorated 2",
      "1 fails 1",
      "1 forward 7",
      "2 matmul 7",
    ], python);
  }
});
