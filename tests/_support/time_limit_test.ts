/** The limit of time itself: what hangs is killed and named, what is left over is killed. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { withTimeLimit } from "./time_limit.ts";

Deno.test("withTimeLimit() kills what hangs, in any group, and names it", async () => {
  const error = await assertRejects(() =>
    withTimeLimit(() => {
      new Deno.Command("setsid", { args: ["--wait", "sleep", "31.41"] }).outputSync();
    }, 0.5), Error);
  assertStringIncludes(error.message, "no end within 0.5 s");
  assertStringIncludes(error.message, "sleep 31.41");
});

Deno.test("withTimeLimit() leaves no process behind, and keeps the error of the test", async () => {
  const dir = Deno.makeTempDirSync();
  const pid = () => Number(Deno.readTextFileSync(`${dir}/pid`));
  await assertRejects(
    () =>
      withTimeLimit(() => {
        const command = `sleep 27.18 >/dev/null 2>&1 & echo $! >${dir}/pid`;
        new Deno.Command("sh", { args: ["-c", command] }).outputSync();
        throw new RangeError("of the test");
      }),
    RangeError,
    "of the test",
  );
  const state = () => {
    try {
      return /^State:\s*(\S)/m.exec(Deno.readTextFileSync(`/proc/${pid()}/status`))?.[1] ?? "Z";
    } catch {
      return "Z";
    }
  };
  for (let i = 0; i < 50 && state() !== "Z"; i++) await new Promise((go) => setTimeout(go, 20));
  assertEquals(state(), "Z");
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("withTimeLimit() resets signals that a shell's background jobs ignore", async () => {
  const script = `import { withTimeLimit } from "${import.meta.resolve("./time_limit.ts")}";
await withTimeLimit(() => {
  const out = new Deno.Command("grep", { args: ["SigIgn", "/proc/self/status"] }).outputSync();
  console.log(new TextDecoder().decode(out.stdout));
});`;
  const dir = Deno.makeTempDirSync();
  Deno.writeTextFileSync(`${dir}/ignoring.ts`, script);
  const command =
    `trap '' INT QUIT; exec "${Deno.execPath()}" run --no-config -A ${dir}/ignoring.ts`;
  const out = await new Deno.Command("sh", { args: ["-c", command] }).output();
  const text = new TextDecoder().decode(out.stdout);
  const ignored = BigInt(`0x${/SigIgn:\s*([0-9a-f]+)/.exec(text)?.[1]}`);
  assert((ignored & 0b110n) === 0n, text);
  Deno.removeSync(dir, { recursive: true });
});

Deno.test("run.sh ends a suite that hangs, all that it started too, and names the test", () => {
  const dir = Deno.makeTempDirSync();
  // Another user may run this test, too.
  const longS = `161.${Deno.pid}`;
  const script = `Deno.test("ends", () => {});
Deno.test("hangs", () => {
  new Deno.Command("setsid", { args: ["--wait", "sleep", "${longS}"] }).outputSync();
});`;
  Deno.writeTextFileSync(`${dir}/hanging_test.ts`, script);
  const runner = new URL("../run.sh", import.meta.url).pathname;
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const within = (limitS: number) => {
    const out = new Deno.Command("timeout", {
      args: ["60", "sh", runner, "--no-check", `${dir}/hanging_test.ts`],
      env: {
        JOULEMARK_TEST_LIMIT_S: `${limitS}`,
        JOULEMARK_MAP: "airgap",
        JOULEMARK_BIN: "/bin/true",
      },
    }).outputSync();
    assertStringIncludes(text(out.stderr), `no end within ${limitS} s`);
    return out;
  };
  // A busy machine may need longer to come to the test.
  const first = within(4);
  const out = text(first.stderr).includes("before") ? within(30) : first;
  assertStringIncludes(text(out.stderr), "hanging_test.ts: hangs\n");
  assert(text(out.stdout).endsWith("\n1 passed, 1 failed\n"), text(out.stdout));
  assert(out.code !== 0 && out.code !== 124, String(out.code));
  const find = `grep -lsxz "161[.]${Deno.pid}" /proc/[0-9]*/cmdline`;
  const left = new Deno.Command("sh", { args: ["-c", find] }).outputSync();
  assertEquals(text(left.stdout), "");
  Deno.removeSync(dir, { recursive: true });
});
