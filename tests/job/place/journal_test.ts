/** The journal of a run: every state of the file that a killed writer can leave has a whole entry. */
import { assert, assertEquals } from "@std/assert";
import type { ReportParts } from "../../../src/formats/report.ts";
import { joinReportParts } from "../../../src/formats/report.ts";
import { Journal, journalReportPath, readJournal } from "../../../src/job/place/journal.ts";
import { libc } from "../../../src/os/libc.ts";

function inDirectory(name: string, body: (dir: string) => void): void {
  Deno.test(name, () => {
    const dir = Deno.makeTempDirSync({ prefix: "joulemark-journal-" });
    try {
      body(dir);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  });
}

const frame = (n: number) =>
  `Start: ${n}${
    "x".repeat(n % 7 * 40)
  }\nHosts:\n  node:\n    Regions:\n    Application Totals:\n      n: ${n}\n\n`;
const region = (name: string, n: number) =>
  `    -\n      region: "${name}"\n      count: ${n}${" ".repeat(n % 5 * 90)}\n`;

/** What a journal with these rows reads as; regions in any order. */
function whole(n: number, counts: ReadonlyMap<string, number>): string {
  const regions = [...counts].map(([name, count]) => region(name, count));
  return sorted(joinReportParts({ frame: frame(n), regions, tree: `      tree: ${n}\n` }));
}

const sorted = (report: string) => report.split("    -\n").sort().join("");

/** A change of the file. */
interface Put {
  readonly at: number;
  readonly bytes: Uint8Array;
}

inDirectory(
  "a journal that was cut off anywhere reads as the entry before or the one after",
  (dir) => {
    const puts: Put[] = [];
    // Where entries begin in the list of changes, and what they mean.
    const entries: { from: number; text: string }[] = [];
    {
      using journal = new Journal(dir, "/r/run.report", {
        fallocate: (fd, mode, at, size) => libc().fallocate(fd, mode, at, size),
        pwriteAt: (fd, bytes, size, at) => {
          puts.push({ at: Number(at), bytes: (bytes as Uint8Array).slice(0, Number(size)) });
          return libc().pwriteAt(fd, bytes, size, at);
        },
      });
      const counts = new Map<string, number>();
      for (let n = 1; n <= 25; n++) {
        const changed = [n % 3, n % 11, n % 17].map((k) => `region ${k}`);
        for (const name of changed) counts.set(name, n);
        const names = [...new Set(changed)];
        const parts: ReportParts = {
          frame: frame(n),
          regions: names.map((name) => region(name, n)),
          tree: `      tree: ${n}\n`,
        };
        entries.push({ from: puts.length, text: whole(n, counts) });
        journal.write(parts, names);
        assertEquals(sorted(readJournal(dir)!.report), entries.at(-1)!.text);
      }
    }
    const file = new Uint8Array(Deno.statSync(`${dir}/journal`).size);
    const texts = ["", ...entries.map(({ text }) => text)];
    let seen = 0;
    puts.forEach((put, i) => {
      const before = entries.filter(({ from }) => from <= i).length - 1;
      // A write may be cut off at any byte: at some of them here.
      for (const share of [0, 0.01, 0.5, 0.99, 1]) {
        file.set(put.bytes.subarray(0, Math.floor(put.bytes.length * share)), put.at);
        Deno.writeFileSync(`${dir}/journal`, file);
        const found = sorted(readJournal(dir)?.report ?? "");
        const at = texts.indexOf(found);
        assert(
          at === before || at === before + 1,
          `write ${i}, ${share}: entry ${at}, not ${before}`,
        );
        seen++;
      }
    });
    assert(seen > 300, `${seen} states`);
  },
);

inDirectory("an entry writes what changed, whatever there is beside it", (dir) => {
  let written = 0;
  using journal = new Journal(dir, "/r", {
    fallocate: (fd, mode, at, size) => libc().fallocate(fd, mode, at, size),
    pwriteAt: (fd, bytes, size, at) => {
      written += Number(size);
      return libc().pwriteAt(fd, bytes, size, at);
    },
  });
  const names = Array.from({ length: 2000 }, (_, i) => `region ${i}`);
  journal.write({ frame: frame(1), regions: names.map((n) => region(n, 1)), tree: "" }, names);
  written = 0;
  journal.write({ frame: frame(2), regions: [region(names[7], 2)], tree: "" }, [names[7]]);
  assert(written < 2000, `${written} bytes`);
  const { report } = readJournal(dir)!;
  assertEquals(report.match(/region: /g)!.length, 2000);
  assert(report.includes(region(names[7], 2)) && report.includes(region(names[8], 1)));
});

inDirectory(
  "where there is no more room what has a place goes on, and a new run forgets",
  (dir) => {
    let isFull = false;
    using journal = new Journal(dir, "/r", {
      fallocate: (fd, mode, at, size) => isFull ? -1 : libc().fallocate(fd, mode, at, size),
      pwriteAt: (fd, bytes, size, at) => libc().pwriteAt(fd, bytes, size, at),
    });
    journal.write({ frame: frame(1), regions: [region("a", 1)], tree: "" }, ["a"]);
    isFull = true;
    const long = "b".repeat(1 << 20);
    journal.write({ frame: frame(7), regions: [region("a", 5), region(long, 1)], tree: "" }, [
      "a",
      long,
    ]);
    const { report } = readJournal(dir)!;
    assert(
      report.includes("Start: 7") && report.includes(region("a", 5)) && !report.includes(long),
    );
    journal.clear();
    assertEquals(readJournal(dir), undefined);
    journal.write({ frame: frame(8), regions: [], tree: "" }, []);
    assert(!readJournal(dir)!.report.includes('region: "a"'));
  },
);

inDirectory("the path of the report is in a journal's first bytes, whatever its regions", (dir) => {
  const calls = libc();
  assertEquals(journalReportPath(dir), undefined);
  using journal = new Journal(dir, "/r/of this/run.report", calls);
  assertEquals(journalReportPath(dir), undefined);
  const names = Array.from({ length: 2000 }, (_, i) => `region ${i} ${"x".repeat(100)}`);
  for (const n of [1, 2, 3]) {
    journal.write(
      { frame: frame(n), regions: names.map((name) => region(name, n)), tree: "" },
      names,
    );
    assertEquals(journalReportPath(dir), "/r/of this/run.report");
    assertEquals(readJournal(dir)?.reportPath, "/r/of this/run.report");
  }
});

inDirectory("and whatever the length of what is in it beside regions", (dir) => {
  using journal = new Journal(dir, "/r/of this/run.report", libc());
  for (const n of [1, 2, 3]) {
    const long = `${frame(n)}${"# a note of many\n".repeat(20_000)}`;
    journal.write({ frame: long, regions: [], tree: "" }, []);
    assertEquals(journalReportPath(dir), "/r/of this/run.report");
    assertEquals(readJournal(dir)?.reportPath, "/r/of this/run.report");
  }
});
