/** `run --functions`: functions of programs without marks, by CPU time. */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { compile } from "../_support/compiled.ts";
import { readFolded, shareOf } from "../_support/folded.ts";
import { asEachUser } from "../_support/plain_user.ts";

const LIMIT_S = 60;
const HIDDEN = "[kernel, not visible]";

asEachUser(
  "functions of a C program have the shares of its work, below their callers",
  (dir, user) => {
    compile("e2e/programs/functions/shares.c", `${dir}/app`, ["-O2"]);
    const out = user.joulemark(["run", "--functions=199", "--folded", "f", "--", "./app"]);
    assertEquals([out.code, out.stdout], [3, "done\n"], out.stderr);
    // How long the kernel interrupts the program depends on the machine.
    const lines = readFolded(`${dir}/f`).filter(({ frames }) => frames.at(-1) !== HIDDEN);
    assertAlmostEquals(shareOf(lines, "app", "main", "work", "heavy"), 0.75, 0.1);
    assertAlmostEquals(shareOf(lines, "app", "main", "work", "light"), 0.25, 0.1);
    assert(shareOf(lines, "app", "_start", "main") > 0.95);
  },
  LIMIT_S,
);
