/** A session directory with files that a monitor must not trust. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { QUESTION_PREFIX } from "../../../src/marks/rings/answers.ts";
import type { Marks } from "../../../src/marks/rings/marks.ts";
import { RingDirectory } from "../../../src/marks/rings/ring_directory.ts";
import { HEADER, RING_MAGIC, RING_VERSION } from "../../../src/core/events/ring_layout.ts";
import { monotonicNanoseconds, sleepUntil } from "../../../src/os/clock.ts";
import { RingFileMemory } from "../../../src/os/memory/ring_file.ts";
import {
  LaunchNotes,
  lookAtNoted,
  type NotedProcess,
} from "../../../src/marks/rings/processes/launch_notes.ts";
import { timed } from "../../_support/time_limit.ts";
import { NOT_ROOT, skippedWithout } from "../../_support/skipped.ts";

/** What a look finds; it must return at once. */
function look(
  prepare: (dir: string) => void,
): { rings: Marks[]; launched: number[]; text: string } {
  const dir = Deno.makeTempDirSync();
  try {
    prepare(dir);
    using directory = new RingDirectory(dir, 0n);
    const rings: Marks[] = [];
    const launched: number[] = [];
    for (let i = 0; i < 5; i++) {
      directory.look({
        ring: (ring) => rings.push(ring),
        launched: (pid) => launched.push(pid),
        asked: () => {},
      });
    }
    return { rings, launched, text: directory.refused.join("\n").replaceAll(dir, "") };
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

function nameOf(pid: number): string | undefined {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/comm`).trim();
  } catch {
    return undefined;
  }
}

function command(...args: string[]): void {
  const { code } = new Deno.Command(args[0], { args: args.slice(1) }).outputSync();
  assertEquals(code, 0);
}

timed(
  "RingDirectory refuses pipes, directories, links and what had no room at once, each once",
  () => {
    const found = look((dir) => {
      command("mkfifo", `${dir}/1.sh`, `${dir}/1.1`);
      Deno.mkdirSync(`${dir}/2.sh`);
      Deno.mkdirSync(`${dir}/2.2`);
      Deno.symlinkSync("/etc/passwd", `${dir}/3.sh`);
      Deno.symlinkSync("/etc/passwd", `${dir}/3.3`);
      Deno.writeTextFileSync(`${dir}/4.sh`, "p -\n");
      Deno.writeTextFileSync(`${dir}/7.0.full`, "");
    });
    assertEquals(found.rings.map((ring) => ring.pid), [4]);
    assertMatch(found.text, /^\/1\.1: a pipe of user \d+$/m);
    assertMatch(found.text, /^\/1\.sh: a pipe of user \d+$/m);
    assertMatch(found.text, /^\/2\.sh: a directory of user \d+$/m);
    assertMatch(found.text, /^\/3\.sh: a link$/m);
    assertMatch(found.text, /^\/3\.3: a link$/m);
    assertMatch(
      found.text,
      /^\/7\.0\.full: no room for the calls of its process$/m,
    );
    assertEquals(found.text.split("\n").length, 7);
  },
);

Deno.test("RingDirectory knows the process of a ring that gets ready between two reads of it", () => {
  const dir = Deno.makeTempDirSync(), path = `${dir}/${Deno.pid}.0`;
  const ring = new Uint8Array(4 * HEADER.affinity);
  new DataView(ring.buffer).setInt32(HEADER.pid, Deno.pid, true);
  Deno.writeFileSync(path, ring);
  ring.set(new TextEncoder().encode(RING_MAGIC));
  ring[7] = RING_VERSION;
  const { read } = RingFileMemory.prototype;
  RingFileMemory.prototype.read = function (...args) {
    const n = read.apply(this, args);
    Deno.writeFileSync(path, ring);
    return n;
  };
  try {
    using directory = new RingDirectory(dir, 0n);
    const hosts: (number | undefined)[] = [];
    const launched = () => {}, asked = launched;
    for (let i = 0; i < 2; i++) {
      directory.look({ ring: (_, host) => hosts.push(host), launched, asked });
    }
    assertEquals(hosts.length, 1);
    assert(hosts[0] !== 0, "process 0");
  } finally {
    RingFileMemory.prototype.read = read;
    Deno.removeSync(dir, { recursive: true });
  }
});

Deno.test({
  // To give a file away needs root.
  ...skippedWithout("RingDirectory refuses devices and files of other users", NOT_ROOT),
  fn() {
    const found = look((dir) => {
      Deno.writeTextFileSync(`${dir}/5.sh`, "p -\n");
      Deno.chownSync(`${dir}/5.sh`, 65534, 65534);
      Deno.writeTextFileSync(`${dir}/5.5`, "");
      Deno.chownSync(`${dir}/5.5`, 65534, 65534);
      new Deno.Command("mknod", { args: [`${dir}/6.sh`, "c", "1", "5"] }).outputSync();
    });
    assertEquals(found.rings.length, 0);
    assertMatch(found.text, /^\/5\.sh: a file of user 65534$/m);
    assertMatch(found.text, /^\/5\.5: a file of user 65534$/m);
    assertMatch(found.text, /^\/6\.sh: (a device of user 0|.*)$/m);
  },
});

timed("RingDirectory waits for no file that its maker removed again", () => {
  const dir = Deno.makeTempDirSync(), name = `${dir}/${Deno.pid}.0`;
  const listener = { ring: () => {}, launched: () => {}, asked: () => {} };
  try {
    Deno.writeTextFileSync(`${dir}/session`, "");
    using directory = new RingDirectory(dir, 0n);
    Deno.writeTextFileSync(name, "");
    directory.look(listener);
    assertEquals(directory.waiting, true);
    Deno.removeSync(name);
    directory.look(listener);
    assertEquals(directory.waiting, false);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

timed("a launch note is believed of a process of this user and session only", async () => {
  const dir = "/dev/shm/no such session";
  const mine = new Deno.Command("sleep", { args: ["20"], env: { JOULEMARK_SESSION: dir } }).spawn();
  const other = new Deno.Command("sleep", { args: ["20"], env: { JOULEMARK_SESSION: "x" } })
    .spawn();
  try {
    // The environment is there after execve.
    await new Promise((resolve) => setTimeout(resolve, 200));
    assertEquals(lookAtNoted(mine.pid, dir), "ours");
    assertEquals(lookAtNoted(other.pid, dir), { not: `process ${other.pid} is not of this run` });
    assertEquals(typeof lookAtNoted(1, dir), "object");
    // Process 2 is the kernel's, but in a namespace of its own.
    if (nameOf(2) === "kthreadd") {
      assertEquals(lookAtNoted(2, dir), { not: "process 2 is the kernel's", never: true });
    }
  } finally {
    for (const child of [mine, other]) {
      child.kill();
      await child.status;
    }
  }
  assertEquals(lookAtNoted(mine.pid, dir), "gone");
});

timed("LaunchNotes waits 5 s for a process to become its command, then refuses", () => {
  const state = new Map<number, NotedProcess>([[1, { not: "not ours" }], [2, { not: "not yet" }]]);
  const notes = new LaunchNotes((pid) => state.get(pid) ?? "gone");
  const told: string[] = [];
  const check = (ns: number) => {
    notes.check(ns, (pid) => told.push(`${pid}`), (why) => told.push(why));
  };
  for (const pid of [1, 2, 3]) notes.add(pid, 0);
  check(0);
  assertEquals(told, []);
  state.set(2, "ours");
  check(1e9);
  assertEquals(told, ["2"]);
  check(4.9e9);
  assertEquals(notes.waiting, true);
  check(5e9);
  assertEquals(told, ["2", "not ours"]);
  assertEquals(notes.waiting, false);
});

timed("RingDirectory awaits names when all that came is known, and misses none of a moment", () => {
  const dir = Deno.makeTempDirSync();
  try {
    using directory = new RingDirectory(dir, 0n);
    let found = 0;
    const listener = { ring: () => {}, launched: () => {}, asked: () => found++ };
    const look = () => directory.look(listener);
    const settle = () => {
      for (let looks = 0;; looks++) {
        look();
        if (directory.awaitNames() !== undefined) return looks;
        sleepUntil(monotonicNanoseconds() + 1e6);
      }
    };
    assertEquals(directory.awaitNames(), undefined);
    settle();
    // It comes within the time that the directory has already: only a listing finds it.
    Deno.writeTextFileSync(`${dir}/${QUESTION_PREFIX}1`, "");
    look();
    assertEquals(found, 1);
    // The directory's time is coarse: for a while it is listed at each look.
    const before = found, looks = settle();
    assert(looks > 0 && found - before >= looks, `${found - before} of ${looks}`);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
