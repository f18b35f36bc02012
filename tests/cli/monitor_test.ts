import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseRawStats } from "../../src/rawstats/format/rawstats.ts";
import { loadRawNode, writeRawTree } from "../_support/raw_node.ts";
import { timed } from "../_support/time_limit.ts";

const MAIN = new URL("../../main.ts", import.meta.url).pathname;
const CONFIG = new URL("../../airgap/deno.json", import.meta.url).pathname;

function command(socket: string, args: string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--config", CONFIG, "--no-lock", "-A", MAIN, ...args],
    env: { JOULEMARK_MONITOR_SOCKET: socket, NO_COLOR: "1" },
    stdout: "piped",
    stderr: "piped",
  });
}

async function run(socket: string, ...args: string[]) {
  const { code, stdout, stderr } = await command(socket, args).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: text(stdout), err: text(stderr) };
}

timed("monitor --once writes a header and one record of the tree's own time", async () => {
  const root = Deno.makeTempDirSync();
  writeRawTree(root, loadRawNode("vm-no-energy"), 0);
  const args = ["monitor", "--once", "--root", root, "--jobid", "4001", "--mark", "begin 4001"];
  const { code, out, err } = await run("/nonexistent", ...args);
  assertEquals([code, err], [0, ""]);
  const { records, errors } = parseRawStats(out);
  assertEquals(errors, []);
  const time = JSON.parse(Deno.readTextFileSync(`${root}/.root.json`)).time;
  assertEquals([records[0].timeUs, records[0].jobs], [time * 1e6, "4001"]);
  assertEquals(records[0].marks[0], "begin 4001");
  const few = parseRawStats((await run("/nonexistent", ...args, "--types", "ps,vfs")).out);
  assertEquals(few.records[0].lines.map((l) => l.type), ["ps", "vfs"]);
  assertEquals(few.schemas.size, parseRawStats(out).schemas.size);
  Deno.removeSync(root, { recursive: true });
});

timed("monitor and mark refuse what they cannot do, in one line", async () => {
  const wrong: [number, string[]][] = [
    [2, ["monitor"]],
    [2, ["monitor", "--once", "--dir", "x"]],
    [2, ["monitor", "--once", "--types", "cpus"]],
    [2, ["monitor", "--dir", "/tmp", "--interval", "0"]],
    [2, ["monitor", "--once", "--jobid", "a b"]],
    [2, ["monitor", "--once", "--root", "/nonexistent"]],
    [2, ["mark"]],
    [2, ["mark", "begin"]],
    [2, ["mark", "begin", "a", "b"]],
    [1, ["mark", "begin", "7"]],
  ];
  for (const [status, args] of wrong) {
    const { code, out, err } = await run("/tmp/no-such-monitor.sock", ...args);
    assertEquals([code, out, err.trimEnd().split("\n").length], [status, "", 1], args.join(" "));
  }
});

timed(
  "monitor takes marks, rotates on SIGHUP, ends on SIGTERM, and goes on after SIGKILL",
  async () => {
    const dir = Deno.makeTempDirSync();
    const socket = `${dir}/m.sock`;
    const args = ["monitor", "--interval", "0.5", "--dir", `${dir}/out`, "--types", "ps"];
    const start = async () => {
      const child = command(socket, args).spawn();
      for (let i = 0; i < 200 && (await run(socket, "mark", "there")).code !== 0; i++);
      return child;
    };
    const end = async (child: Deno.ChildProcess, signal: Deno.Signal) => {
      child.kill(signal);
      const { code, stderr } = await child.output();
      assertMatch(new TextDecoder().decode(stderr), /^joulemark: 1 type every 0\.5 s to /m);
      return code;
    };
    const first = await start();
    assertEquals((await run(socket, "mark", "begin", "77")).code, 0);
    assertEquals((await run(socket, "mark", "exec", "solver")).code, 0);
    const second = await run(socket, ...args);
    assertEquals(second.code, 1);
    assert(second.err.includes("one that answers"), second.err);
    assertEquals((await run(socket, "mark", "end", "77")).code, 0);
    first.kill("SIGHUP");
    await run(socket, "mark", "after");
    await run(socket, "mark", "later");
    await end(first, "SIGKILL");
    const again = await start();
    assertEquals(await end(again, "SIGTERM"), 0);
    const host = [...Deno.readDirSync(`${dir}/out`)][0].name;
    const names = [...Deno.readDirSync(`${dir}/out/${host}`)].map((e) => e.name)
      .filter((name) => name !== "current").sort();
    assertEquals(names.length, 2);
    const [before, after] = names.map((name) =>
      parseRawStats(Deno.readTextFileSync(`${dir}/out/${host}/${name}`))
    );
    assertEquals([before.errors, after.errors], [[], []]);
    const marks = before.records.flatMap((r) => r.marks.map((mark) => `${r.jobs} ${mark}`));
    for (const mark of ["77 begin 77", "77 exec solver", "77 end 77"]) assert(marks.includes(mark));
    const rest = after.records.flatMap((r) => r.marks);
    assertEquals(rest[0], "rotate -");
    assert(rest.some((mark) => /^gap \d+$/.test(mark)), rest.join());
    // nobody listens any more, and the socket is gone
    assertEquals((await run(socket, "mark", "x")).code, 1);
    Deno.removeSync(dir, { recursive: true });
  },
);
