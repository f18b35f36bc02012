/** Gzip files joined by cat, which are one gzip file of several members, are what was packed. */
import { assert, assertEquals } from "@std/assert";
import { lookAtRawFiles } from "../../../src/rawstats/analysis/files.ts";
import { analyseRawFiles } from "../../../src/rawstats/analysis/stats.ts";

const VECTORS = new URL("../../vectors/rawstats/", import.meta.url);

async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

async function found(path: string): Promise<{ nodes: unknown[]; errors: string[] }> {
  const errors: string[] = [];
  const files = await lookAtRawFiles([path]);
  const analysis = await analyseRawFiles({
    files,
    error: ({ message }) => void errors.push(message),
  });
  const nodes = analysis.nodes.map(({ host, samples, sums }) => [host, samples, sums.totals]);
  return { nodes, errors };
}

Deno.test("gzip files that were joined by cat are read to the end of the last one", async () => {
  const dir = Deno.makeTempDirSync();
  const plain = ["rollover-a.raw", "node-intel-skx-2s.raw"].map((name) =>
    Deno.readFileSync(new URL(name, VECTORS))
  );
  Deno.writeFileSync(`${dir}/joined.raw`, new Uint8Array(await new Blob(plain).arrayBuffer()));
  const members = await Promise.all(plain.map(gzip));
  const whole = new Uint8Array(await new Blob(members).arrayBuffer());
  Deno.writeFileSync(`${dir}/joined.gz`, whole);
  const expected = await found(`${dir}/joined.raw`);
  assertEquals(expected.nodes.length, 2);
  assertEquals(await found(`${dir}/joined.gz`), expected);

  // Zeros behind the end, as tapes have them, are nothing.
  Deno.writeFileSync(
    `${dir}/padded.gz`,
    new Uint8Array(await new Blob([whole, new Uint8Array(512)]).arrayBuffer()),
  );
  assertEquals(await found(`${dir}/padded.gz`), expected);

  // A second member that is cut: the first one counts, and it is told.
  Deno.writeFileSync(`${dir}/cut.gz`, whole.subarray(0, members[0].length + 3000));
  const cut = await found(`${dir}/cut.gz`);
  assertEquals(cut.nodes[0], expected.nodes[0]);
  assert(cut.errors.some((line) => line.includes("expected whole gzip data")), `${cut.errors}`);
  Deno.removeSync(dir, { recursive: true });
});
