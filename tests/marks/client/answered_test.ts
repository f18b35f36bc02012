/** The interposition library against the names of every dialect's public header. */
import { assert, assertEquals } from "@std/assert";
import { DIALECTS } from "../../../src/marks/client/dialects.ts";
import { LANGUAGES } from "../../../src/marks/client/files.ts";
import { TEXTS } from "../../../src/marks/client/texts.ts";
import {
  answeredPage,
  dialectNames,
  dialectTrials,
  UNHEARD,
} from "../../_support/answered_page.ts";
import { needs } from "../marker/_c_program.ts";
import { timed } from "../../_support/time_limit.ts";
import { skippedWithout, unless } from "../../_support/skipped.ts";

/** Names that the library exports. */
function exported(): Set<string> {
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-names-" });
  try {
    for (const { name, text } of LANGUAGES.preload.files()) {
      Deno.writeTextFileSync(`${dir}/${name}`, text);
    }
    const line =
      "cc -O0 -w -std=gnu99 -fPIC -shared -o lib.so *.c -ldl && nm -D --defined-only lib.so";
    const out = new Deno.Command("sh", { args: ["-c", line], cwd: dir }).outputSync();
    assert(out.success, new TextDecoder().decode(out.stderr));
    const rows = new TextDecoder().decode(out.stdout).trimEnd().split("\n");
    return new Set(rows.map((row) => row.split(" ").at(-1)!));
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

Deno.test({
  ...needs("cc", "every name of a public header is answered, or the page says that it is not"),
  fn() {
    const have = exported();
    const dialects = dialectNames();
    for (const [word, { answered, notAnswered }] of Object.entries(dialects)) {
      assert(word in DIALECTS, word);
      assert(answered.length > 0, word);
      // NVTX's calls come by a table of the program's, not by name.
      if (word === "nvtx") continue;
      assertEquals(answered.filter((name) => !have.has(name)), [], `${word}: not exported`);
      assertEquals(notAnswered.filter((name) => have.has(name)), [], `${word}: answered after all`);
    }
    for (const { names } of Object.values(UNHEARD)) {
      assert(names.length > 0);
      assertEquals(names.filter((name) => have.has(name)), []);
    }
    // No call of ours is missing in the names of MPI.
    const { answered } = dialects.mpi;
    const ours = [...have].filter((name) => /^MPI_[A-Z][a-z]/.test(name));
    assertEquals(ours.filter((name) => !answered.includes(name)), []);
  },
});

timed("places of NVTX's table are those that the page says are answered", () => {
  const { answered, notAnswered } = dialectNames().nvtx;
  const places = TEXTS["preload/nvtx.c"].matchAll(/\{MODULE_CORE2?, \d+,/g);
  assertEquals([...places].length, answered.length);
  // Those of nvToolsExt.h; other headers name objects of CUDA and OpenCL, and locks.
  const others = notAnswered.filter((name) => /^nvtx(NameC[ul]|DomainSync)/.test(name));
  assertEquals(answered.length + notAnswered.length - others.length, 30);
});

timed("callbacks of OMPT that are set are those that the page says", () => {
  const { callbacks } = dialectNames().ompt;
  const text = TEXTS["preload/ompt.c"];
  const numbers = [
    ...text.slice(text.indexOf("callbacks[] =")).matchAll(/\{([A-Z_]+), \(function\)/g),
  ];
  assertEquals(
    numbers.map(([, name]) => `ompt_callback_${name.toLowerCase()}`).sort(),
    [...callbacks!.answered],
  );
});

timed("each cell of what tests run has the test that it names", () => {
  const dialects = dialectNames();
  const tried = new Set(dialectTrials().map(([word]) => word));
  assertEquals(Object.keys(dialects).filter((word) => !tried.has(word)), []);
  const page = answeredPage();
  for (const [word, language, ranWith, file, name] of dialectTrials()) {
    assert(page.includes(`| ${ranWith} |`), ranWith);
    assert(word === "joulemark client" || word in dialects, word);
    const text = Deno.readTextFileSync(new URL(`../../../${file}`, import.meta.url));
    assert(text.includes(name), `${word}, ${language}: no test "${name}" in ${file}`);
  }
});

/** Versions that the page says were tried, by Debian's packages. */
const PACKAGES = {
  "Open MPI": "libopenmpi-dev",
  MPICH: "libmpich-dev",
  LIKWID: "likwid",
  PAPI: "libpapi-dev",
  "LLVM's libomp": "libomp5-14",
};

function isDebian12(): boolean {
  try {
    return /^VERSION_ID="12"$/m.test(Deno.readTextFileSync("/etc/os-release"));
  } catch {
    return false;
  }
}

Deno.test({
  ...skippedWithout(
    "versions on the page are those of the libraries that tests run with",
    unless(isDebian12(), "the page's versions are those of Debian 12"),
  ),
  fn() {
    const tried = Object.values(dialectNames()).map((names) => names.tried).join("; ");
    for (const [library, name] of Object.entries(PACKAGES)) {
      const args = ["-W", "-f", "${Version}", name];
      const { success, stdout } = new Deno.Command("dpkg-query", { args, stderr: "null" })
        .outputSync();
      // A library that is not here was not run: its tests say so.
      const version = new TextDecoder().decode(stdout).match(/^(?:\d+:)?(\d+(?:\.\d+)+)/)?.[1];
      if (!success || version === undefined) continue;
      assert(tried.includes(`${library} ${version}`), `${library} ${version} is here: ${tried}`);
    }
  },
});
