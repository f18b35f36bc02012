/**
 * A long run: descriptors, memory and the memory file system stay flat.
 *
 *     deno run -A tests/laws/soak.ts [--minutes N]
 *
 * A marked program of several threads that come and go runs under the executable with a report each
 * second, a trace and questions by `top`; every ten seconds the runtime's open descriptors, resident
 * memory and session directory are read. At the end the last quarter is compared with the second one.
 * @module
 */
import { build } from "../_support/programs.ts";

const BINARY = Deno.env.get("JOULEMARK_BIN") ??
  new URL("../../joulemark", import.meta.url).pathname;
const EVERY_S = 10;
/** What a quarter may differ from another by. */
const DESCRIPTORS_MORE = 2;
const MEMORY_FACTOR = 1.15;

interface Reading {
  readonly descriptors: number;
  readonly residentKib: number;
  readonly sessionKib: number;
}

function read(runtime: number, session: string): Reading {
  const status = Deno.readTextFileSync(`/proc/${runtime}/status`);
  const sizes = [...Deno.readDirSync(session)].map(({ name }) => {
    return (Deno.statSync(`${session}/${name}`).blocks ?? 0) / 2;
  });
  return {
    descriptors: [...Deno.readDirSync(`/proc/${runtime}/fd`)].length,
    residentKib: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]),
    sessionKib: sizes.reduce((sum, size) => sum + size, 0),
  };
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1];

if (import.meta.main) {
  const at = Deno.args.indexOf("--minutes");
  const minutes = at < 0 ? 60 : Number(Deno.args[at + 1]);
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-soak-" });
  const application = build("soak", dir);
  const child = new Deno.Command(BINARY, {
    args: [
      ...["run", "-q", "--simulate", "--checkpoint", "1", "--trace", "soak.trace"],
      ...[
        "--",
        "sh",
        "-c",
        `echo $JOULEMARK_SESSION >session; exec ${application} ${minutes * 60}`,
      ],
    ],
    cwd: dir,
    stdin: "null",
  }).spawn();
  await new Promise((go) => setTimeout(go, 2000));
  const session = Deno.readTextFileSync(`${dir}/session`).trim();
  const pids = Deno.readTextFileSync(`/proc/${child.pid}/task/${child.pid}/children`);
  const runtime = pids.trim().split(" ").map(Number)
    .find((pid) => Deno.readLinkSync(`/proc/${pid}/exe`) === Deno.realPathSync(BINARY))!;
  const readings: Reading[] = [];
  const end = Date.now() + (minutes * 60 - 5) * 1000;
  while (Date.now() < end) {
    readings.push(read(runtime, session));
    new Deno.Command(BINARY, { args: ["top", "--once"], stdout: "null", stderr: "null" })
      .outputSync();
    await new Promise((go) => setTimeout(go, EVERY_S * 1000));
  }
  const { code } = await child.status;
  const quarter = readings.length >> 2;
  const [early, late] = [readings.slice(quarter, 2 * quarter), readings.slice(-quarter)];
  const of = (part: Reading[], key: keyof Reading) => median(part.map((reading) => reading[key]));
  const figures = (["descriptors", "residentKib", "sessionKib"] as const).map((key) => {
    return { key, early: of(early, key), late: of(late, key) };
  });
  const broken = figures.filter(({ key, early, late }) => {
    return key === "descriptors"
      ? late > early + DESCRIPTORS_MORE
      : late > early * MEMORY_FACTOR + 512;
  });
  console.log(JSON.stringify({ minutes, readings: readings.length, code, figures, broken }));
  Deno.removeSync(dir, { recursive: true });
  Deno.exit(code === 0 && broken.length === 0 ? 0 : 1);
}
