/** The texts that are handed out: carried as they are, complete, and their constants filled in. */
import { walkSync } from "@std/fs";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { LANGUAGES } from "../../../src/marks/client/files.ts";
import { ALL_DIALECTS, DIALECTS } from "../../../src/marks/client/dialects.ts";
import { preloadFiles } from "../../../src/marks/client/preload.ts";
import { TEXTS } from "../../../src/marks/client/texts.ts";
import { UnknownNameError, UsageError } from "../../../src/core/errors.ts";
import { changesFor, parseDialects, preloadRequest } from "../../../src/marks/preload/preload.ts";

Deno.test("TEXTS has every file of texts/ and preload/, unchanged", () => {
  const client = new URL("../../../src/marks/client/", import.meta.url).pathname;
  const files = new Map([["joulemark.h.in", `${client}joulemark.h.in`]]);
  for (const folder of ["texts", "preload"]) {
    // Whatever folder of the preload's they are in, they are built in one.
    for (const { name, path } of walkSync(`${client}${folder}`, { includeDirs: false })) {
      assert(!files.has(`${folder}/${name}`), path);
      files.set(`${folder}/${name}`, path);
    }
  }
  assertEquals(Object.keys(TEXTS).sort(), [...files.keys()].sort());
  for (const [file, path] of files) assertEquals(TEXTS[file], Deno.readTextFileSync(path), file);
});

Deno.test("every language has its files and tells how to use them", () => {
  for (const [name, language] of Object.entries(LANGUAGES)) {
    const files = language.files();
    assert(files.length > 0, name);
    for (const { name, text } of files) {
      assert(text !== undefined && text.length > 100, name);
      assert(!text.includes("@CONSTANTS@"), name);
      assert(text.includes("BSD-3-Clause"), name);
    }
    assert(/^(compile|use|build) with: /.test(language.use), name);
  }
  const names = new Set(preloadFiles().map(({ name }) => name));
  for (const [word, files] of Object.entries(DIALECTS)) {
    for (const file of files) assert(names.has(file), `${word}: ${file}`);
    assertEquals(preloadFiles([word]).length, 3 + files.length, word);
  }
});

Deno.test("parseDialects() takes a list in any order, and all", () => {
  assertEquals(parseDialects("tau, mpi,,tau"), ["mpi", "tau"]);
  assertEquals(parseDialects("all"), ALL_DIALECTS);
  assertEquals(
    parseDialects("callpath,alloc,io,phase,perfstubs,scorep,timer,mpi=all,all"),
    Object.keys(DIALECTS),
  );
  assert(ALL_DIALECTS.length > 10 && !ALL_DIALECTS.includes("io"));
  assertEquals(parseDialects(""), []);
  const { message } = assertThrows(() => parseDialects("mpi,likwit"), UnknownNameError, "likwid");
  assert(message.endsWith(", mpi=all, all") && !message.includes("phase"), message);
});

Deno.test("preloadRequest() requires an existing library", () => {
  assertEquals(preloadRequest(undefined, undefined), { dialects: [] });
  assertThrows(() => preloadRequest("mpi", "/no/such.so"), UsageError, "no such file");
  assertThrows(() => preloadRequest("mpi", "/"), UsageError);
  const here = new URL(import.meta.url).pathname;
  assertThrows(() => preloadRequest("mpi", here), UsageError, "found something else");
  const [library] = /\/\S+\/libc\.so\S*/.exec(Deno.readTextFileSync("/proc/self/maps"))!;
  assertEquals(preloadRequest(undefined, library).dialects, ALL_DIALECTS);
});

Deno.test("changesFor() puts the library before others, and leaves single places to them", () => {
  const said: string[] = [];
  const env = (values: Record<string, string>) => (name: string) => values[name];
  const log = (line: string) => said.push(line);
  assertEquals(changesFor("/l.so", ["mpi"], env({ LD_PRELOAD: "/a.so:/l.so" }), log), {
    JOULEMARK_PRELOAD: "mpi",
    LD_PRELOAD: "/l.so:/a.so",
    ASAN_OPTIONS: "verify_asan_link_order=0",
  });
  assertEquals(changesFor("/l.so", ["kokkos"], env({ KOKKOS_TOOLS_LIBS: "/k.so" }), log), {
    JOULEMARK_PRELOAD: "kokkos",
    KOKKOS_TOOLS_LIBS: "/l.so;/k.so",
  });
  assertEquals(said, []);
  assertEquals(
    changesFor("/l.so", ["nvtx", "itt"], env({ NVTX_INJECTION64_PATH: "/nsys.so" }), log),
    {
      JOULEMARK_PRELOAD: "nvtx,itt",
      INTEL_LIBITTNOTIFY64: "/l.so",
      INTEL_ITTNOTIFY_GROUPS: "all",
    },
  );
  assertEquals(said, [
    "NVTX_INJECTION64_PATH already names another tool, /nsys.so. joulemark does not change this variable and does not record these annotations",
  ]);
});
