/** The verb alone, as a program. */
import { runVerb } from "../../../../src/cli/command_line/run_verb.ts";
import { query } from "../../../../src/cli/query.ts";

Deno.exit(await runVerb(query, Deno.args));
