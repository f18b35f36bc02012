import { assert, assertEquals } from "@std/assert";
import { monotonicNanoseconds } from "../../src/os/clock.ts";
import { guessInherited, parseInherited } from "../../src/os/inherited.ts";
import {
  environment,
  findCommand,
  isAlive,
  openPidfd,
  reap,
  sendSignal,
  setSignalMask,
  spawn,
} from "../../src/os/process.ts";
import { closeFile, O, openFile } from "../../src/os/files.ts";
import { NewNames } from "../../src/os/new_names.ts";
import { Waiter } from "../../src/os/wait.ts";
import { resetSignals } from "../_support/time_limit.ts";

function start(script: string, openFiles = NaN): number {
  return spawn({
    path: "/bin/sh",
    args: ["sh", "-c", script],
    env: environment({}),
    inherited: { ...guessInherited(), openFiles },
  });
}

function waitFor(pid: number) {
  const deadline = monotonicNanoseconds() + 20e9;
  const waiter = new Waiter(-1, openPidfd(pid));
  for (;;) {
    const ended = reap(pid);
    if (ended !== undefined) return ended;
    assert(monotonicNanoseconds() < deadline, "the child did not end");
    waiter.until(monotonicNanoseconds() + 1e8);
  }
}

Deno.test("parseInherited() reads what the guardian writes, and nothing else", () => {
  const flag = "--joulemark-inherited=";
  assertEquals(parseInherited(`${flag}0:1000:1024`), {
    blocked: 0n,
    ignored: 0x1000n,
    openFiles: 1024,
  });
  assertEquals(parseInherited(`${flag}ffffffffffffffff:1:-`), {
    blocked: (1n << 64n) - 1n,
    ignored: 1n,
    openFiles: NaN,
  });
  for (const bad of ["", "x", flag, `${flag}g:0:1`]) assertEquals(parseInherited(bad), undefined);
});

Deno.test("findCommand() goes on after a file that cannot be run, as execvp(3)", () => {
  const dir = Deno.makeTempDirSync();
  for (
    const [name, text, mode] of [
      ["a", "#!/no/such\n", 0o755],
      ["b", "#!/bin/sh\n", 0o644],
      ["c", "#!/bin/sh\n", 0o755],
    ] as const
  ) {
    Deno.mkdirSync(`${dir}/${name}`);
    Deno.writeTextFileSync(`${dir}/${name}/tool`, text, { mode });
  }
  assertEquals(findCommand("tool", `${dir}/a:${dir}/b:${dir}/c`), { path: `${dir}/c/tool` });
  assertEquals((findCommand("tool", `${dir}/a`) as { status: number }).status, 126);
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("findCommand() answers as a shell does", () => {
  const dir = Deno.makeTempDirSync();
  Deno.writeTextFileSync(`${dir}/plain`, "", { mode: 0o644 });
  Deno.writeTextFileSync(`${dir}/tool`, "#!/bin/sh\n", { mode: 0o755 });
  Deno.mkdirSync(`${dir}/folder`);
  assertEquals(findCommand("tool", `/none:${dir}`), { path: `${dir}/tool` });
  assertEquals(findCommand(`${dir}/tool`, ""), { path: `${dir}/tool` });
  const status = (name: string) => (findCommand(name, dir) as { status: number }).status;
  assertEquals(status("plain"), 126);
  assertEquals(status("folder"), 126);
  assertEquals(status("missing"), 127);
  Deno.writeTextFileSync(`${dir}/lost`, "#! /none/sh -x\n", { mode: 0o755 });
  assertEquals(findCommand(`${dir}/lost`, ""), {
    status: 126,
    reason: `${dir}/lost: interpreter /none/sh not found`,
  });
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("environment() keeps every byte but what is changed", () => {
  const names = (list: Uint8Array[]) => list.map((e) => new TextDecoder().decode(e).split("=")[0]);
  const all = environment({});
  const some = environment({ PATH: undefined, JOULEMARK_X: "1 2" });
  assert(names(all).includes("PATH"));
  assert(!names(some).includes("PATH"));
  assertEquals(new TextDecoder().decode(some.at(-1)!), "JOULEMARK_X=1 2\0");
  assertEquals(some.length, all.length);
});

Deno.test("spawn() and reap() give the status that a shell would", () => {
  assertEquals(waitFor(start("exit 7")), { code: 7, signal: 0 });
  assertEquals(waitFor(start("kill -9 $$")), { code: 137, signal: 9 });
  assertEquals(waitFor(start("true")), { code: 0, signal: 0 });
});

Deno.test("spawn() hands on limits and signal dispositions, not the runtime's", () => {
  resetSignals();
  const dir = Deno.makeTempDirSync();
  waitFor(start(`ulimit -Sn >${dir}/n; grep ^Sig /proc/self/status >${dir}/s`, 345));
  assertEquals(Deno.readTextFileSync(`${dir}/n`).trim(), "345");
  const status = Deno.readTextFileSync(`${dir}/s`);
  // Not SIGPIPE, which the runtime ignores; what whoever started the tests ignores stays so.
  const ignored = BigInt("0x" + /^SigIgn:\s*(\w+)$/m.exec(status)![1]);
  assertEquals(ignored, guessInherited().ignored);
  assert(/^SigBlk:\s*0+$/m.test(status), status);
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("isAlive() takes a child that was not reaped as ended", () => {
  const pid = start("exec sleep 30");
  assert(isAlive(pid));
  assert(sendSignal(pid, 9));
  const waiter = new Waiter(-1, openPidfd(pid));
  assertEquals(waiter.until(monotonicNanoseconds() + 10e9), "ended");
  assert(!isAlive(pid));
  assertEquals(reap(pid), { code: 137, signal: 9 });
  assert(!isAlive(999_999_999));
});

Deno.test("Waiter.until() sleeps to the moment it was given", () => {
  const waiter = new Waiter(-1, -1);
  const target = monotonicNanoseconds() + 3e7;
  assertEquals(waiter.until(target), "time");
  assert(monotonicNanoseconds() >= target);
  assertEquals(waiter.until(target), "time");
});

Deno.test("Waiter.until() ends for a new name in a directory where it is to, once", () => {
  const directory = Deno.makeTempDirSync();
  const fd = openFile(directory, O.RDONLY | O.DIRECTORY);
  // Children of other tests end meanwhile, and any signal ends a wait.
  setSignalMask((1n << 64n) - 1n);
  const names = new NewNames(fd);
  const waiter = new Waiter(-1, -1);
  const tookMs = (ms: number, names?: NewNames) => {
    const startNs = monotonicNanoseconds();
    assertEquals(waiter.until(startNs + ms * 1e6, startNs, names), "time");
    return (monotonicNanoseconds() - startNs) / 1e6;
  };
  try {
    // A signal of another test's directory may still wait for this thread.
    tookMs(20, names);
    assert(tookMs(20, names) >= 20);
    Deno.writeTextFileSync(`${directory}/a`, "");
    Deno.writeTextFileSync(`${directory}/a`, "and more");
    // Not where nobody waits for it; it waits for who does.
    assert(tookMs(20) >= 20);
    assert(tookMs(10_000, names) < 5_000);
    assert(tookMs(20, names) >= 20);
    Deno.renameSync(`${directory}/a`, `${directory}/b`);
    assert(tookMs(10_000, names) < 5_000);
    Deno.removeSync(`${directory}/b`);
    assert(tookMs(20, names) >= 20);
    assertEquals(new NewNames(-1).mask, undefined);
  } finally {
    setSignalMask(0n);
    closeFile(fd);
    Deno.removeSync(directory, { recursive: true });
  }
});
