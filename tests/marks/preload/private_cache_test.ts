/** Where what is loaded into programs is kept: nobody else may exchange it. */
import { assertEquals, assertMatch } from "@std/assert";
import { privateCache } from "../../../src/marks/preload/build.ts";
import { timed } from "../../_support/time_limit.ts";
import { NOT_ROOT } from "../../_support/skipped.ts";

timed("privateCache() takes no directory that another user can exchange", () => {
  const dir = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const cacheFor = (variables: Record<string, string>) => privateCache((name) => variables[name]);
    const elsewhere = new RegExp(`^/tmp/joulemark-cache-${Deno.uid()}$`);
    assertEquals(cacheFor({ HOME: dir }), `${dir}/.cache/joulemark`);
    assertEquals(cacheFor({ XDG_CACHE_HOME: `${dir}/x`, HOME: dir }), `${dir}/x/joulemark`);
    // A link of ours leads there; the name without links is what is loaded.
    Deno.symlinkSync(`${dir}/x`, `${dir}/link`);
    assertEquals(cacheFor({ XDG_CACHE_HOME: `${dir}/link` }), `${dir}/x/joulemark`);
    // Everybody may rename what lies in it.
    Deno.mkdirSync(`${dir}/open`);
    Deno.chmodSync(`${dir}/open`, 0o777);
    assertMatch(cacheFor({ HOME: `${dir}/open` }), elsewhere);
    Deno.chmodSync(`${dir}/open`, 0o1777);
    assertEquals(cacheFor({ HOME: `${dir}/open` }), `${dir}/open/.cache/joulemark`);
    if (NOT_ROOT !== undefined) return console.log("skipped: another user's home takes root");
    for (const theirs of ["home", "home/.cache"]) {
      Deno.mkdirSync(`${dir}/home/.cache`, { recursive: true });
      Deno.chownSync(`${dir}/${theirs}`, 65534, 65534);
      assertMatch(cacheFor({ HOME: `${dir}/home` }), elsewhere);
      // Nothing of ours is left where they may look.
      assertEquals([...Deno.readDirSync(`${dir}/home/.cache`)], []);
      Deno.removeSync(`${dir}/home`, { recursive: true });
    }
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
});

timed("privateCache() takes no directory from which no library can be loaded", () => {
  const dir = Deno.realPathSync(Deno.makeTempDirSync());
  const mount = (...args: string[]) =>
    new Deno.Command(args[0], { args: args.slice(1) }).outputSync();
  if (!mount("mount", "-t", "tmpfs", "-o", "noexec,mode=700", "none", dir).success) {
    return console.log("skipped: mounting a file system needs root");
  }
  try {
    const cache = privateCache((name) => name === "HOME" ? dir : undefined);
    assertEquals(cache, `/tmp/joulemark-cache-${Deno.uid()}`);
  } finally {
    mount("umount", dir);
    Deno.removeSync(dir);
  }
});
