/** A session that another user made, and a journal that no monitor wrote. */
import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { AccessError, UsageError } from "../../../src/core/errors.ts";
import { Journal } from "../../../src/job/place/journal.ts";
import { recoverAll } from "../../../src/job/place/recover_all.ts";
import {
  journalPath,
  keepLeftover,
  nameReport,
  recoverFile,
  recoverSession,
} from "../../../src/job/place/recover.ts";
import { ownHostName } from "../../../src/os/host_name.ts";
import { timed } from "../../_support/time_limit.ts";
import { NOT_ROOT } from "../../_support/skipped.ts";

const REPORT = await Deno.readTextFile(
  new URL("../../golden/replay/seed_example.report", import.meta.url),
);

/** BASE/JOB/SESSION of a run with the report `wanted`, and its journal if that has a directory. */
function sessionFor(base: string, wanted: string, frame = REPORT): string {
  const session = `${base}/own-1-2/s-1-2`;
  Deno.mkdirSync(session, { recursive: true, mode: 0o700 });
  Deno.chmodSync(base, 0o700);
  Deno.writeTextFileSync(`${base}/own-1-2/lock`, "");
  nameReport(session, wanted);
  if (!wanted.includes("/gone/")) {
    using journal = new Journal(journalPath(wanted), "s-1-2");
    journal.write({ frame, regions: [], tree: "" }, []);
  }
  return session;
}

function inDirectory(body: (dir: string) => void): void {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-recover-" });
  try {
    body(dir);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

timed("recoverAll() counts sessions whose directories are gone in one line", () => {
  inDirectory((dir) => {
    const base = `${dir}/base`, lines: string[] = [];
    const first = sessionFor(base, `${dir}/gone/a.report`);
    assertEquals(recoverAll(base, (line) => lines.push(line)), []);
    assertMatch(lines.join("\n"), /1 session without a report.*for example \S*\/gone\/\)\. Make/);
    for (const name of ["s-1-3", "s-1-4"]) {
      Deno.mkdirSync(`${base}/own-1-2/${name}`);
      Deno.copyFileSync(`${first}/report`, `${base}/own-1-2/${name}/report`);
    }
    lines.length = 0;
    recoverAll(base, (line) => lines.push(line));
    assertEquals(lines.length, 1, lines.join("\n"));
    assertMatch(lines[0], /3 sessions without a report/);
    for (let i = 0; i < 50; i++) Deno.mkdirSync(`${base}/own-1-2/s-2-${i}`);
    lines.length = 0;
    recoverAll(base, (line) => lines.push(line));
    assertEquals(lines.length, 2, lines.join("\n"));
    assertMatch(
      lines.join("\n"),
      /50 sessions without a report: there is no journal \(for example \S+\)\. The monitor ended before .*again/,
    );
  });
});

timed(
  "recoverAll() writes nothing that another user's session asks for, and names the owner",
  () => {
    if (NOT_ROOT !== undefined) return console.log("skipped: another user's directory takes root");
    inDirectory((dir) => {
      Deno.mkdirSync(`${dir}/ours`);
      const base = `${dir}/base`;
      const session = sessionFor(base, `${dir}/ours/new`);
      // A directory of theirs above is enough; so is a link of theirs to it.
      const give = (path: string) => Deno.chownSync(path, 65534, 65534);
      const tries = [base, `${base}/own-1-2`, session];
      for (const theirs of tries) {
        give(theirs);
        for (const path of tries) {
          if (!path.startsWith(theirs)) continue;
          const error = assertThrows(() => recoverAll(path, () => {}), AccessError);
          assertMatch(
            (error as Error).message,
            /expected .*only this user may access.*found .*user 65534/,
          );
          assertMatch((error as Error).message, new RegExp(path));
        }
        Deno.chownSync(theirs, 0, 0);
      }
      assertEquals([...Deno.readDirSync(`${dir}/ours`)].map(({ name }) => name), ["new.partial"]);
      Deno.chmodSync(base, 0o755);
      assertThrows(() => recoverAll(base, () => {}), AccessError);
      Deno.chmodSync(base, 0o700);
      assertEquals(recoverAll(base, () => {}), [`${dir}/ours/new`]);
    });
  },
);

timed("recoverSession() drops a journal that is no report, and does not throw", () => {
  inDirectory((dir) => {
    for (
      const frame of ["", "\0", "Hosts: 1\n", "Hosts:\n  a: [\n", "a:\n\tb", "- ".repeat(5000)]
    ) {
      const session = sessionFor(`${dir}/base`, `${dir}/new`, frame);
      const { report, done, reason } = recoverSession(session, false);
      assertEquals([report, done], [undefined, true], JSON.stringify(frame));
      assert(reason !== undefined && !reason.includes("\n"), reason);
      Deno.removeSync(`${dir}/base`, { recursive: true });
    }
  });
});

timed("a name of a host in quotes is the host's, as containers have names like 3f29c0", () => {
  inDirectory((dir) => {
    const wanted = `${dir}/a.report`, path = journalPath(wanted);
    using journal = new Journal(path, "s-1-2");
    const frame = REPORT.replace(/^(Hosts:\n {2}).*:$/m, '$1"3f29c0":');
    journal.write({ frame, regions: [], tree: "" }, []);
    assertThrows(() => recoverFile(path), UsageError, "one that 3f29c0 wrote less than 60 s ago");
  });
});

timed(
  "recoverFile() and the next run leave a journal alone that another node wrote just now",
  () => {
    inDirectory((dir) => {
      const wanted = `${dir}/a.report`, path = journalPath(wanted), lines: string[] = [];
      const write = (host: string) => {
        using journal = new Journal(path, "s-1-2");
        const frame = REPORT.replace(/^(Hosts:\n {2}).*:$/m, `$1${host}:`);
        journal.write({ frame, regions: [], tree: "" }, []);
      };
      const left = () => [...Deno.readDirSync(dir)].map(({ name }) => name).sort();
      write("elsewhere.example");
      assertThrows(
        () => recoverFile(path),
        UsageError,
        "elsewhere.example wrote less than 60 s ago",
      );
      keepLeftover(wanted, (line) => lines.push(line));
      assertEquals([left(), lines.splice(0)], [["a.report.partial"], [
        `a run on elsewhere.example writes ${wanted}, too`,
      ]]);
      const old = Date.now() / 1000 - 100;
      Deno.utimeSync(path, old, old);
      assertEquals(recoverFile(path), wanted);
      write("elsewhere.example");
      Deno.utimeSync(path, old, old);
      keepLeftover(wanted, (line) => lines.push(line));
      assertEquals(left(), ["a.report", "a.report.recovered"]);
      assertEquals(lines, [`${path} was left by another run; its report is ${wanted}.recovered`]);
      // This node knows by its locks what goes on here.
      write(ownHostName());
      assertEquals(recoverFile(path), `${wanted}.recovered-2`);
      Deno.writeTextFileSync(path, "no report");
      assertThrows(() => recoverFile(path), UsageError, "not a report");
      assertThrows(() => recoverFile(wanted), UsageError, "another file");
      assertThrows(() => recoverFile(`${dir}/none.partial`), UsageError, "no such file");
    });
  },
);
