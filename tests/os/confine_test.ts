/** What a confined process is refused, on any thread: the monitor, and the collector, which opens nothing. */
import { assert, assertEquals } from "@std/assert";
import { timed } from "../_support/time_limit.ts";

const PROGRAM = `
import { confineToOpenFiles } from ${
  JSON.stringify(import.meta.resolve("../../src/os/confinement/confine.ts"))
};
import { connectTo } from ${JSON.stringify(import.meta.resolve("../../src/os/socket.ts"))};
const [kept, other] = Deno.args;
using open = Deno.openSync(kept);
Deno.lstatSync(kept);
try { connectTo("/", 1); } catch { /* the library is open now */ }
const found = confineToOpenFiles(65534);
const said = [];
const tries = {
  "open here": () => Deno.openSync(other),
  "open on a thread of the pool": () => Deno.readTextFile(other),
  "make": () => Deno.writeTextFileSync(other + ".new", ""),
  "remove": () => Deno.removeSync(other),
  "rename": () => Deno.renameSync(other, other + ".new"),
  "make a directory": () => Deno.mkdirSync(other + ".new"),
  "link": () => Deno.linkSync(other, other + ".new"),
  "link by name": () => Deno.symlinkSync(other, other + ".new"),
  "listen": () => Deno.listen({ transport: "unix", path: other + ".socket" }),
  "start": () => new Deno.Command("/bin/true").outputSync(),
  "start aside": () => new Deno.Command("/bin/true").output(),
  "kill": () => Deno.kill(Deno.ppid, "SIGCONT"),
  "connect": () => { if (connectTo("/run/nothing", 1) === undefined) throw new Error(); },
};
for (const [name, attempt] of Object.entries(tries)) {
  try {
    await attempt();
    said.push(name);
  } catch { /* refused */ }
}
const bytes = new Uint8Array(8);
const read = open.readSync(bytes);
console.log(JSON.stringify({ found, said, read }));
`;

/** Once the monitor is confined; what it still needs goes on. */
const MONITOR = `
import { Confiner } from ${
  JSON.stringify(import.meta.resolve("../../src/os/confinement/confine.ts"))
};
import { libc } from ${JSON.stringify(import.meta.resolve("../../src/os/libc.ts"))};
const [kept] = Deno.args;
libc();
const found = new Confiner({ handler: 0n, restorer: 0n }, { reads: [], devices: [], own: [], outputs: [] });
const said = [];
const refusedBy = (number) => libc().sigqueueThread(number, 0, 0, 0, null) !== 0n;
const tries = {
  "execute here": () => new Deno.Command("/bin/true").outputSync(),
  "execute on a thread of the pool": () => new Deno.Command("/bin/true").output(),
  "connect to another node": () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
  "listen for other nodes": () => Deno.listen({ port: 0 }),
  "io_uring": () => { if (refusedBy(425n)) throw new Error(); },
  "a namespace": () => { if (refusedBy(${
  Deno.build.arch === "aarch64" ? 97 : 272
}n)) throw new Error(); },
};
for (const [name, attempt] of Object.entries(tries)) {
  try {
    await attempt();
    said.push(name);
  } catch { /* refused */ }
}
const threads = [...Deno.readDirSync("/proc/self/task")].map(({ name }) => {
  return /^Seccomp:\\s*2$/m.test(Deno.readTextFileSync("/proc/self/task/" + name + "/status"));
});
const read = (await Deno.readTextFile(kept)).length;
console.log(JSON.stringify({ found: { calls: found.calls }, said, read, threads }));
`;

/** Runs a program in a Deno of its own. */
function run(program: string): Record<string, unknown> {
  const dir = Deno.makeTempDirSync();
  try {
    for (const name of ["kept", "other"]) Deno.writeTextFileSync(`${dir}/${name}`, "12");
    Deno.writeTextFileSync(`${dir}/program.ts`, program);
    const config = Deno.env.get("JOULEMARK_CONFIG") ?? "airgap/deno.json";
    const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
      args: [
        ...["run", "--quiet", "--no-lock", "-A", "--config", config],
        ...[`${dir}/program.ts`, `${dir}/kept`, `${dir}/other`],
      ],
    }).outputSync();
    const text = new TextDecoder().decode(stdout);
    assert(text !== "", new TextDecoder().decode(stderr));
    return JSON.parse(text);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

timed("confineToOpenFiles() refuses what is not open yet, on every thread", () => {
  const { found, said, read } = run(PROGRAM);
  assertEquals(said, []);
  assertEquals(found, { privileges: "none", calls: "filtered", paths: "none" });
  assertEquals(read, 2);
});

timed("Confiner refuses to execute, and sockets that leave the node, on every thread", () => {
  const { found, said, read, threads } = run(MONITOR);
  assertEquals(said, []);
  assertEquals((found as { calls: string }).calls, "filtered");
  assert((threads as boolean[]).length > 1 && (threads as boolean[]).every((one) => one));
  assertEquals(read, 2);
});
