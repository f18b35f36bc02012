/** What Caliper 2.15 writes and says of a program beside what we do, over sets of services and queries. */
import { assert, assertEquals } from "@std/assert";
import { compile, preloaded } from "../_support/preload.ts";
import { joulemark } from "../_support/programs.ts";
import { Random } from "../fuzz/random.ts";
import { besidePeer, shell } from "./_peers.ts";

const SETS = 14;
/** Services that make records; the others depend on the machine alone. */
const SERVICES = ["event", "trace", "aggregate", "recorder", "report"];
/** Two names of one service. Asked for both, Caliper runs it twice, with durations below zero. */
const TIMERS = [[], ["timer"], ["timestamp"]];

function variablesOf(random: Random): Record<string, string> {
  const chosen = SERVICES.filter((name) => name === "event" || !random.once(3));
  chosen.splice(random.below(chosen.length + 1), 0, ...random.pick(TIMERS));
  const separator = random.once(2) ? "," : ":";
  return {
    CALI_SERVICES_ENABLE: chosen.join(separator),
    ...random.once(3) ? { CALI_EVENT_ENABLE_SNAPSHOT_INFO: "false" } : {},
    ...random.once(3) ? { CALI_CHANNEL_SNAPSHOT_SCOPES: "process,channel" } : {},
  };
}

/** Lines without what is each process' own: times, sizes, and where the program is. */
function lines(text: string): string[] {
  return text.split("\n").filter((line) => line.startsWith("== CALIPER: "))
    .map((line) => line.replace(/Wrote \d+/, "Wrote N"));
}

/** Records of a stream without times and what tells one process from another. */
function records(dir: string, file: string): string[] {
  const out = joulemark(dir, ["query", "-e", file]);
  assertEquals(out.code, 0, out.stderr);
  return out.stdout.trimEnd().split("\n").map((line) =>
    line.split(",").filter((field) =>
      !/^(cali\.|starttime\.|process\.id|aggregate\.slot|[a-z]*#?time\.|event\.)/.test(field)
    ).join(",")
  ).sort();
}

besidePeer(
  "caliper",
  "what services say and write of a program is what Caliper's do",
  (dir, at) => {
    const source = "PROGRAMS/caliper_small.c";
    compile(
      dir,
      `cc -O2 -o alone ${source} -Wl,--no-as-needed -L${at}/lib -lcaliper -Wl,-rpath,${at}/lib`,
    );
    compile(dir, `cc -O2 -o app ${source}`);
    for (let number = 0; number < SETS; number++) {
      const variables = variablesOf(new Random(24, number));
      const env = { CALI_LOG_VERBOSITY: "1", ...variables };
      const words = Object.entries(env).map(([name, value]) => `${name}=${value}`).join(" ");
      shell(dir, "rm -f theirs.cali ours.cali");
      shell(
        dir,
        `env ${words} CALI_RECORDER_FILENAME=theirs.cali ./alone >theirs.out 2>theirs.log`,
      );
      const ours = preloaded(dir, "caliper", ["./app"], {
        env: { ...env, CALI_RECORDER_FILENAME: "ours.cali" },
      });
      const theirs = Deno.readTextFileSync(`${dir}/theirs.log`);
      assertEquals(lines(ours.stderr), lines(theirs), words);
      const isWritten = variables.CALI_SERVICES_ENABLE.includes("recorder");
      if (isWritten) assertEquals(records(dir, "ours.cali"), records(dir, "theirs.cali"), words);
    }
  },
);

besidePeer(
  "caliper",
  "Service API: every function that Caliper exports for C has an answer",
  (dir, at) => {
    compile(dir, "cc -O2 -o app PROGRAMS/caliper_small.c");
    preloaded(dir, "caliper", ["./app"], { env: { XDG_CACHE_HOME: dir } });
    const exported = (library: string) =>
      shell(dir, `nm -D --defined-only ${library}`).split("\n").map((line) =>
        line.split(" ").slice(1)
      )
        .filter(([type, name]) => type === "T" && /^_?cali_/.test(name)).map(([, name]) => name);
    const ours = new Set(exported("$(find . -name '*.so')"));
    const theirs = exported(`${at}/lib/libcaliper.so`);
    assert(theirs.length > 100, theirs.join());
    assertEquals(theirs.filter((name) => !ours.has(name)), []);
  },
);

besidePeer("caliper", "answers to random queries over random streams are cali-query's", (_, at) => {
  const out = new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "run",
        "--quiet",
        "--no-lock",
        "--config",
        Deno.env.get("JOULEMARK_CONFIG") ?? "deno.json",
      ],
      ...["-A", new URL("../fuzz/against.ts", import.meta.url).pathname, "--cases", "600"],
    ],
    env: { JOULEMARK_TEST_CALI_QUERY: `${at}/bin/cali-query` },
  }).outputSync();
  const said = new TextDecoder().decode(out.stdout) + new TextDecoder().decode(out.stderr);
  assert(out.success, said);
  assert(Number(/same: (\d+)/.exec(said)?.[1]) > 50, said);
});
