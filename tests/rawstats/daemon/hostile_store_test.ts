/** The daemon runs as root: where other users put names it writes nothing. */
import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { AccessError } from "../../../src/core/errors.ts";
import { storeDirectory } from "../../../src/rawstats/daemon/store_directory.ts";
import { timed } from "../../_support/time_limit.ts";
import { NOT_ROOT } from "../../_support/skipped.ts";

const NOBODY = 65534;

function as(uid: number, ...words: string[]): void {
  const become = [`--reuid=${uid}`, `--regid=${uid}`, "--clear-groups"];
  const out = new Deno.Command("setpriv", { args: [...become, ...words] }).outputSync();
  assertEquals(out.code, 0, new TextDecoder().decode(out.stderr));
}

timed("storeDirectory() takes no directory of root's where another user can put a link", () => {
  const dir = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    assertEquals(storeDirectory(`${dir}/a/b/`, "h"), `${dir}/a/b/h`);
    assertEquals(storeDirectory(`${dir}/a/b`, "h"), `${dir}/a/b/h`);
    Deno.symlinkSync("b", `${dir}/a/link`);
    assertEquals(storeDirectory(`${dir}/a/link`, "h"), `${dir}/a/b/h`);
    Deno.writeTextFileSync(`${dir}/file`, "");
    assertThrows(() => storeDirectory(`${dir}/file`, "h"), AccessError);
    if (NOT_ROOT !== undefined) return console.log("skipped: another user's link takes root");
    const refuses = (path: string, why: RegExp) => {
      const error = assertThrows(() => storeDirectory(path, "h"), AccessError) as Error;
      assertMatch(error.message, why);
      assertMatch(error.message, /cannot write to ".*\/h": expected a directory of root's/);
    };
    Deno.chmodSync(dir, 0o755);
    Deno.mkdirSync(`${dir}/ours`);
    Deno.mkdirSync(`${dir}/shared`);
    Deno.chmodSync(`${dir}/shared`, 0o1777);
    as(NOBODY, "ln", "-s", `${dir}/ours`, `${dir}/shared/link`);
    refuses(`${dir}/shared/link`, /a link that another user made/);
    as(NOBODY, "mkdir", "-p", `${dir}/shared/theirs/h`);
    refuses(`${dir}/shared/theirs`, /theirs\/h belongs to user 65534|belongs to user 65534/);
    as(NOBODY, "ln", "-s", `${dir}/ours`, `${dir}/shared/h`);
    refuses(`${dir}/shared`, /a link that another user made/);
    assertEquals([...Deno.readDirSync(`${dir}/ours`)], []);
    Deno.removeSync(`${dir}/shared/h`);
    assertEquals(storeDirectory(`${dir}/shared`, "h"), `${dir}/shared/h`);
    Deno.chmodSync(`${dir}/shared/h`, 0o777);
    refuses(`${dir}/shared`, /can be changed by everybody/);
    Deno.chmodSync(`${dir}/shared/h`, 0o1777);
    refuses(`${dir}/shared`, /others may write to it, mode 1777/);
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});
