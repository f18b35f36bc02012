/** Configuration that nobody named, in a directory where another user writes. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { endToEnd, joulemark } from "../_support/programs.ts";

const NOBODY = 65534;
const ENVIRONMENT = { CALI_CONFIG: "runtime-report(output=own.txt)" };
/** Marked, and too short to matter. */
const RUN = ["demo", "-q", "--simulate"];

endToEnd("a caliper.config of another user is left aside, in a line", (dir) => {
  if (Deno.uid() !== 0) return console.log("skipped: only root makes files of other users");
  const theirs = `${dir}/theirs`, ours = `${dir}/ours`;
  Deno.mkdirSync(theirs);
  Deno.chownSync(theirs, NOBODY, NOBODY);
  Deno.writeTextFileSync(ours, "as it was");
  const config = `${theirs}/caliper.config`;
  const text = "CALI_SERVICES_ENABLE=event,recorder,trace,timestamp\n" +
    `CALI_RECORDER_FILENAME=${ours}\n`;
  Deno.writeTextFileSync(config, text);
  Deno.chownSync(config, NOBODY, NOBODY);
  const refused = joulemark(theirs, RUN, ENVIRONMENT);
  assertEquals(refused.code, 0, refused.stderr);
  assertMatch(refused.stderr, /caliper\.config is left aside: it belongs to user 65534\n/);
  assertEquals(Deno.readTextFileSync(ours), "as it was");
  assert(Deno.readTextFileSync(`${theirs}/own.txt`).length > 0);
  // A pipe keeps nobody waiting.
  Deno.removeSync(config);
  assertEquals(new Deno.Command("mkfifo", { args: [config] }).outputSync().code, 0);
  const pipe = joulemark(theirs, RUN, ENVIRONMENT);
  assertEquals(pipe.code, 0, pipe.stderr);
  assertMatch(pipe.stderr, /caliper\.config is left aside: it is not a file\n/);
  // One of ours is read, and one that a variable names.
  Deno.removeSync(config);
  Deno.writeTextFileSync(config, text.replace(ours, "stream.cali"));
  assertEquals(joulemark(theirs, RUN, ENVIRONMENT).code, 0);
  assertMatch(Deno.readTextFileSync(`${theirs}/stream.cali`), /^__rec=/);
}, 120);
