/** Output to what is no plain file: a device stays a device, a pipe a pipe, a link a link. */
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { AccessError } from "../../../src/core/errors.ts";
import { probeDocument, unwritable, writeDocument } from "../../../src/os/files/whole_file.ts";
import { LineFile } from "../../../src/os/files/line_file.ts";
import { claimPath } from "../../../src/job/place/claim.ts";
import { mergeFiles } from "../../../src/job/place/merge_parts.ts";
import {
  makeDirectories,
  makeLink,
  OutputPlace,
  removeUserFile,
  renameOutput,
} from "../../../src/os/output_place.ts";
import { ERRNO } from "../../../src/os/libc.ts";
import { OsError, UserFile } from "../../../src/os/user_file.ts";
import { closeFile } from "../../../src/os/files.ts";
import { WholeFile } from "../../../src/os/files/whole_file.ts";
import { timed } from "../../_support/time_limit.ts";
import { NOT_ROOT, skippedWithout } from "../../_support/skipped.ts";

function inTemp(body: (dir: string) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const dir = Deno.makeTempDirSync();
    try {
      await body(dir);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  };
}

const names = (dir: string) => [...Deno.readDirSync(dir)].map((entry) => entry.name).sort();

timed("a document for /dev/null leaves the device", () => {
  assertEquals(probeDocument("/dev/null"), undefined);
  writeDocument("/dev/null", "text");
  using file = new WholeFile("/dev/null");
  file.write("line\n");
  file.keep();
  using _claim = { [Symbol.dispose]: claimPath("/dev/null").release };
  assertEquals(claimPath("/dev/null").path, "/dev/null");
  assertEquals(Deno.statSync("/dev/null").isCharDevice, true);
});

timed("advice to make a directory is for one that is not there", () => {
  assertMatch(probeDocument("/nowhere/a")!.message, /^cannot write.*or make the directory$/);
  const write = () => writeDocument("/dev/full", "text");
  assertMatch(assertThrows(write, AccessError).message, /left on device. Give another path$/);
  assertMatch(probeDocument("/dev")!.message, /is a directory. Give another path$/);
  const full = unwritable("a", new OsError(ERRNO.EMFILE));
  assertMatch(full.message, /too many open files. Raise the limit: ulimit -n$/);
});

Deno.test(
  "a document behind a link goes to the file, and the link stays",
  inTemp((dir) => {
    Deno.mkdirSync(`${dir}/deep`);
    Deno.writeTextFileSync(`${dir}/deep/real`, "old");
    Deno.symlinkSync("deep/real", `${dir}/link`);
    Deno.symlinkSync("link", `${dir}/link to it`);
    writeDocument(`${dir}/link to it`, "new");
    assertEquals(Deno.readTextFileSync(`${dir}/deep/real`), "new");
    assertEquals(Deno.lstatSync(`${dir}/link to it`).isSymlink, true);
    Deno.symlinkSync("deep/made", `${dir}/dangling`);
    {
      using file = new WholeFile(`${dir}/dangling`);
      file.write("made\n");
      file.keep();
    }
    assertEquals(Deno.readTextFileSync(`${dir}/deep/made`), "made\n");
    assertEquals(names(`${dir}/deep`), ["made", "real"]);
  }),
);

Deno.test(
  "a document goes into a pipe that somebody reads; without a reader one line says so",
  inTemp(async (dir) => {
    const pipe = `${dir}/pipe`;
    assertEquals(new Deno.Command("mkfifo", { args: [pipe] }).outputSync().code, 0);
    const error = assertThrows(() => writeDocument(pipe, "text"), AccessError);
    assertMatch(error.message, /pipe/);
    assertEquals(Deno.lstatSync(pipe).isFifo, true);
    const reader = new Deno.Command("cat", { args: [pipe], stdout: "piped" }).spawn();
    for (let tries = 0;; tries++) {
      try {
        writeDocument(pipe, "read\n".repeat(30_000));
        break;
      } catch (cause) {
        if (tries > 500) throw cause;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    const { stdout } = await reader.output();
    assertEquals(stdout.length, 150_000);
    assertEquals(names(dir), ["pipe"]);
  }),
);

const NOBODY = 65534;
/** errno(3). */
const EBADF = 9;

/** A command of another user. */
function asNobody(...command: string[]): void {
  const args = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", ...command];
  const { code, stderr } = new Deno.Command("setpriv", { args }).outputSync();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
}

/** A directory where everybody may write, and a file of ours beside it that nobody else may. */
function shared(
  name: string,
  body: (place: { dir: string; ours: string }) => void | Promise<void>,
  mode = 0o1777,
) {
  return {
    // Another user's links need another user.
    ...skippedWithout(name, NOT_ROOT),
    fn: inTemp(async (outer) => {
      Deno.chmodSync(outer, 0o755);
      const dir = `${outer}/shared`;
      Deno.mkdirSync(dir);
      Deno.chmodSync(dir, mode);
      const ours = `${outer}/ours`;
      Deno.writeTextFileSync(ours, "ours");
      await body({ dir, ours });
      assertEquals(Deno.readTextFileSync(ours), "ours");
    }),
  };
}

const planted = /cannot write ".*": a link of user 65534, .*\. Remove it/;

Deno.test({
  ...shared(
    "a planted link is refused, with its owner, by every kind of output",
    ({ dir, ours }) => {
      const path = `${dir}/x.report`;
      asNobody("ln", "-s", ours, path);
      assertMatch(assertThrows(() => writeDocument(path, "new"), AccessError).message, planted);
      assertMatch(assertThrows(() => new LineFile(path, () => {}), AccessError).message, planted);
      assertMatch(assertThrows(() => mergeFiles([], path), AccessError).message, planted);
      assertMatch(probeDocument(path)!.message, planted);
      assertThrows(() => renameOutput(ours, path), OsError);
      assertEquals(names(dir), ["x.report"]);
    },
  ),
});

Deno.test({
  ...shared(
    "a planted link is refused where the directory is not sticky either",
    ({ dir, ours }) => {
      asNobody("ln", "-s", ours, `${dir}/x.report`);
      assertMatch(
        assertThrows(() => writeDocument(`${dir}/x.report`, "new"), Error).message,
        planted,
      );
    },
    0o777,
  ),
});

Deno.test({
  ...shared(
    "a planted directory link is refused, and one behind a link of ours",
    ({ dir, ours }) => {
      const home = ours.slice(0, ours.lastIndexOf("/"));
      asNobody("ln", "-s", home, `${dir}/deep`);
      assertMatch(
        assertThrows(() => writeDocument(`${dir}/deep/ours`, "new"), Error).message,
        planted,
      );
      Deno.symlinkSync(`${dir}/deep/ours`, `${home}/mine`);
      assertMatch(assertThrows(() => writeDocument(`${home}/mine`, "new"), Error).message, planted);
      // a link of ours in the same place works
      Deno.symlinkSync(`${home}/made`, `${dir}/own`);
      writeDocument(`${dir}/own`, "made");
      assertEquals(Deno.readTextFileSync(`${home}/made`), "made");
    },
  ),
});

Deno.test({
  ...shared(
    "behind a planted link no directory is made, no link, and nothing is removed",
    ({ dir, ours }) => {
      const home = ours.slice(0, ours.lastIndexOf("/"));
      const before = names(home), of = /^a link of user 65534/;
      asNobody("ln", "-s", home, `${dir}/deep`);
      for (const path of ["deep/new", "deep/new/newer/", "deep/./new"]) {
        assertMatch(assertThrows(() => makeDirectories(`${dir}/${path}`), Error).message, of);
      }
      assertMatch(assertThrows(() => makeLink("/", `${dir}/deep/new`), Error).message, of);
      assertEquals(removeUserFile(`${dir}/deep/ours`), false);
      assertEquals(names(home), before);
      // The link itself goes, and not what it leads to; our own leads to a directory of ours.
      assertEquals(removeUserFile(`${dir}/deep`), true);
      Deno.symlinkSync(home, `${dir}/own`);
      makeDirectories(`${dir}/own/a/b`, 0o700);
      makeDirectories(`${dir}/own/a/b/`);
      makeLink("b", `${dir}/own/a/c`);
      assertEquals(names(`${home}/a`), ["b", "c"]);
      assertEquals(Deno.statSync(`${home}/a/c`).mode! & 0o777, 0o700);
      assertThrows(() => makeDirectories(`${ours}/x`), OsError, "File exists");
      assertThrows(() => makeDirectories(ours), OsError, "File exists");
    },
  ),
});

Deno.test({
  ...shared("a planted pipe is refused at once, as is a second name of a file", ({ dir, ours }) => {
    asNobody("mkfifo", `${dir}/pipe`);
    const message = assertThrows(() => writeDocument(`${dir}/pipe`, "new"), AccessError).message;
    assertMatch(message, /: a pipe of user 65534/);
    Deno.linkSync(ours, `${dir}/x.csv`);
    assertThrows(() => new LineFile(`${dir}/x.csv`, () => {}), AccessError);
    asNobody("touch", `${dir}/y.csv`);
    const second = assertThrows(() => new LineFile(`${dir}/y.csv`, () => {}), AccessError).message;
    assertMatch(second, /: .*(a file of user 65534|Permission denied)/);
    // A whole file takes the name, and leaves what had it.
    writeDocument(`${dir}/x.csv`, "new");
    assertEquals(Deno.readTextFileSync(`${dir}/x.csv`), "new");
  }),
});

/** Files that this process makes belong to nobody, as on a file server that maps all users: setfsuid(2). */
function filesOfNobody(action: () => void): void {
  const library = Deno.dlopen("libc.so.6", {
    setfsuid: { parameters: ["u32"], result: "i32" },
  });
  library.symbols.setfsuid(NOBODY);
  try {
    action();
  } finally {
    library.symbols.setfsuid(0);
    library.close();
  }
}

Deno.test({
  ...shared(
    "a file that grows is ours if we make it, whoever the file server says owns it",
    ({ dir }) => {
      filesOfNobody(() => {
        using file = new LineFile(`${dir}/x.csv`, () => {});
        file.write("a line\n");
      });
      assertEquals(Deno.statSync(`${dir}/x.csv`).uid, NOBODY);
      assertEquals(Deno.readTextFileSync(`${dir}/x.csv`), "a line\n");
    },
    0o777,
  ),
});

Deno.test(
  "a file that cannot be closed takes no name: a file server tells only then that it has no room",
  inTemp((dir) => {
    Deno.writeTextFileSync(`${dir}/file`, "old");
    {
      using place = new OutputPlace(`${dir}/file`);
      const fd = place.besideByName().release();
      closeFile(fd);
      const error = assertThrows(() => place.finish(UserFile.of(fd)), OsError);
      assertEquals(error.errno, EBADF);
    }
    assertEquals(Deno.readTextFileSync(`${dir}/file`), "old");
    assertEquals(names(dir), ["file"]);
  }),
);

Deno.test(
  "a file on its way has no name, and none stays",
  inTemp((dir) => {
    for (let i = 0; i < 3; i++) {
      using file = new WholeFile(`${dir}/file`, { survives: true });
      file.write(`text ${i}`);
      assertEquals(names(dir), i < 2 ? [] : ["file"]);
      if (i > 0) file.keep();
    }
    assertEquals(Deno.readTextFileSync(`${dir}/file`), "text 2");
    assertEquals(names(dir), ["file"]);
  }),
);

Deno.test(
  "a new file has the mode that the umask leaves",
  inTemp((dir) => {
    const umask = Deno.umask(0o027);
    try {
      for (const name of ["new", "new"]) writeDocument(`${dir}/${name}`, "text");
      assertEquals((Deno.statSync(`${dir}/new`).mode ?? 0) & 0o777, 0o640);
    } finally {
      Deno.umask(umask);
    }
  }),
);

Deno.test(
  "links that go in a circle, and a file for a directory, are errors of a line",
  inTemp((dir) => {
    Deno.symlinkSync("b", `${dir}/a`);
    Deno.symlinkSync("a", `${dir}/b`);
    assertMatch(assertThrows(() => writeDocument(`${dir}/a`, ""), Error).message, /symbolic links/);
    Deno.writeTextFileSync(`${dir}/file`, "");
    assertMatch(
      assertThrows(() => writeDocument(`${dir}/file/x`, ""), Error).message,
      /not a directory/,
    );
    assertMatch(
      assertThrows(() => writeDocument(`${dir}/none/x`, ""), Error).message,
      /no such (file or )?directory/,
    );
  }),
);
