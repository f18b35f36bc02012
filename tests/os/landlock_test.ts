/** Which paths a ruleset leaves open: tried on one thread of a process that ends with the test. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { closeFile } from "../../src/os/files.ts";
import { landlockVersion, openPlaces, pathsState } from "../../src/os/confinement/landlock.ts";
import { skippedWithout, unless } from "../_support/skipped.ts";
import { timed, withTimeLimit } from "../_support/time_limit.ts";

const NONE = { reads: [], devices: [], own: [], outputs: [] };

const PROGRAM = `
import { landlockVersion, makeRuleset, openPlaces } from ${
  JSON.stringify(import.meta.resolve("../../src/os/confinement/landlock.ts"))
};
import { libc } from ${JSON.stringify(import.meta.resolve("../../src/os/libc.ts"))};
import { closeFile, O, openFile } from ${
  JSON.stringify(import.meta.resolve("../../src/os/files.ts"))
};
const dir = Deno.args[0];
const ruleset = makeRuleset(landlockVersion(), openPlaces({
  reads: [dir + "/read", dir + "/one/file", dir + "/none"],
  devices: [dir + "/asked"],
  own: [dir + "/own"],
  outputs: [dir + "/out/link", dir + "/none/new", "/dev/null", dir + "/fifo"],
}).places);
const NO_NEW_PRIVS = 38, RESTRICT_SELF = 446n;
libc().prctl(NO_NEW_PRIVS, 1n, 0n, 0n, 0n);
const restricted = libc().seccomp(RESTRICT_SELF, BigInt(ruleset), 0n, null);
const tried = {};
for (const [name, path, flags] of JSON.parse(Deno.args[1])) {
  const fd = openFile(path, flags, 0o600);
  tried[name] = fd >= 0 ? "open" : -fd;
  closeFile(fd);
}
console.log(JSON.stringify({ restricted: Number(restricted), tried }));
`;

Deno.test({
  ...skippedWithout(
    "makeRuleset() leaves open what was declared, and nothing else",
    unless(landlockVersion() > 0, "no landlock in this kernel"),
  ),
  fn: () =>
    withTimeLimit(() => {
      const dir = Deno.realPathSync(Deno.makeTempDirSync());
      try {
        for (const name of ["read/in", "one", "own", "out", "target", "closed"]) {
          Deno.mkdirSync(`${dir}/${name}`, { recursive: true });
        }
        for (
          const name of [
            "read/in/file",
            "one/file",
            "one/other",
            "out/file",
            "closed/file",
            "asked",
          ]
        ) {
          Deno.writeTextFileSync(`${dir}/${name}`, "x");
        }
        Deno.writeTextFileSync(`${dir}/target/file`, "x");
        Deno.symlinkSync("../target/file", `${dir}/out/link`);
        new Deno.Command("mkfifo", { args: [`${dir}/fifo`] }).outputSync();
        Deno.writeTextFileSync(`${dir}/program.ts`, PROGRAM);
        const [read, write, make, nowait] = [0, 1, 0o101, 0o4002];
        const tries: readonly (readonly [string, string, number, "open" | number])[] = [
          ["read below", `${dir}/read/in/file`, read, "open"],
          ["write what is read", `${dir}/read/in/file`, write, 13],
          ["make where is read", `${dir}/read/new`, make, 13],
          ["read one file", `${dir}/one/file`, read, "open"],
          ["read the one beside", `${dir}/one/other`, read, 13],
          ["ask a device", `${dir}/asked`, 2, "open"],
          ["make in ours", `${dir}/own/new`, make, "open"],
          ["write where the link leads", `${dir}/target/file`, write, "open"],
          ["write beside the link", `${dir}/out/file`, write, 13],
          ["write to a device that is an output", "/dev/null", write, "open"],
          ["write to a pipe that is an output", `${dir}/fifo`, nowait, "open"],
          ["read another device", "/dev/full", read, 13],
          ["read what is closed", `${dir}/closed/file`, read, 13],
          ["make where a directory is missing", `${dir}/none`, make, 13],
          ["read the machine's", "/etc/passwd", read, 13],
        ];
        const { stdout, stderr } = new Deno.Command(Deno.execPath(), {
          args: [
            ...["run", "--quiet", "--no-lock", "-A", "--config"],
            ...[Deno.env.get("JOULEMARK_CONFIG") ?? "airgap/deno.json", `${dir}/program.ts`, dir],
            JSON.stringify(tries.map(([name, path, flags]) => [name, path, flags])),
          ],
        }).outputSync();
        const text = new TextDecoder().decode(stdout);
        assert(text !== "", new TextDecoder().decode(stderr));
        assertEquals(JSON.parse(text), {
          restricted: 0,
          tried: Object.fromEntries(tries.map(([name, , , expected]) => [name, expected])),
        });
      } finally {
        Deno.removeSync(dir, { recursive: true });
      }
    }),
});

timed("openPlaces() opens each place once, and leaves out what is not there", () => {
  const dir = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const outputs = [`${dir}/a.report`, `${dir}/a.report`, `${dir}/b.csv`, ""];
    const { places, error } = openPlaces({ ...NONE, reads: [dir, `${dir}/none`], outputs });
    assertEquals(error, 0);
    for (const { fd } of places) closeFile(fd);
    assertEquals(places.map(({ path }) => path), [dir, dir]);
    assert(places[0].access !== places[1].access);
  } finally {
    Deno.removeSync(dir);
  }
});

timed("pathsState() says whether paths will be restricted, or why not", () => {
  assertMatch(
    pathsState(),
    /^(restricted while a command runs \(landlock, version \d+\)|not restricted: .)/,
  );
});
