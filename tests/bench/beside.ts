/**
 * What ours takes beside what others take for the same, where they are installed. Writes the table
 * "Beside others" of docs/explanation/overhead.md:
 *
 *     JOULEMARK_TEST_CALIPER=PREFIX sh airgap/deno.sh run -A tests/bench/beside.ts [PAIRS]
 *
 * The two run in turn, and the ratio is taken of each pair: a machine's speed changes meanwhile. Times
 * are those of bash's `time`: CPU time of a program and of all that it started. Without a peer (`perf`,
 * Caliper with its cali-query) a row has ours alone.
 */
import { BINARY } from "../_support/programs.ts";

const pairs = Number(Deno.args[0] ?? 7);
const HERE = new URL(".", import.meta.url);
const PAGE = new URL("../../docs/explanation/overhead.md", HERE);
const BEGIN = "<!-- made by tests/bench/beside.ts -->", END = "<!-- end -->";
/** Iterations of the generated trace: 47.5 MB; of the real one: 32 MB. */
const ITERATIONS = 60_000, REAL_ITERATIONS = 76_000;

interface Row {
  readonly what: string;
  readonly ours: string;
  readonly peer: string;
  /** `undefined`: it is not there. */
  readonly theirs: string | undefined;
}

/** CPU and wall seconds. */
type Times = readonly [cpuS: number, wallS: number];

const folder = Deno.makeTempDirSync({ prefix: "joulemark-beside-" });
try {
  const rows = allRows().map((row) => ({ row, ...measured(row) }));
  const table = [BEGIN, "", preface(), "", ...lines(rows), "", END].join("\n");
  const page = Deno.readTextFileSync(PAGE), from = page.indexOf(BEGIN), to = page.indexOf(END);
  if (from < 0 || to < from) throw new Error(`no place for the table in ${PAGE.pathname}`);
  Deno.writeTextFileSync(PAGE, page.slice(0, from) + table + page.slice(to + END.length));
} finally {
  Deno.removeSync(folder, { recursive: true });
}

function allRows(): Row[] {
  const caliper = Deno.env.get("JOULEMARK_TEST_CALIPER");
  const caliQuery = caliper === undefined ? undefined : `${caliper}/bin/cali-query`;
  const perf = has("perf") ? "perf stat" : undefined;
  const big = generated(), real = caliper === undefined ? undefined : eventTrace(caliper);
  Deno.writeTextFileSync(`${folder}/empty.js`, "");
  const tiny = `${folder}/tiny.cali`;
  shell(`head -n 30 ${big} >${tiny}`);
  const query = (name: string, args: string, file: string): Row => ({
    what: `query: ${name}`,
    ours: `${BINARY} query ${args} ${file}`,
    peer: "cali-query",
    theirs: caliQuery && `${caliQuery} ${args} ${file}`,
  });
  const byPath = `-q 'select path,count(),sum(time.duration.ns),inclusive_sum(energy.uj),` +
    `min(power.w),avg(power.w),max(power.w) group by path format tree'`;
  const byBlock = `-q 'let block=truncate(iteration,2000),j=scale(energy.uj,1e-6) select block,` +
    `count(),sum(j),ratio(energy.uj,time.duration.ns,1000) group by block format table'`;
  const realByPath = `-q 'select *,count(),sum(time.duration.ns) group by path format tree'`;
  return [
    {
      what: "`--version`",
      ours: `${BINARY} --version`,
      peer: "an empty script of the same Deno",
      theirs: `${Deno.execPath()} run ${folder}/empty.js`,
    },
    {
      what: "`run -- true`",
      ours: `${BINARY} run -q -- true`,
      peer: "`perf stat true`",
      theirs: perf && `${perf} -o /dev/null true`,
    },
    {
      what: "10 s at 5 ms",
      ours: `${BINARY} run -q --period 0.005 -- sleep 10`,
      peer: "`perf stat -I 10`",
      theirs: perf && `${perf} -I 10 -o /dev/null sleep 10`,
    },
    query("a file of 30 lines", "-t", tiny),
    query("by path, six results, 47.5 MB", byPath, big),
    query("`let`, by value, 47.5 MB", byBlock, big),
    query("`format cali`, 47.5 MB", "-q 'format cali'", big),
    query("`format json-split`, 47.5 MB", "-q 'format json-split'", big),
    query("`-e`, 47.5 MB", "-e", big),
    query("`-t`, 47.5 MB", "-t", big),
    query("`-j`, 47.5 MB", "-j", big),
    ...real === undefined ? [] : [
      query("by path, event trace, 32 MB", realByPath, real),
      query("`format cali`, event trace", "-q 'format cali'", real),
      query("`format json-split`, event trace", "-q 'format json-split'", real),
    ],
  ];
}

function measured({ ours, theirs }: Row): { ours: Times[]; theirs: Times[] } {
  const found = { ours: [] as Times[], theirs: [] as Times[] };
  // The first run of each finds nothing in the caches.
  for (let i = -1; i < pairs; i++) {
    const own = timesOf(ours), other = theirs === undefined ? undefined : timesOf(theirs);
    if (i < 0) continue;
    found.ours.push(own);
    if (other !== undefined) found.theirs.push(other);
  }
  return found;
}

function lines(rows: readonly { row: Row; ours: Times[]; theirs: Times[] }[]): string[] {
  const medians = (list: Times[]) =>
    list.length === 0
      ? "not there"
      : `${median(list.map(([cpuS]) => cpuS)).toFixed(3)}, ${
        median(list.map(([, wallS]) => wallS)).toFixed(3)
      } s`;
  const ratios = (ours: Times[], theirs: Times[], which: 0 | 1) => {
    const list = theirs.map((times, i) => ours[i][which] / times[which]);
    return list.length === 0 ? "" : `${Math.min(...list).toFixed(2)}, ${median(list).toFixed(2)}`;
  };
  return [
    "| what | compared with | joulemark: CPU, wall | other tool: CPU, wall | CPU ratio: minimum, median | wall ratio: minimum, median |",
    "| --- | --- | --- | --- | --- | --- |",
    ...rows.map(({ row: { what, peer }, ours, theirs }) =>
      `| ${
        [
          ...[what, peer, medians(ours), medians(theirs)],
          ...[ratios(ours, theirs, 0), ratios(ours, theirs, 1)],
        ].join(" | ")
      } |`
    ),
  ];
}

function preface(): string {
  const cpu = /^model name\s*:\s*(.*)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo"))?.[1] ?? "";
  const [load] = Deno.loadavg();
  const day = new Date().toISOString().slice(0, 10);
  return `${day}: ${navigator.hardwareConcurrency} CPUs (${cpu}), Linux ${
    Deno.osRelease().split(".", 2).join(".")
  }, ` +
    `Deno ${Deno.version.deno}, load ${load.toFixed(1)}; ${pairs} pairs, medians of times:`;
}

/** The generated trace of tests/vectors. */
function generated(): string {
  const script = new URL("../vectors/caliper/gen_large_trace.mjs", HERE).pathname;
  shell(`'${Deno.execPath()}' run --no-lock -A '${script}' ${ITERATIONS} >${folder}/big.cali`);
  return `${folder}/big.cali`;
}

/** What Caliper itself writes of nested regions. */
function eventTrace(caliper: string): string {
  const regions = (names: string[]) => names.map((name) => `cali_begin_region(${name});`).join("");
  Deno.writeTextFileSync(
    `${folder}/trace.c`,
    `#include <caliper/cali.h>
int main(void) {
  for (int i = 0; i < ${REAL_ITERATIONS}; i++) {
    const char *part = i % 3 ? "solve" : "halo";
    ${regions(['"step"', "part"])}
    for (int k = 0; k < 2; k++) { cali_begin_region("inner"); cali_end_region("inner"); }
    cali_end_region(part); cali_end_region("step");
  }
}
`,
  );
  shell(
    `cd ${folder} && cc -O2 -o trace trace.c -I${caliper}/include -L${caliper}/lib -lcaliper ` +
      `-Wl,-rpath,${caliper}/lib && CALI_CONFIG='event-trace(output=real.cali)' ./trace`,
  );
  return `${folder}/real.cali`;
}

function has(program: string): boolean {
  return new Deno.Command("sh", { args: ["-c", `command -v ${program}`], stdout: "null" })
    .outputSync().success;
}

function shell(command: string): void {
  const { success, stderr } = new Deno.Command("sh", { args: ["-c", command] }).outputSync();
  if (!success) throw new Error(`${command}\n${new TextDecoder().decode(stderr)}`);
}

function timesOf(command: string): Times {
  const script = `TIMEFORMAT='%R %U %S'; time { ${command} >/dev/null 2>&1; }`;
  const { success, stderr } = new Deno.Command("bash", { args: ["-c", script], cwd: folder })
    .outputSync();
  if (!success) throw new Error(`failed: ${command}`);
  const [wallS, userS, systemS] = new TextDecoder().decode(stderr).trim().split(" ").map(Number);
  return [userS + systemS, wallS];
}

function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[list.length >> 1];
}
