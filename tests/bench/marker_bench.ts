/**
 * What marks cost an application in C, and how fast a ring is read. Run by
 * `deno run -A tests/bench/marker_bench.ts`; `Deno.bench` does not fit, the work is another process's.
 */
import { ORDER, RECORD_BYTES, RING_RECORDS } from "../../src/core/events/ring_layout.ts";
import { run, Workshop } from "../marks/marker/_c_program.ts";
import { RingSession, type SeenRing } from "../marks/marker/_ring_session.ts";

/** Most that a pair may cost, ns, by mode of marker_bench.c. */
const MODES: readonly (readonly [mode: string, pairs: number, mostNs: number])[] = [
  ["off", 100_000_000, 3],
  ["folded", 20_000_000, 30],
  ["drained", 1_000_000, 30],
  ["handle", 1_000_000, 30],
  ["path", 20_000_000, 30],
  ["paths", 20_000_000, 35],
];

async function pairs(compiler: string): Promise<void> {
  using shop = new Workshop();
  shop.write("bench.c", Deno.readTextFileSync(new URL("marker_bench.c", import.meta.url)));
  shop.compile(compiler, ["-O2", "-o", "bench", "bench.c"]);
  for (const [mode, count, most] of MODES) {
    using session = new RingSession({
      order: mode.startsWith("path") ? ORDER.folded : ORDER.kept,
    });
    const reads = mode === "drained" || mode === "handle";
    const figures: number[] = [];
    let folds = 0;
    for (let i = 0; i < 3; i++) {
      let seen: SeenRing | undefined;
      const ran = await run(
        [`${shop.dir}/bench`, mode, String(count)],
        mode === "off" ? undefined : session,
        !reads ? undefined : (pid) => {
          try {
            seen ??= session.open(`${pid}.0`);
          } catch {
            return;
          }
          seen.poll(false);
        },
      );
      folds += seen?.folds.reduce((n, f) => n + f.visits, 0) ?? 0;
      seen?.[Symbol.dispose]();
      figures.push(Number(ran.stdout));
    }
    figures.sort((a, b) => a - b);
    const told = reads ? `, ${folds} visits folded` : "";
    console.log(
      `${compiler} pair, ${mode}: ${figures[1].toFixed(2)} ns (${figures[0]}–${figures[2]}), ` +
        `at most ${most}${told}`,
    );
  }
}

/** Reads one full ring again and again: copying, decoding and times, nothing else. */
async function draining(): Promise<void> {
  using shop = new Workshop();
  const source = new URL("../marks/marker/client_programs.c", import.meta.url);
  shop.write("programs.c", Deno.readTextFileSync(source));
  shop.compile("cc", ["-O2", "-pthread", "-o", "programs", "programs.c"]);
  using session = new RingSession();
  const { pid } = await run([`${shop.dir}/programs`, "pairs", "8192"], session);
  const path = `${session.dir}/${pid}.0`;
  const heads = Array.from({ length: 200 }, () => session.open(`${pid}.0`));
  const start = performance.now();
  let records = 0;
  for (const seen of heads) records += seen.poll(false);
  const seconds = (performance.now() - start) / 1000;
  for (const seen of heads) seen[Symbol.dispose]();
  console.log(
    `draining: ${(records / seconds / 1e6).toFixed(1)} M events/s, at least 5 ` +
      `(${records} of ${RING_RECORDS} a ring, ${RECORD_BYTES} bytes each, ${
        Deno.statSync(path).size
      } bytes a file)`,
  );
}

for (const compiler of ["gcc", "clang"]) {
  try {
    await pairs(compiler);
  } catch (error) {
    console.log(`${compiler}: skipped: ${(error as Error).message.split("\n")[0]}`);
  }
}
await draining();
