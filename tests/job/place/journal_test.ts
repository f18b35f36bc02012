/** The journal of a run: every state of the file that a killed writer can leave has a whole entry. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import type { ReportParts } from "../../../src/formats/report.ts";
import { joinReportParts } from "../../../src/formats/report.ts";
import { Random } from "../../../src/core/random.ts";
import { parseJournal, reportText } from "../../../src/formats/journal.ts";
import { Journal, type JournalCalls } from "../../../src/job/place/journal.ts";
import { libc } from "../../../src/os/libc.ts";
import { OsError } from "../../../src/os/user_file.ts";

const CALLS: JournalCalls = {
  fallocate: (fd, mode, at, size) => libc().fallocate(fd, mode, at, size),
  pwriteAt: (fd, bytes, size, at) => libc().pwriteAt(fd, bytes, size, at),
  fsync: (fd) => libc().fsync(fd),
};
const readJournal = (dir: string) => parseJournal(Deno.readFileSync(`${dir}/journal`));

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
      using journal = new Journal(`${dir}/journal`, "s-1-2", {
        calls: {
          ...CALLS,
          pwriteAt: (fd, bytes, size, at) => {
            puts.push({ at: Number(at), bytes: (bytes as Uint8Array).slice(0, Number(size)) });
            return libc().pwriteAt(fd, bytes, size, at);
          },
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
  using journal = new Journal(`${dir}/journal`, "s-1-2", {
    calls: {
      ...CALLS,
      pwriteAt: (fd, bytes, size, at) => {
        written += Number(size);
        return libc().pwriteAt(fd, bytes, size, at);
      },
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

inDirectory("a tree is of the moment of its frame, or is not there", (dir) => {
  using journal = new Journal(`${dir}/journal`, "s-1-2");
  const tree = "      tree: old\n";
  journal.write({ frame: frame(1), regions: [], tree }, []);
  assert(readJournal(dir)!.report.includes(tree));
  journal.write({ frame: frame(2), regions: [], tree: "" }, []);
  assert(!readJournal(dir)!.report.includes(tree));
});

inDirectory(
  "where there is no more room what has a place goes on, and a new run forgets",
  (dir) => {
    let isFull = false;
    using journal = new Journal(`${dir}/journal`, "s-1-2", {
      calls: {
        ...CALLS,
        fallocate: (fd, mode, at, size) => isFull ? -1 : libc().fallocate(fd, mode, at, size),
      },
    });
    journal.write({ frame: frame(1), regions: [region("a", 1)], tree: "" }, ["a"]);
    isFull = true;
    const long = "b".repeat(1 << 20);
    const entry = { frame: frame(7), regions: [region("a", 5), region(long, 1)], tree: "" };
    assertThrows(() => journal.write(entry, ["a", long]), OsError, "No space left on device");
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

inDirectory("an entry is on the server before the next step, if asked for", (dir) => {
  const synced: number[] = [];
  const calls = {
    ...CALLS,
    fsync: (fd: number) => {
      synced.push(readJournal(dir) === undefined ? 0 : 1);
      return libc().fsync(fd);
    },
  };
  const parts = { frame: frame(1), regions: [], tree: "" };
  for (const syncs of [false, true]) {
    using journal = new Journal(`${dir}/journal`, "s-1-2", { syncs, calls });
    journal.write(parts, []);
    assertEquals(readJournal(dir)?.session, "s-1-2");
  }
  assertEquals(synced, [1]);
});

Deno.test("reportText() reads a damaged journal up to what is whole, and other files as text", () => {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-journal-" });
  try {
    using journal = new Journal(`${dir}/journal`, "s-1-2");
    const names = ["a", "b", "c"];
    const regions = names.map((name) => region(name, 1));
    journal.write({ frame: frame(1), regions, tree: "" }, names);
    const file = Deno.readFileSync(`${dir}/journal`);
    const texts = new Set<string>();
    for (let length = 0; length < file.length; length += 7) {
      texts.add(reportText(file.subarray(0, length)));
    }
    assert(texts.has(reportText(file)), "what is behind the last row does not matter");
    const random = new Random(20261129);
    for (let n = 0; n < 2000; n++) {
      const damaged = file.slice();
      for (let k = 0; k < 4; k++) damaged[Math.floor(random.uniform(0, 2000))] ^= 1 << k;
      reportText(damaged);
    }
    assertEquals(reportText(new TextEncoder().encode("GEOPM Version: 3\n")), "GEOPM Version: 3\n");
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
