import { assert, assertEquals, assertThrows } from "@std/assert";
import { AccessError } from "../../src/core/errors.ts";
import {
  linkCount,
  listDirectory,
  modifiedAt,
  O,
  openFile,
  readLinkTarget,
  readText,
  statPath,
  writeNew,
} from "../../src/os/files.ts";
import { ERRNO } from "../../src/os/libc.ts";

Deno.test("openFile() gives the errno when it fails", () => {
  assertEquals(openFile("/no/such/file", O.RDONLY), -ERRNO.ENOENT);
  assertEquals(openFile("/proc/self/status/x", O.RDONLY), -ERRNO.ENOTDIR);
});

Deno.test("readText() reads kernel files, whose size is not known before", () => {
  assert(readText("/proc/cpuinfo")!.length > 100);
  assert(readText("/proc/self/status")!.includes("Pid:"));
  assertEquals(readText("/no/such/file"), undefined);
});

Deno.test("readText() reads files longer than its first buffer", () => {
  const path = Deno.makeTempFileSync();
  const text = "0123456789\n".repeat(5000);
  Deno.writeTextFileSync(path, text);
  assertEquals(readText(path), text);
  Deno.removeSync(path);
});

Deno.test("listDirectory() is sorted, complete, and empty for what is none", () => {
  const dir = Deno.makeTempDirSync();
  const names = Array.from({ length: 2000 }, (_, i) => `file-${String(i).padStart(4, "0")}`);
  for (const name of names.toReversed()) Deno.writeTextFileSync(`${dir}/${name}`, "");
  assertEquals(listDirectory(dir), names);
  assertEquals(listDirectory(`${dir}/missing`), []);
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("statPath() distinguishes links from their targets", () => {
  const dir = Deno.makeTempDirSync();
  Deno.symlinkSync("/proc", `${dir}/link`);
  assertEquals(readLinkTarget(`${dir}/link`), "/proc");
  assertEquals(statPath(`${dir}/link`, false)!.mode & 0o170000, 0o120000);
  assertEquals(statPath(`${dir}/link`)!.mode & 0o170000, 0o040000);
  assertEquals(statPath(dir)!.mode & 0o777, 0o700);
  assertEquals(statPath(`${dir}/missing`), undefined);
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("linkCount() is 0 once a file was replaced", () => {
  const dir = Deno.makeTempDirSync();
  Deno.writeTextFileSync(`${dir}/a`, "1");
  const fd = openFile(`${dir}/a`, O.RDONLY);
  assertEquals(linkCount(fd), 1);
  Deno.writeTextFileSync(`${dir}/b`, "2");
  Deno.renameSync(`${dir}/b`, `${dir}/a`);
  assertEquals(linkCount(fd), 0);
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("modifiedAt() moves when a directory gets a file", async () => {
  const dir = Deno.makeTempDirSync();
  const fd = openFile(dir, O.RDONLY | O.DIRECTORY);
  const before = modifiedAt(fd);
  assert(before > 0);
  // The directory's time has the grain of the kernel's tick.
  await new Promise((done) => setTimeout(done, 20));
  Deno.writeTextFileSync(`${dir}/x`, "");
  assert(modifiedAt(fd) !== before);
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("writeNew() refuses an existing file or link", () => {
  const dir = Deno.makeTempDirSync();
  writeNew(`${dir}/a`, new TextEncoder().encode("x"));
  assertEquals(Deno.readTextFileSync(`${dir}/a`), "x");
  assertEquals(Deno.statSync(`${dir}/a`).mode! & 0o777, 0o600);
  assertThrows(() => writeNew(`${dir}/a`, new Uint8Array()), AccessError, "file exists");
  Deno.symlinkSync(`${dir}/target`, `${dir}/link`);
  assertThrows(() => writeNew(`${dir}/link`, new Uint8Array()), AccessError);
  Deno.removeSync(dir, { recursive: true });
});
