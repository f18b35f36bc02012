/** Events that other processes hand over: what is none is closed, and never mapped. */
import { assertEquals } from "@std/assert";
import { HandedEvents, LAST } from "../../../src/os/devices/handed_events.ts";
import { closeFile } from "../../../src/os/files.ts";
import { compile, NO_COMPILER } from "../../_support/compiled.ts";
import { skippedWithout } from "../../_support/skipped.ts";
import { withTimeLimit } from "../../_support/time_limit.ts";

Deno.test({
  ...skippedWithout("an event and the end of a pipe are taken, a regular file is not", NO_COMPILER),
  async fn() {
    await withTimeLimit(check, 30);
  },
});

function check(): void {
  const dir = Deno.makeTempDirSync();
  try {
    compile("os/devices/hand_over.c", `${dir}/hand_over`, []);
    using events = HandedEvents.open(dir)!;
    const opened = () => [...Deno.readDirSync("/proc/self/fd")].length;
    const before = opened();
    const send = (...more: string[]) => {
      const args = [`${dir}/samples`, ...more];
      return new Deno.Command(`${dir}/hand_over`, { args }).outputSync().code;
    };
    const code = send();
    if (code === 77) return console.log("skipped: this user may open no event");
    assertEquals(code, 0);
    const taken = events.take();
    assertEquals(taken.map(({ pid, cpu, fd }) => [pid, cpu, fd >= 0]), [
      [77, 0, true],
      [77, 0, false],
      [77, LAST, true],
    ]);
    for (const { fd } of taken) closeFile(fd);
    // Without descriptors none is taken for one.
    assertEquals(send("bare"), 0);
    assertEquals(events.take().map(({ fd }) => fd), [-1]);
    assertEquals(events.take(), []);
    assertEquals(opened(), before);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}
