/** A disk that is full: one clear line each, the old file whole, the command untouched. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { BINARY, endToEnd, joulemark } from "../_support/programs.ts";

/** Mounts a small file system; `false` where that is not allowed. */
function mountSmall(dir: string, bytes: number): boolean {
  Deno.mkdirSync(dir);
  return new Deno.Command("mount", {
    args: ["-t", "tmpfs", "-o", `size=${bytes}`, "none", dir],
    stderr: "null",
  }).outputSync().success;
}

endToEnd("run on a full disk leaves the old report whole and tells so", (dir) => {
  const small = `${dir}/small`;
  if (!mountSmall(small, 16384)) {
    console.log("skipped: mounting a small file system needs root");
    return;
  }
  try {
    Deno.writeTextFileSync(`${small}/joulemark.report`, "the old report\n");
    // Everything that is left, but a few bytes.
    try {
      Deno.writeFileSync(`${small}/filler`, new Uint8Array(20000));
    } catch {
      // That is the point.
    }
    const out = joulemark(dir, [
      "run",
      "-q",
      "--report",
      "small/joulemark.report",
      "--trace",
      "small/trace",
      "--",
      "sh",
      "-c",
      "sleep 0.5; exit 6",
    ]);
    assertEquals(out.code, 6);
    assertStringIncludes(
      out.stderr,
      'cannot write "small/trace": no space left on device. Lines wait for free space',
    );
    for (const line of out.stderr.trimEnd().split("\n")) assertStringIncludes(line, "joulemark: ");
    assertEquals(Deno.readTextFileSync(`${small}/joulemark.report`), "the old report\n");
    const left = [...Deno.readDirSync(small)].map((e) => e.name).filter((n) => n.includes(".new"));
    assertEquals(left, []);
  } finally {
    new Deno.Command("umount", { args: [small] }).outputSync();
  }
});

endToEnd("the summary does not name a page that found no room", (dir) => {
  const small = `${dir}/small`;
  if (!mountSmall(small, 1 << 16)) {
    console.log("skipped: mounting a small file system needs root");
    return;
  }
  try {
    const out = joulemark(dir, [
      ...["run", "--no-timeline", "--report", "small/a.report", "--html", "small/a.html"],
      ...["--", "true"],
    ]);
    assertEquals(out.code, 0);
    assertStringIncludes(out.stderr, 'cannot write "small/a.html": no space left on device');
    assertStringIncludes(out.stderr, "report small/a.report");
    assert(!/page \S*a\.html/.test(out.stderr), out.stderr);
    assertEquals([...Deno.readDirSync(small)].map(({ name }) => name), ["a.report"]);
  } finally {
    new Deno.Command("umount", { args: [small] }).outputSync();
  }
});

endToEnd("a disk that fills and empties again loses nothing that can wait", async (dir) => {
  const small = `${dir}/small`;
  if (!mountSmall(small, 1 << 22)) return;
  try {
    const fill = () => {
      try {
        Deno.writeFileSync(`${small}/filler`, new Uint8Array(1 << 23));
      } catch {
        // That is the point.
      }
    };
    const child = new Deno.Command(BINARY, {
      args: [
        ...["run", "-q", "--simulate", "--period", "0.002", "--checkpoint", "0.2"],
        ...["--report", "small/a.report", "--trace", "small/a.trace", "--", "sleep", "3"],
      ],
      cwd: dir,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    await new Promise((go) => setTimeout(go, 700));
    fill();
    await new Promise((go) => setTimeout(go, 900));
    Deno.removeSync(`${small}/filler`);
    const { code, stderr } = await child.output();
    const text = new TextDecoder().decode(stderr);
    assertEquals(code, 0, text);
    const times = Deno.readTextFileSync(`${small}/a.trace`).split("\n")
      .filter((line) => /^[0-9]/.test(line)).map((line) => Number(line.split("|")[0]));
    assert(times.length > 500, `${times.length} rows`);
    const gaps = times.slice(1).map((time, i) => time - times[i]);
    assert(Math.max(...gaps) < 0.5, `a gap of ${Math.max(...gaps)} s; ${text}`);
    assertEquals(Deno.readTextFileSync(`${small}/a.report`).includes("lines lost"), false);
  } finally {
    new Deno.Command("umount", { args: [small] }).outputSync();
  }
});

endToEnd("space for the report is kept on a disk that fills for good", async (dir) => {
  const small = `${dir}/small`;
  if (!mountSmall(small, 1 << 22)) return;
  try {
    const child = new Deno.Command(BINARY, {
      args: [
        "run",
        "-q",
        "--report",
        "small/a.report",
        "--checkpoint",
        "100",
        "--",
        "sleep",
        "1.5",
      ],
      cwd: dir,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    await new Promise((go) => setTimeout(go, 700));
    try {
      Deno.writeFileSync(`${small}/filler`, new Uint8Array(1 << 23));
    } catch {
      // That is the point.
    }
    const { code, stderr } = await child.output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    assertStringIncludes(Deno.readTextFileSync(`${small}/a.report`), "GEOPM Version");
  } finally {
    new Deno.Command("umount", { args: [small] }).outputSync();
  }
});

endToEnd("bench and run name a full disk, and the checkpoint that is left", async (dir) => {
  const small = `${dir}/small`;
  if (!mountSmall(small, 1 << 22)) return;
  const fill = () => {
    for (const bytes of [1 << 23, 4096]) {
      try {
        Deno.writeFileSync(`${small}/filler-${bytes}`, new Uint8Array(bytes));
      } catch {
        // That is the point.
      }
    }
  };
  try {
    fill();
    const args = ["bench", "--simulate", "-q", "-r", "2", "-w", "0", "--no-timeline"];
    const bench = joulemark(dir, [...args, "--dir", "small/b", "true", "true"]);
    assertEquals(bench.code, 1, bench.stdout + bench.stderr);
    assertMatch(bench.stderr, /cannot write ".*b\/[AB]-1\.report": no space left on device/);
    assert(!bench.stderr.includes("no such file"), bench.stderr);
    for (const bytes of [1 << 23, 4096]) Deno.removeSync(`${small}/filler-${bytes}`);
    const child = new Deno.Command(BINARY, {
      args: [
        ...["run", "-q", "--simulate", "--no-timeline", "--checkpoint", "0.2"],
        ...["--report", "small/t.report", "--", "sleep", "3"],
      ],
      cwd: dir,
      stdin: "null",
      stdout: "null",
      stderr: "piped",
    }).spawn();
    await new Promise((go) => setTimeout(go, 1800));
    const hasCheckpoint = () =>
      [...Deno.readDirSync(small)].some((e) => e.name === "t.report.partial");
    assert(hasCheckpoint(), [...Deno.readDirSync(small)].map(({ name }) => name).join());
    fill();
    const { code, stderr } = await child.output();
    const text = new TextDecoder().decode(stderr);
    assertEquals(code, 0, text);
    if (text.includes('cannot write "small/t.report"')) {
      assertStringIncludes(text, "small/t.report.partial has the values up to the last checkpoint");
    }
    assertEquals(hasCheckpoint(), text.includes("t.report.partial has the values"));
  } finally {
    new Deno.Command("umount", { args: [small] }).outputSync();
  }
});

endToEnd("each output that a full disk refuses has a line with its name", (dir) => {
  const small = `${dir}/small`;
  if (!mountSmall(small, 16384)) return;
  try {
    Deno.writeTextFileSync(`${small}/rows`, "old");
    try {
      Deno.writeFileSync(`${small}/filler`, new Uint8Array(20000));
    } catch {
      // That is the point.
    }
    const out = joulemark(dir, [
      ...["run", "-q", "--simulate", "--no-timeline"],
      ...["--openmetrics", "small/m.prom", "--otlp", "small/o.json", "--", "sleep", "0.2"],
    ]);
    assertEquals(out.code, 0, out.stderr);
    for (const name of ["m.prom", "o.json"]) {
      assertStringIncludes(out.stderr, `cannot write "small/${name}": no space left on device`);
    }
    const query = joulemark(dir, ["query", "-o", "small/rows", "joulemark.report"]);
    assertEquals(query.code, 1, query.stderr);
    assertStringIncludes(query.stderr, 'cannot write "small/rows": no space left on device');
    assertEquals(Deno.readTextFileSync(`${small}/rows`), "old");
  } finally {
    new Deno.Command("umount", { args: [small] }).outputSync();
  }
});
