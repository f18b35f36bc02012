/** Other users take the names of a user's directory: one monitor is elected all the same, and says who. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  type Machine,
  makeBlock,
  makeExecutable,
  MODE,
  readCode,
} from "../../../src/job/guardian/image.ts";
import { withTimeLimit } from "../../_support/time_limit.ts";

const ROOM = new URL("../../../src/job/guardian/", import.meta.url);
const RANKS = 6;
const SQUATTER = 65534;

/** The guardian alone; its runtime notes where it was elected, and lives on for a while. */
async function guardianIn(dir: string): Promise<string> {
  const machine = Deno.build.arch as Machine;
  const code = await readCode(Deno.readTextFileSync(new URL(`guardian_${machine}.hex`, ROOM)));
  const runtime = `${dir}/runtime`;
  const script = `#!/bin/sh
for word; do case $word in --joulemark-guardian=*) echo "$word" >>'${dir}/elected' ;; esac; done
sleep 0.5
`;
  Deno.writeTextFileSync(runtime, script, { mode: 0o755 });
  const block = makeBlock({ code, mode: MODE.execute, linker: "/none", runtime, argumentsFrom: 1 });
  Deno.writeFileSync(`${dir}/guardian`, makeExecutable(machine, block), { mode: 0o755 });
  return `${dir}/guardian`;
}

const as = (uid: number, ...words: string[]) => {
  const become = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  return new Deno.Command("setpriv", { args: [...become, ...words], stderr: "piped" });
};

/** What squats, as a script of the squatter with the name in $1; and what the line says of it. */
const SQUATS: readonly (readonly [kind: string, script: string, said: string])[] = [
  ["a directory", 'mkdir -m 700 "$1"', "a directory of user 65534, mode 700"],
  ["a directory that all may enter", 'mkdir -m 777 "$1"', "a directory of user 65534, mode 777"],
  ["a file", ': >"$1"', "a file of user 65534, mode 644"],
  ["a pipe", 'mkfifo "$1"', "a pipe of user 65534, mode 644"],
  ["a link", 'ln -s "$DIR" "$1"', "a link of user 65534, mode 777"],
  [
    "many names",
    'mkdir "$1"; for i in $(seq 2000); do echo "$1.$i"; done | xargs mkdir -m 777',
    "a directory of user 65534, mode 755",
  ],
];

const ignore = Deno.uid() !== 0;
if (ignore) console.log("skipped: names that other users take need root");

/** A user that nobody else is, and the names that are his; all of it is removed at the end. */
async function forUser(body: (uid: number, dir: string, names: string[]) => Promise<void>) {
  const uid = 100_000 + crypto.getRandomValues(new Uint16Array(1))[0];
  const names = ["/dev/shm", "/tmp"].map((parent) => `${parent}/joulemark-${uid}`);
  const dir = Deno.makeTempDirSync();
  Deno.chownSync(dir, uid, uid);
  try {
    await withTimeLimit(() => body(uid, dir, names), 60);
  } finally {
    Deno.removeSync(dir, { recursive: true });
    for (const parent of ["/dev/shm", "/tmp"]) {
      for (const { name } of Deno.readDirSync(parent)) {
        if (!name.startsWith(`joulemark-${uid}`)) continue;
        Deno.removeSync(`${parent}/${name}`, { recursive: true });
      }
    }
  }
}

/** Ranks of one job at once. @returns Session directories of those elected, and what was said. */
async function ranks(uid: number, dir: string, guardian: string) {
  Deno.writeTextFileSync(`${dir}/elected`, "");
  Deno.chmodSync(`${dir}/elected`, 0o666);
  const outputs = await Promise.all(Array.from({ length: RANKS }, () => {
    const job = ["SLURM_JOB_ID=17", "SLURM_STEP_ID=0"];
    return as(uid, "env", ...job, guardian, "run", "--", "sh", "-c", "exit 3").output();
  }));
  const said = outputs.map(({ code, stderr }) => {
    assertEquals(code, 3);
    return new TextDecoder().decode(stderr);
  }).join("");
  const elected = Deno.readTextFileSync(`${dir}/elected`).trim().split("\n");
  return { elected: elected.map((line) => line.slice(line.lastIndexOf(":") + 1)), said };
}

const squattedLines = (said: string) => {
  return said.split("\n").filter((line) => line.startsWith("joulemark: cannot use"));
};

async function squatted([kind, script, found]: (typeof SQUATS)[number]): Promise<void> {
  await forUser(async (uid, dir, names) => {
    const guardian = await guardianIn(dir);
    for (const name of names) {
      const made = await as(SQUATTER, "env", `DIR=${dir}`, "sh", "-c", script, "sh", name)
        .output();
      assertEquals(new TextDecoder().decode(made.stderr), "", kind);
    }
    const first = await ranks(uid, dir, guardian);
    assertEquals(first.elected.length, 1, `${kind}: ${first.elected.join(", ")}`);
    const base = first.elected[0].split("/").slice(0, 4).join("/");
    assertMatch(base, new RegExp(`^/dev/shm/joulemark-${uid}\\.[0-9a-f]+$`), kind);
    const { uid: owner, mode } = Deno.statSync(base);
    assertEquals([owner, mode! & 0o7777], [uid, 0o700], kind);
    const line = `joulemark: cannot use "${names[0]}": expected a directory that only this ` +
      `user may enter, found ${found}; ${base} is used instead`;
    assertEquals(squattedLines(first.said), [line], kind);
    // Whoever comes later finds the same one, also where the name is free again.
    const second = await ranks(uid, dir, guardian);
    assert(second.elected.length === 1 && second.elected[0].startsWith(`${base}/`), kind);
    for (const name of names) Deno.removeSync(name, { recursive: true });
    const third = await ranks(uid, dir, guardian);
    assert(third.elected.length === 1 && third.elected[0].startsWith(`${base}/`), kind);
    assertEquals(squattedLines(third.said), [], kind);
  });
}

Deno.test({
  name: "one monitor is elected where another user has the name, whatever it is there",
  ignore,
  fn: async () => void await Promise.all(SQUATS.map(squatted)),
});

Deno.test({
  name: "one monitor is elected while another user takes the name and gives it free",
  ignore,
  fn: () =>
    forUser(async (uid, dir, [name]) => {
      const guardian = await guardianIn(dir);
      const loop = `while mkdir '${name}' 2>/dev/null; :; do rmdir '${name}' 2>/dev/null; done`;
      const squatter = as(SQUATTER, "sh", "-c", loop).spawn();
      try {
        for (let i = 0; i < 4; i++) {
          const { elected } = await ranks(uid, dir, guardian);
          assertEquals(elected.length, 1, elected.join("\n"));
          const base = elected[0].split("/").slice(0, 4).join("/");
          assertEquals(Deno.statSync(base).uid, uid);
          Deno.removeSync(base, { recursive: true });
        }
      } finally {
        squatter.kill("SIGKILL");
        await squatter.status;
      }
    }),
});
