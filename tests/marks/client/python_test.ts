/** The Python client against the monitor's side of the ring: src/marks/client/texts/joulemark.py.in. */
import { assert, assertEquals } from "@std/assert";
import { LANGUAGES } from "../../../src/marks/client/files.ts";
import { needs, run } from "../marker/_c_program.ts";
import { RingSession } from "../marker/_ring_session.ts";

/** Runs a program with the module beside it. */
async function python(session: RingSession, program: string, during?: () => void) {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-py-" });
  try {
    for (const { name, text } of LANGUAGES.python.files()) {
      Deno.writeTextFileSync(`${dir}/${name}`, text);
    }
    Deno.writeTextFileSync(`${dir}/app.py`, `import joulemark, os, threading\n${program}`);
    const ran = await run(["python3", `${dir}/app.py`], session, during);
    assertEquals([ran.code, ran.stderr], [0, ""]);
    return ran;
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ ...needs("python3", name), fn });
}

test("begin() and end() lose no visit without a reader", async () => {
  using session = new RingSession();
  await python(
    session,
    `for i in range(50000):
    joulemark.begin("a"); joulemark.begin("inner"); joulemark.end("inner"); joulemark.end("a")
for i in range(400): joulemark.begin("name %d" % i); joulemark.end("name %d" % i)
`,
  );
  using seen = session.open();
  seen.poll();
  const visits = seen.visits();
  assertEquals(visits.a, 50000);
  assertEquals(visits["name 399"], 1);
  assertEquals(seen.garbage, 0);
  assert(seen.folds.length > 300);
  assert(!Number.isNaN(seen.ring.stopNs()));
});

test("threads have rings of their own, which serve again when they are read", async () => {
  using session = new RingSession();
  let seen: ReturnType<RingSession["open"]> | undefined;
  await python(
    session,
    `def work():
    with joulemark.region("thread"): pass
for i in range(300):
    t = threading.Thread(target=work); t.start(); t.join()
`,
    () => {
      try {
        seen ??= session.open();
      } catch {
        return; // not ready yet
      }
      seen.poll();
    },
  );
  seen!.poll();
  assertEquals(seen!.visits(), { thread: 300 });
  assert(seen!.ring.threads.length < 300);
  const { size } = Deno.statSync(`${session.dir}/${session.files[0]}`);
  seen![Symbol.dispose]();
  assert(size < 300 * 272 * 1024, `${size} bytes`);
});

test("a forked child has a file of its own", async () => {
  using session = new RingSession();
  const { pid } = await python(
    session,
    `with joulemark.region("both"): pass
child = os.fork()
if child == 0:
    with joulemark.region("both"): pass
    joulemark.shutdown()
    os._exit(0)
os.waitpid(child, 0)
`,
  );
  assertEquals(session.files.length, 2);
  for (const file of session.files) {
    using seen = session.open(file);
    seen.poll();
    assertEquals(seen.visits(), { both: 1 });
    assertEquals(`${seen.ring.pid}.0`, file);
  }
  assert(session.files.includes(`${pid}.0`));
});

test("a session of another version, or that others can enter, gets nothing", async () => {
  for (const options of [{ version: 99 }, { mode: 0o755 }]) {
    using session = new RingSession(options);
    await python(session, `joulemark.begin("a"); assert not joulemark.active()\n`);
    assertEquals(session.files, []);
  }
});
