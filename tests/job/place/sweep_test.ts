/** What killed monitors left goes; what somebody holds stays. */
import { assertEquals } from "@std/assert";
import { closeFile, O, openFile } from "../../../src/os/files.ts";
import { libc } from "../../../src/os/libc.ts";
import { sweep } from "../../../src/job/place/sweep.ts";

Deno.test("sweep() removes what no process holds, and nothing else", () => {
  const base = Deno.makeTempDirSync();
  const job = (name: string) => {
    Deno.mkdirSync(`${base}/${name}/s-1-2`, { recursive: true });
    Deno.writeTextFileSync(`${base}/${name}/s-1-2/17.0`, "ring");
    Deno.writeTextFileSync(`${base}/${name}/current`, "s-1-2\n");
    Deno.writeTextFileSync(`${base}/${name}/lock`, "");
  };
  job("left");
  job("held");
  Deno.mkdirSync(`${base}/being made`);
  Deno.writeTextFileSync(`${base}/claim-left`, "");
  Deno.writeTextFileSync(`${base}/claim-held`, "");
  const held = ["held/lock", "claim-held"].map((name) => {
    const fd = openFile(`${base}/${name}`, O.RDWR);
    assertEquals(libc().flock(fd, 6), 0);
    return fd;
  });
  sweep(base);
  const names = () => [...Deno.readDirSync(base)].map((entry) => entry.name).sort();
  assertEquals(names(), ["being made", "claim-held", "held"]);
  assertEquals([...Deno.readDirSync(`${base}/held`)].length, 3);
  held.forEach(closeFile);
  sweep(base);
  assertEquals(names(), ["being made"]);
  Deno.removeSync(base, { recursive: true });
});

Deno.test("sweep() stops when its time is over, and goes on another time", () => {
  const base = Deno.makeTempDirSync();
  for (let i = 0; i < 30; i++) {
    Deno.mkdirSync(`${base}/own-${i}/s-1-2`, { recursive: true });
    Deno.writeTextFileSync(`${base}/own-${i}/lock`, "");
  }
  const left = () => [...Deno.readDirSync(base)].length;
  assertEquals(sweep(base, -1), false);
  assertEquals(left(), 30);
  assertEquals(sweep(base), true);
  assertEquals(left(), 0);
  Deno.removeSync(base, { recursive: true });
});
