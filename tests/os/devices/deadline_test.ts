/** A call that blocks ends in time; one that does not is left alone. */
import { assert, assertEquals } from "@std/assert";
import { Deadline } from "../../../src/os/devices/deadline.ts";
import { closeFile, O, openFile } from "../../../src/os/files.ts";
import { ERRNO, errno, libc } from "../../../src/os/libc.ts";
import { OpenKeptFile } from "../../../src/os/devices/kept_file.ts";
import { withTimeLimit } from "../../_support/time_limit.ts";

function withPipe(body: (path: string) => void): Promise<void> {
  return withTimeLimit(() => {
    const dir = Deno.makeTempDirSync(), path = `${dir}/pipe`;
    new Deno.Command("mkfifo", { args: [path] }).outputSync();
    try {
      body(path);
    } finally {
      Deno.removeSync(dir, { recursive: true });
    }
  }, 20);
}

Deno.test("Deadline ends a read that blocks, again and again, and sleeps are not its matter", () =>
  withPipe((path) => {
    const fd = openFile(path, O.RDWR);
    const into = new Uint8Array(8);
    using deadline = new Deadline();
    deadline.set(0.1);
    for (let i = 0; i < 3; i++) {
      assertEquals(libc().read(fd, into, 8n), -1n);
      assertEquals(errno(), ERRNO.EINTR);
    }
    deadline.set(10);
    const begin = performance.now();
    libc().write(fd, into, 8n);
    assertEquals(libc().read(fd, into, 8n), 8n);
    assert(performance.now() - begin < 5000);
    closeFile(fd);
  }));

Deno.test("a kept file that is a pipe fails, and does not block", () =>
  withPipe((path) => {
    using file = new OpenKeptFile("/sys/x", path, false);
    assert(file.read() < 0);
  }));
