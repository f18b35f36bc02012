/** A run is measured where another user has the name of its directory; so is one of a namespace's root. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parseReport } from "../../src/formats/report.ts";
import { BINARY, endToEnd } from "../_support/programs.ts";
import { NOT_ROOT } from "../_support/skipped.ts";

const as = (uid: number, cwd: string, ...words: string[]) => {
  const { code, stderr } = new Deno.Command("setpriv", {
    args: [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", ...words],
    cwd,
  }).outputSync();
  return { code, stderr: new TextDecoder().decode(stderr) };
};
const own = 100_000 + crypto.getRandomValues(new Uint16Array(1))[0];
const SAID =
  /^joulemark: cannot use "\/dev\/shm\/joulemark-\d+": expected .*, found a .* of user 65534,.*\n$/;

function measured(dir: string): number {
  const [host] = parseReport(Deno.readTextFileSync(`${dir}/joulemark.report`), "r").hosts;
  return Number(host.application["runtime (s)"]);
}

endToEnd(
  "run: a name that another user has costs a line, and not the figures",
  (dir) => {
    Deno.chownSync(dir, own, own);
    const names = ["/dev/shm", "/tmp"].map((parent) => `${parent}/joulemark-${own}`);
    try {
      for (const name of names) {
        Deno.writeTextFileSync(name, "");
        Deno.chownSync(name, 65534, 65534);
      }
      const out = as(own, dir, BINARY, "run", "-q", "--", "sh", "-c", "sleep 0.2; exit 3");
      assertEquals(out.code, 3);
      assertMatch(out.stderr, SAID);
      assert(measured(dir) > 0.1);
      // Other verbs find the same directory.
      const recovered = as(own, dir, BINARY, "recover");
      assertEquals(recovered, { code: 0, stderr: "" });
    } finally {
      for (const name of names) Deno.removeSync(name);
      for (const { name } of Deno.readDirSync("/dev/shm")) {
        if (!name.startsWith(`joulemark-${own}.`)) continue;
        Deno.removeSync(`/dev/shm/${name}`, { recursive: true });
      }
    }
  },
  undefined,
  NOT_ROOT,
);

endToEnd(
  "run: root of a user namespace is measured beside the node's root",
  (dir) => {
    Deno.chownSync(dir, own, own);
    const made = as(own, dir, "unshare", "-U", "-r", "true");
    if (made.code !== 0) return console.log("skipped: no user namespaces here");
    Deno.mkdirSync("/dev/shm/joulemark-0", { recursive: true, mode: 0o700 });
    // It has the name of the user that it is outside, so nobody is in its way.
    const inner = [BINARY, "run", "-q", "--", "sleep", "0.2"];
    const out = as(own, dir, "unshare", "-U", "-r", ...inner);
    assertEquals([out.code, out.stderr], [0, ""]);
    assert(measured(dir) > 0.1);
  },
  undefined,
  NOT_ROOT,
);
