/** What the guardian answers a runtime that may not look into processes itself. */
import { assertEquals } from "@std/assert";
import {
  type Machine,
  makeBlock,
  makeExecutable,
  MODE,
  readCode,
} from "../../../src/job/guardian/image.ts";
import { compile, NO_COMPILER } from "../../_support/compiled.ts";
import { withTimeLimit } from "../../_support/time_limit.ts";
import { skippedWithout } from "../../_support/skipped.ts";

const ROOM = new URL("../../../src/job/guardian/", import.meta.url);

/** The guardian alone, whose runtime is a program of the tests. */
async function guardianFor(runtime: string): Promise<Uint8Array> {
  const machine = Deno.build.arch as Machine;
  const code = await readCode(Deno.readTextFileSync(new URL(`guardian_${machine}.hex`, ROOM)));
  return makeExecutable(
    machine,
    makeBlock({ code, mode: MODE.execute, linker: "/none", runtime, argumentsFrom: 1 }),
  );
}

async function numberIn(path: string): Promise<number> {
  for (;;) {
    try {
      const text = Deno.readTextFileSync(path);
      if (text.endsWith("\n")) return Number(text);
    } catch {
      // not there yet
    }
    await new Promise((go) => setTimeout(go, 10));
  }
}

/**
 * Answers on the processes of a script, which leave their numbers in files and then wait for a line of "go".
 *
 * @param file Asked of each process; absent: whose it is, or how it ended.
 * @param ended Those that are to have ended before it is asked.
 */
async function answersOn(
  script: (dir: string) => string,
  names: readonly string[],
  { others = [], file, ended = [] }: {
    others?: readonly number[];
    file?: string;
    ended?: readonly string[];
  } = {},
): Promise<{ pids: number[]; answers: string[] }> {
  const dir = Deno.makeTempDirSync();
  try {
    compile("job/guardian/asks.c", `${dir}/asks`, []);
    Deno.writeFileSync(`${dir}/guardian`, await guardianFor(`${dir}/asks`), { mode: 0o755 });
    new Deno.Command("mkfifo", { args: [`${dir}/go`] }).outputSync();
    const run = new Deno.Command(`${dir}/guardian`, {
      args: ["run", "--", "sh", "-c", script(dir)],
      cwd: dir,
      env: { ASK_DIRECTORY: dir, ASK_FILE: file ?? "", ASK_QUESTION: ended.length > 0 ? "Z" : "P" },
    }).spawn();
    const pids: number[] = [];
    for (const name of names) pids.push(await numberIn(`${dir}/${name}`));
    for (const name of ended) {
      const stat = `/proc/${pids[names.indexOf(name)]}/stat`;
      while (!Deno.readTextFileSync(stat).includes(") Z ")) {
        await new Promise((go) => setTimeout(go, 10));
      }
    }
    pids.push(...others);
    Deno.writeTextFileSync(`${dir}/asked`, pids.join(" "));
    Deno.renameSync(`${dir}/asked`, `${dir}/ask`);
    let answers = "";
    while (answers.split("\n").length <= pids.length) {
      await new Promise((go) => setTimeout(go, 10));
      try {
        answers = Deno.readTextFileSync(`${dir}/answers`);
      } catch {
        // not there yet
      }
    }
    const go = Deno.openSync(`${dir}/go`, { write: true });
    go.writeSync(new TextEncoder().encode("on\n".repeat(names.length)));
    go.close();
    assertEquals((await run.status).code, 0);
    return { pids, answers: answers.trim().split("\n") };
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test({
  ...skippedWithout("the guardian reports no processes but those of the run", NO_COMPILER),
  fn: () =>
    withTimeLimit(async () => {
      const other = new Deno.Command("sleep", { args: ["60"], env: { PMI_RANK: "9" } }).spawn();
      const sh = "sh -c 'echo $$ >";
      const script = `PMI_RANK=5 ${sh}ranked; read a <go' & ${sh}plain; read a <go' &
        env -u JOULEMARK_SESSION PMI_RANK=7 ${sh}cleaned; read a <go' &
        JOULEMARK_SESSION=/none PMI_RANK=8 ${sh}elsewhere; read a <go' & wait`;
      const names = ["ranked", "plain", "cleaned", "elsewhere"];
      // No process has the last number.
      const others = [other.pid, 1 << 30];
      const { pids, answers } = await answersOn(() => script, names, { others });
      const [ranked, plain, cleaned, elsewhere, another, none] = pids;
      assertEquals(answers, [
        ...[`P ${ranked} 1 5`, `P ${plain} 1`, `P ${cleaned} 0`, `P ${elsewhere} 0`],
        ...[`P ${another} 0`, `P ${none} 2`],
      ]);
      other.kill();
      await other.status;
    }, 30),
});

Deno.test({
  ...skippedWithout("the guardian opens files as a process sees them, and no others", NO_COMPILER),
  fn: () =>
    withTimeLimit(async () => {
      const script = (dir: string) => {
        return `echo text >${dir}/text; sh -c 'echo $$ >one; read a <go' & wait`;
      };
      const on = async (file: string) => {
        const { pids, answers } = await answersOn(script, ["one"], { file, others: [1 << 30] });
        return answers.map((answer, i) => answer.replace(`O ${pids[i]} `, ""));
      };
      const ELF = "\x7fELF", ENOENT = "2", EACCES = "13";
      assertEquals(await on("exe"), [`0 ${ELF}`, ENOENT]);
      assertEquals(await on("root/bin/sh"), [`0 ${ELF}`, ENOENT]);
      assertEquals((await on("maps"))[0].slice(0, 2), "0 ");
      assertEquals(await on("root/dev/null"), [EACCES, ENOENT]);
      assertEquals(await on("root/nowhere"), [ENOENT, ENOENT]);
      assertEquals(await on("environ"), [EACCES, EACCES]);
    }, 60),
});

Deno.test({
  ...skippedWithout("the guardian tells how processes ended whose parent is slow", NO_COMPILER),
  fn: () =>
    withTimeLimit(async () => {
      const script = `sh -c 'echo $$ >left; exit 3' & sh -c 'echo $$ >killed; kill -9 $$' &
        echo $$ >runs; exec cat go >/dev/null`;
      const ended = ["left", "killed"];
      const names = [...ended, "runs"];
      const { pids, answers } = await answersOn(() => script, names, { others: [1 << 30], ended });
      const [left, killed, runs, none] = pids;
      assertEquals(answers, [`Z ${left} ${3 << 8}`, `Z ${killed} 9`, `Z ${runs}`, `Z ${none}`]);
    }, 30),
});
