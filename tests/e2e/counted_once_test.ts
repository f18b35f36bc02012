/** Archives of raw stats as centres keep them: copies, packed and plain side by side, joined files. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

/** Records of one node every 10 s; its counter wraps in between. */
function records(host: string, first: number, count: number, each = 1000): string {
  let text = "";
  for (let i = first; i < first + count; i++) {
    const value = (4294967000 + each * i) % 2 ** 32;
    text += `\n${1000 + 10 * i}.000000 7 ${host}\nt 0 ${value}\nt 1 ${value}\ncpu 0 ${500 * i} 0\n`;
  }
  return text;
}

function header(host: string): string {
  return `$hpcperfstats 2.3.5\n$hostname ${host}\n!cpu user,E,U=cs system,E,U=cs\n!t a,E,W=32\n`;
}

function file(host: string, first: number, count: number, each?: number): string {
  return header(host) + records(host, first, count, each);
}

async function gzip(text: string): Promise<Uint8Array> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

endToEnd(
  "a record counts once by (host, time, type, device), whatever files hold it",
  async (dir) => {
    const whole = file("n1", 0, 20);
    Deno.writeTextFileSync(`${dir}/1000`, whole);
    Deno.writeTextFileSync(`${dir}/copy`, whole);
    Deno.writeTextFileSync(`${dir}/earlier`, file("n1", 0, 8));
    Deno.writeTextFileSync(`${dir}/twice`, whole + whole);
    Deno.writeFileSync(`${dir}/1000.gz`, await gzip(whole));
    for (const format of ["table", "csv", "json", "openmetrics"]) {
      const single = joulemark(dir, ["stats", "--format", format, "1000"]);
      assertEquals([single.code, single.stderr], [0, ""]);
      const cases = [["1000", "copy"], ["1000", "1000.gz"], ["earlier", "1000"], ["twice"]];
      for (const paths of cases) {
        const out = joulemark(dir, ["stats", "--format", format, ...paths]);
        const [lines, more] = out.stderr.split("\n");
        assertMatch(lines, /^joulemark: (8|20) records \((24|60) lines\) are the same in several/);
        assertEquals([out.code, more, out.stdout], [0, "", single.stdout], paths.join(" "));
      }
    }
    for (const year of ["2018", "2021"]) {
      const of = (...paths: string[]) => joulemark(dir, ["stats", "--as-original", year, ...paths]);
      assertEquals(of("1000", "copy").stdout, of("1000").stdout);
    }
  },
);

endToEnd("where values differ, that of the later file counts, and it is told", (dir) => {
  const whole = file("n1", 0, 4);
  Deno.writeTextFileSync(`${dir}/a`, whole.replace("cpu 0 1500 0", "cpu 0 1400 0"));
  Deno.writeTextFileSync(`${dir}/b`, whole);
  const out = joulemark(dir, ["stats", "a", "b"]);
  assertStringIncludes(out.stderr, "in 1 lines values differ: the later file's count");
  assertEquals(out.stdout, joulemark(dir, ["stats", "b"]).stdout);
});

endToEnd(
  "files of two hosts joined by cat: each record belongs to the host that its header or line names",
  (dir) => {
    const [a, b] = [file("n1", 5, 6), file("n2", 0, 9, 7)];
    Deno.writeTextFileSync(`${dir}/a`, a);
    Deno.writeTextFileSync(`${dir}/b`, b);
    // the second one's header, or only its lines, say whose they are
    Deno.writeTextFileSync(`${dir}/joined`, a + b);
    Deno.writeTextFileSync(`${dir}/lines`, a + records("n2", 0, 9, 7));
    for (const format of ["table", "csv", "json"]) {
      const apart = joulemark(dir, ["stats", "--format", format, "a", "b"]);
      for (const joined of ["joined", "lines"]) {
        const out = joulemark(dir, ["stats", "--format", format, joined]);
        assertEquals([out.code, out.stderr, out.stdout], [0, "", apart.stdout], joined);
      }
    }
    const table = joulemark(dir, ["stats", "joined"]).stdout;
    assertMatch(table, /^n1: 6 samples in 50 s$/m);
    assertMatch(table, /^n2: 9 samples in 80 s$/m);
  },
);

endToEnd("lines that end in CR LF are lines", (dir) => {
  Deno.writeTextFileSync(`${dir}/a`, file("n1", 0, 4));
  Deno.writeTextFileSync(`${dir}/b`, file("n1", 0, 4).replaceAll("\n", "\r\n"));
  const out = joulemark(dir, ["stats", "b"]);
  assertEquals([out.stderr, out.stdout], ["", joulemark(dir, ["stats", "a"]).stdout]);
});

endToEnd("--as-original 2021: a first value and a line of a wrong length count as there", (dir) => {
  const text = "$hpcperfstats 2.3.5\n$hostname n1\n!t a,E b,E\n" +
    "\n10 7 n1\nt 0 1 1\n\n20 7 n1\nt 0 5 2\nt 1 100 10\n\n30 7 n1\nt 0 7\nt 1 103 11 9\n";
  Deno.writeTextFileSync(`${dir}/a`, text);
  const out = joulemark(dir, ["stats", "--as-original", "2021", "a"]);
  assertEquals(out.stderr, "");
  const { series } = JSON.parse(out.stdout);
  // device 1 comes at 20 s: its value is added, its delta is none; at 30 s device 0 has no b
  assertEquals(series.t.a, { unit: "#", value: [105, 110], delta: [4, 5], rate: [0.4, 0.5] });
  assertEquals(series.t.b, { unit: "#", value: [12, 11], delta: [1, 1], rate: [0.1, 0.1] });
});
