/** What files `stats` takes: archives, pipes, names of hosts, copies; and what it refuses. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { header, json, printed, record } from "./_files.ts";

const SCHEMAS = ["!cpu user,E,U=cs idle,E,U=cs"];
const at = (seconds: number, user: number) => record(1760000000 + seconds, "6", `cpu 0 ${user} 0`);

Deno.test("a record that is delivered again later counts once", async () => {
  const file = header(SCHEMAS) + at(0, 0) + at(300, 1000) + at(600, 2000) + at(900, 3000) +
    at(1200, 4000) + at(900, 3000) + at(1500, 5000);
  const { times, series } = await json({ file });
  assertEquals(times.length, 6);
  assertEquals(series.cpu["0"].user.delta, [null, 1000, 1000, 1000, 1000, 1000]);
  const { stderr } = await printed({ file });
  assertMatch(
    stderr,
    /^joulemark: 1 records \(1 lines\) occur more than once by host[^\n]*\n$/,
  );
});

Deno.test("a record that comes late for the first time does not count its interval twice", async () => {
  const file = header(SCHEMAS) + at(0, 0) + at(300, 1000) + at(900, 3000) + at(600, 2000) +
    at(1200, 4000);
  const { times, series } = await json({ file });
  assertEquals(times.length, 4);
  assertEquals(series.cpu["0"].user.delta, [null, 1000, 2000, 1000]);
});

Deno.test("a record that is delivered twice in a row counts once", async () => {
  const file = header(SCHEMAS) + at(0, 0) + at(300, 1000) + at(300, 1000) + at(600, 2000);
  const { times, series } = await json({ file });
  assertEquals([times.length, series.cpu["0"].user.delta], [3, [null, 1000, 1000]]);
});

Deno.test("a late record of one file that another one has in its place counts once", async () => {
  const whole = header(SCHEMAS) + [0, 300, 600, 900].map((s) => at(s, s)).join("");
  const late = header(SCHEMAS) + [0, 600, 900].map((s) => at(s, s)).join("") + at(300, 300);
  const { times } = await json({ whole, late });
  assertEquals(times.length, 4);
});

Deno.test("a host with and without its domain is one host, unless two domains occur", async () => {
  const file = (host: string, from: number) =>
    header(SCHEMAS, 1000, host) +
    (at(from, from) + at(from + 60, from + 60)).replaceAll("n1", host);
  const one = await json({ a: file("n1", 0), b: file("n1.x.org", 300) });
  assertEquals([one.host, one.times.length], ["n1.x.org", 4]);
  const three = await json({
    a: file("n1", 0),
    b: file("n1.x.org", 300),
    c: file("n1.y.org", 600),
  });
  assertEquals(Object.keys(three.hosts), ["n1", "n1.x.org", "n1.y.org"]);
});

Deno.test("files of hpcperfstats 3.0 are refused in one line, alone and beside others", async () => {
  const old = header(SCHEMAS) + at(0, 0);
  const next = old.replace("hpcperfstats 2.3.5", "hpcperfstats 3.0").replaceAll(
    "cpu 0",
    "cpu 0 @full",
  );
  const inputs: Record<string, string>[] = [{ next }, { old, next }];
  for (const files of inputs) {
    for (const format of ["table", "csv", "jsonl", "json", "openmetrics"]) {
      const { code, stdout, stderr } = await printed(files, "--format", format);
      assertEquals([code, stdout], [2, ""]);
      assertMatch(stderr, /^[^\n]*hpcperfstats 3\.0, which this version does not read[^\n]*\n$/);
    }
  }
});

/** A tar archive of some files. */
function tar(files: Readonly<Record<string, string>>): Uint8Array {
  const encoder = new TextEncoder();
  const blocks: Uint8Array[] = [];
  for (const [name, text] of Object.entries(files)) {
    const head = new Uint8Array(512), content = encoder.encode(text);
    head.set(encoder.encode(name));
    head.set(encoder.encode(content.length.toString(8).padStart(11, "0")), 124);
    head[156] = 48;
    head.set(encoder.encode("ustar"), 257);
    const padded = new Uint8Array(Math.ceil(content.length / 512) * 512);
    padded.set(content);
    blocks.push(head, padded);
  }
  blocks.push(new Uint8Array(1024));
  const bytes = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let place = 0;
  for (const block of blocks) {
    bytes.set(block, place);
    place += block.length;
  }
  return bytes;
}

Deno.test("an archive of tar, plain or gzip, is read as its files are", async () => {
  const [one, two] = [[0, 60, 120], [180, 240]].map((seconds) =>
    header(SCHEMAS) + seconds.map((s) => at(s, s)).join("")
  );
  const apart = await printed({ one, two }, "--json");
  const archive = tar({ "n1/1760000000": one, "n1/1760000180": two });
  const gzip = new Blob([new Uint8Array(archive)]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  const packed = new Uint8Array(await new Response(gzip).arrayBuffer());
  for (const file of [archive, packed]) {
    const { code, stdout, stderr } = await printed({ file }, "--json");
    assertEquals([code, stderr, stdout], [0, "", apart.stdout]);
  }
});

Deno.test("other compressions are named, with the command that unpacks them", async () => {
  const magics: [string, number[]][] = [
    ["xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]],
    ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
    ["bzip2", [0x42, 0x5a, 0x68, 0x39]],
  ];
  for (const [name, magic] of magics) {
    const { code, stdout, stderr } = await printed({ file: Uint8Array.from(magic) });
    assertEquals([code, stdout], [2, ""]);
    assert(stderr.includes(`compressed by ${name}`) && stderr.includes(`${name} -dc `), stderr);
  }
});

Deno.test("an unknown job is answered with the jobs of the files", async () => {
  const { code, stderr } = await printed({ a: header(SCHEMAS) + at(0, 0) }, "--job", "99");
  assertEquals(code, 2);
  assertMatch(stderr, /"99"[^\n]*Jobs in these files: 6\n$/);
});
