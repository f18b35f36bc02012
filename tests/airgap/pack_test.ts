/** What the one-file executable gives to the program in it, seen by a small program in a real one. */
import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { withTimeLimit } from "../_support/time_limit.ts";
import { skippedWithout, unless } from "../_support/skipped.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const WRONG_MACHINE = unless(
  Deno.build.arch === "x86_64" && Deno.build.os === "linux",
  "the packed Deno is one for x86-64 Linux",
);

/** Prints what it sees as JSON; with `wait` it first waits for the end of its input. */
const PROGRAM = `
const status = (key) => new RegExp(key + ":\\\\s*(\\\\S+)").exec(Deno.readTextFileSync("/proc/self/status"))?.[1];
async function main() {
  if (Deno.args.includes("wait")) {
    console.log("ready");
    for await (const _ of Deno.stdin.readable);
  }
  console.log(JSON.stringify({
    args: Deno.args,
    form: globalThis.__JOULEMARK_FORM,
    execPath: Deno.execPath(),
    blocked: status("SigBlk"),
    variables: Object.keys(Deno.env.toObject()).sort(),
    received: Deno.readTextFileSync("/proc/self/environ").split("\\0").slice(0, -1),
    commandLine: Deno.readTextFileSync("/proc/self/cmdline").split("\\0").slice(1, -1),
    newSpace: (await import("node:v8")).getHeapSpaceStatistics().find((s) => s.space_name === "new_space").space_size,
    script: Deno.readLinkSync("/proc/self/fd/" + new URL(Deno.mainModule).pathname.split("/").at(-1)),
    streams: [0, 1, 2].map((fd) => {
      try {
        return Deno.readLinkSync("/proc/self/fd/" + fd).startsWith("/memfd:");
      } catch {
        return false;
      }
    }),
  }));
}
main();
`;

interface Seen {
  args: string[];
  form: string;
  execPath: string;
  blocked: string;
  variables: string[];
  received: string[];
  commandLine: string[];
  newSpace: number;
  script: string;
  streams: boolean[];
}

Deno.test({
  ...skippedWithout("the packed executable", WRONG_MACHINE),
  fn: (t) =>
    withTimeLimit(async () => {
      const folder = await Deno.makeTempDir();
      const file = `${folder}/packed`;
      await Deno.writeTextFile(`${folder}/program.js`, PROGRAM);
      await pack(file, `${folder}/program.js`);

      await t.step("hands over the arguments as they are", async () => {
        const seen = await look(file, ["--help", "a b", "", "-A", "--", "é"]);
        assertEquals(seen.args.slice(1), ["--help", "a b", "", "-A", "--", "é"]);
        assertEquals(seen.commandLine, seen.args.slice(1));
        assertEquals(seen.form, "packed");
        assertEquals(seen.execPath, file);
        assertMatch(seen.script, /memfd:joulemark/);
      });

      await t.step("keeps the young generation small", async () => {
        assert((await look(file, [])).newSpace <= 3 * 2 ** 20); // three semi-spaces of 1 MiB
      });

      await t.step("takes very many arguments", async () => {
        const many = Array.from({ length: 20_000 }, (_, i) => `argument-${i}`);
        assertEquals((await look(file, many)).args.slice(1), many);
      });

      await t.step("blocks SIGUSR1 and nothing else where no application runs", async () => {
        assertEquals((await look(file, ["query"])).blocked, "0000000000000200");
      });

      await t.step("reports what an application must get back", async () => {
        const shell = "trap '' USR2 PIPE; ulimit -Sn 300; ";
        const seen = await look("sh", ["-c", `${shell} exec "${file}" x`]);
        const { stdout } = await new Deno.Command("sh", {
          args: ["-c", `${shell} exec grep SigIgn /proc/self/status`],
        }).output();
        const ignored = BigInt("0x" + new TextDecoder().decode(stdout).split(/\s+/)[1]);
        assertEquals(ignored & 0x1800n, 0x1800n);
        const state = `--joulemark-inherited=0:${ignored.toString(16)}:300`;
        // Behind it: where the code is that confines threads.
        assertMatch(seen.args[0].replace(state, ""), /^:[1-9]\d*:[1-9]\d*$/);
      });

      await t.step("hides from Deno what would change it, not from an application", async () => {
        const variables = {
          A: "1",
          DENO_V8_FLAGS: "--no-such-flag",
          NODE_OPTIONS: "--inspect",
          OTEL_DENO: "true",
          DENO_PERMISSION_BROKER_PATH: "/nowhere",
          DENO_DIR: "/nowhere",
          Z: "2",
        };
        const seen = await look(file, [], variables);
        // HOME is nowhere, so that a ~/.npmrc cannot keep the runtime from starting.
        assertEquals(
          seen.variables,
          ["A", "DENO_DIR", "DENO_LOG", "DENO_NO_UPDATE_CHECK", "HOME", "Z"],
        );
        assertEquals(
          seen.received.sort(),
          Object.entries(variables).map((v) => v.join("=")).sort(),
        );
      });

      await t.step("writes nothing into HOME", async () => {
        const home = await Deno.makeTempDir();
        await look(file, [], { HOME: home });
        assertEquals([...Deno.readDirSync(home)], []);
        await Deno.remove(home);
      });

      await t.step("does not put its script on a closed standard stream", async () => {
        const seen = await look("sh", ["-c", `exec "${file}" x <&-`]);
        assertEquals(seen.streams, [false, false, false]);
      });

      await t.step("does not open a debugger on SIGUSR1", async () => {
        const child = new Deno.Command(file, {
          args: ["wait"],
          stdin: "piped",
          stdout: "piped",
          stderr: "piped",
        }).spawn();
        const output = child.stdout.getReader();
        assertEquals(new TextDecoder().decode((await output.read()).value), "ready\n");
        child.kill("SIGUSR1");
        await child.stdin.close();
        while (!(await output.read()).done);
        const errors = await new Response(child.stderr).text();
        assertNotMatch(errors, /Debugger/);
        assertEquals((await child.status).code, 0);
      });

      await t.step("is plain Deno with JOULEMARK_RAW_DENO=1", async () => {
        const { stdout } = await new Deno.Command(file, {
          args: ["eval", "console.log(Deno.args, globalThis.__JOULEMARK_FORM)", "x"],
          env: { JOULEMARK_RAW_DENO: "1", NO_COLOR: "1" },
        }).output();
        assertEquals(new TextDecoder().decode(stdout), '[ "x" ] undefined\n');
      });

      await Deno.remove(folder, { recursive: true });
    }),
});

async function pack(out: string, entry: string): Promise<void> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-config",
      `${ROOT}airgap/pack/pack.ts`,
      "--out",
      out,
      "--map",
      `${ROOT}airgap/deno.json`,
      "--entry",
      entry,
      "--",
      "--allow-all",
    ],
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
}

async function look(
  command: string,
  args: string[],
  env?: Record<string, string>,
): Promise<Seen> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args,
    env,
    clearEnv: env !== undefined,
  }).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout));
}
