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
        assertMatch(lines, /^joulemark: (8|20) records \((24|60) lines\) occur more than once/);
        assertEquals([out.code, more, out.stdout], [0, "", single.stdout], paths.join(" "));
      }
    }
  },
);

endToEnd(
  "parts of a record in several files are no copies, and keys have an order of each file",
  (dir) => {
    const parts = (types: string[], keys: (line: string) => string) =>
      file("n1", 0, 20).split("\n").filter((line) => {
        const [type] = line.replace("!", "").split(" ");
        return !/^!?[a-z]/.test(line) || types.includes(type);
      }).map(keys).join("\n");
    Deno.writeTextFileSync(`${dir}/whole`, file("n1", 0, 20));
    Deno.writeTextFileSync(`${dir}/cpu`, parts(["cpu"], (line) => line));
    Deno.writeTextFileSync(`${dir}/t`, parts(["t"], (line) => line));
    // The two keys of cpu change places.
    Deno.writeTextFileSync(
      `${dir}/turned`,
      parts(["cpu", "t"], (line) => line.replace(/^(!cpu|cpu 0) (\S+) (\S+)$/, "$1 $3 $2")),
    );
    const read = (...files: string[]) => joulemark(dir, ["stats", "--format", "json", ...files]);
    const whole = JSON.parse(read("whole").stdout);
    const split = read("cpu", "t");
    assertEquals([JSON.parse(split.stdout), split.stderr], [whole, ""]);
    const turned = read("whole", "turned");
    assertEquals(JSON.parse(turned.stdout), whole);
    assertStringIncludes(turned.stderr, "each counts once\n");
  },
);

endToEnd("if values differ, those of the file with more records count, in any order", (dir) => {
  const whole = file("n1", 0, 4);
  Deno.writeTextFileSync(`${dir}/a`, whole);
  const fewer = file("n1", 0, 3).replace("cpu 0 1000 0", "cpu 0 900 0");
  Deno.writeTextFileSync(`${dir}/fewer`, fewer);
  Deno.writeTextFileSync(`${dir}/later`, file("n1", 1, 3).replace("cpu 0 1000 0", "cpu 0 900 0"));
  Deno.writeTextFileSync(`${dir}/same`, whole.replace("cpu 0 1500 0", "cpu 0 1400 0"));
  for (
    const [paths, expected] of [[["a", "fewer"], "a"], [["a", "later"], "a"], [
      ["a", "same"],
      "same",
    ]]
  ) {
    for (const order of [paths, [...paths].reverse()] as string[][]) {
      const out = joulemark(dir, ["stats", ...order]);
      assertStringIncludes(out.stderr, "in 1 lines values differ: those of the file with more");
      assertEquals(out.stdout, joulemark(dir, ["stats", expected as string]).stdout);
    }
  }
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

/** A node's packages count 100 W in units of 2^-14 J; the meter of the node, if there is one, 250 W. */
function energies(type: string, meter = ""): string {
  let text = `$hpcperfstats 2.3.5\n$hostname n1\n!${type} CTL0,C\n` +
    "!intel_rapl MSR_PKG_ENERGY_STATUS,E,U=mJ,W=32 MSR_DRAM_ENERGY_STATUS,E,U=mJ,W=32\n" +
    (meter === "" ? "" : `!${meter} energy,E,U=J\n`);
  for (let i = 0; i <= 10; i++) {
    text += `\n${1000 + 10 * i}.000000 7 n1\nintel_rapl 0 ${16384000 * i} ${655360 * i}\n`;
    if (meter !== "") text += `${meter} - ${2500 * i}\n`;
  }
  return text;
}

endToEnd("energies of archives without units: the family's, --energy-unit, or none", (dir) => {
  const metrics = (text: string, ...more: string[]) => {
    Deno.writeTextFileSync(`${dir}/a`, text);
    const out = joulemark(dir, ["stats", "--json", ...more, "a"]);
    assertEquals(out.code, 0);
    // the label that the original's schema has is true on no processor
    assertEquals(out.stdout.includes("mJ"), false);
    return { stderr: out.stderr, ...JSON.parse(out.stdout).metrics };
  };
  const family = metrics(energies("intel_skx_imc"));
  assertStringIncludes(family.stderr, "belong to Skylake, so the unit of this processor is used");
  assertEquals([family.pkg_energy, family.dram_energy], [10_000, 100]);
  const unknown = metrics(energies("intel_8pmc3"));
  assertStringIncludes(unknown.stderr, "no energy in joules");
  assertEquals([unknown.pkg_energy, unknown.package_power], [null, null]);
  const given = metrics(energies("intel_8pmc3"), "--energy-unit", "2^-14");
  assertEquals([given.stderr, given.pkg_energy, given.dram_energy], ["", 10_000, 400]);
  const unit = "intel_rapl=61.03515625uJ,intel_rapl.MSR_DRAM_ENERGY_STATUS=2^-16";
  const each = metrics(energies("intel_8pmc3"), "--energy-unit", unit);
  assertEquals([each.pkg_energy, each.dram_energy], [10_000, 100]);
  const bad = joulemark(dir, ["stats", "--energy-unit", "mJ", "a"]);
  assertEquals(bad.code, 2);
  assertStringIncludes(bad.stderr, '"mJ"');
});

endToEnd("node_power is the node's meter; the packages' is package_power", (dir) => {
  Deno.writeTextFileSync(`${dir}/a`, energies("intel_skx_imc"));
  Deno.writeTextFileSync(`${dir}/b`, energies("intel_skx_imc", "cray_pm"));
  const of = (path: string) => JSON.parse(joulemark(dir, ["stats", "--json", path]).stdout).metrics;
  assertEquals([of("a").package_power, of("a").node_power], [100, null]);
  assertEquals([of("b").package_power, of("b").node_power], [100, 250]);
});
