/** The daemon where its surroundings are poor: no runtime directory, a directory that goes, a busy node. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseRawStats } from "../../src/rawstats/format/rawstats.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";

/** Waits for something that is not there yet. */
async function eventually<T>(look: () => T | undefined, limitMs = 20_000): Promise<T> {
  for (const end = Date.now() + limitMs; Date.now() < end;) {
    try {
      const found = look();
      if (found !== undefined) return found;
    } catch {
      // not there yet
    }
    await new Promise((go) => setTimeout(go, 50));
  }
  throw new Error("expected it to be there by now");
}

/** A running monitor; its directory is `out`. */
function start(
  dir: string,
  args: string[],
  env: Record<string, string>,
  become: readonly string[] = [],
) {
  const all = [
    ...become,
    BINARY,
    "monitor",
    "--interval",
    "0.5",
    "--dir",
    `${dir}/out`,
    "--types",
    "cpu",
    ...args,
  ];
  const child = new Deno.Command("env", {
    args: all,
    env: { ...env, TZ: "UTC" },
    clearEnv: true,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const current = () => {
    const [host] = [...Deno.readDirSync(`${dir}/out`)].map((entry) => entry.name);
    return parseRawStats(Deno.readTextFileSync(`${dir}/out/${host}/current`));
  };
  const end = async () => {
    child.kill("SIGTERM");
    const { code, stderr } = await child.output();
    return { code, stderr: new TextDecoder().decode(stderr) };
  };
  return { child, current, end };
}

const PATH = Deno.env.get("PATH")!;

endToEnd(
  "monitor records without a place for its socket, and says that marks cannot come",
  async (dir) => {
    Deno.chmodSync(dir, 0o777);
    // root has a place of its own
    const become = Deno.uid() === 0
      ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
      : [];
    const { current, end } = start(dir, [], { PATH }, become);
    await eventually(() => current().records.length >= 3 ? true : undefined);
    const { code, stderr } = await end();
    assertEquals(code, 0);
    assertMatch(
      stderr,
      /XDG_RUNTIME_DIR[^\n]*Records are written, but "joulemark mark" cannot reach/,
    );
  },
);

endToEnd(
  "monitor takes a comma list from --jobid-file, in each record and with --once",
  async (dir) => {
    Deno.writeTextFileSync(`${dir}/job`, "11,12\n");
    const env = { PATH, JOULEMARK_MONITOR_SOCKET: `${dir}/s` };
    const { current, end } = start(dir, ["--jobid-file", `${dir}/job`], env);
    const { records } = await eventually(() =>
      current().records.length >= 2 ? current() : undefined
    );
    assertEquals(records.map((record) => record.jobs), records.map(() => "11,12"));
    assertEquals(records[0].marks.slice(0, 2), ["begin 11", "begin 12"]);
    assertEquals((await end()).code, 0);
    const once = new Deno.Command(BINARY, {
      args: ["monitor", "--once", "--types", "cpu", "--jobid-file", `${dir}/job`],
    }).outputSync();
    assertEquals(parseRawStats(once.stdout).records[0].jobs, "11,12");
  },
);

endToEnd("monitor makes its host's directory again when it was removed", async (dir) => {
  Deno.mkdirSync(`${dir}/run`);
  const env = { PATH, JOULEMARK_MONITOR_SOCKET: `${dir}/run/s` };
  const { current, end } = start(dir, [], env);
  await eventually(() => current().records.length >= 2 ? true : undefined);
  const [host] = [...Deno.readDirSync(`${dir}/out`)].map((entry) => entry.name);
  Deno.removeSync(`${dir}/out/${host}`, { recursive: true });
  await eventually(() => current().records.length >= 2 ? true : undefined);
  const { code, stderr } = await end();
  assertEquals([code, stderr.includes("cannot write")], [0, false]);
  assertMatch(stderr, /current was removed or cut; a new file begins\n/);
});

endToEnd("monitor on a busy node is confined, or refuses", async (dir) => {
  const busy = Array.from(
    { length: 3 },
    () => new Deno.Command("sh", { args: ["-c", "while :; do :; done"] }).spawn(),
  );
  try {
    for (let i = 0; i < 5; i++) {
      const env = { PATH, JOULEMARK_MONITOR_SOCKET: `${dir}/s${i}` };
      const { child, end } = start(dir, [], env);
      const tasks = `/proc/${child.pid}/task`;
      const isConfined = () => {
        const threads = [...Deno.readDirSync(tasks)].map(({ name }) =>
          Deno.readTextFileSync(`${tasks}/${name}/status`)
        );
        const all = threads.every((text) => /^NoNewPrivs:\t1$/m.test(text));
        return threads.length > 2 && all ? true : undefined;
      };
      await eventually(isConfined, 25_000);
      const { code, stderr } = await end();
      assert(!stderr.includes("did not answer") || code === 1, stderr);
    }
  } finally {
    for (const one of busy) {
      one.kill("SIGKILL");
      await one.status;
    }
  }
});

endToEnd("a second monitor of one directory is refused, and the next one goes on", async (dir) => {
  const socket = (name: string) => ({ PATH, JOULEMARK_MONITOR_SOCKET: `${dir}/${name}` });
  const first = start(dir, [], socket("a"));
  await eventually(() => first.current().records.length > 1 ? true : undefined);
  const second = await start(dir, [], socket("b")).child.output();
  const stderr = new TextDecoder().decode(second.stderr);
  assertEquals(second.code, 1, stderr);
  assertMatch(stderr, /cannot write to "\S+": another monitor writes there\. Stop it, or choose/);
  assertEquals(stderr.trimEnd().split("\n").length, 1);
  const { length } = first.current().records;
  await eventually(() => first.current().records.length > length ? true : undefined);
  assertEquals((await first.end()).code, 0);
  const third = start(dir, [], socket("c"));
  const before = first.current().records.length;
  await eventually(() => third.current().records.length > before ? true : undefined);
  assertEquals((await third.end()).code, 0);
});
