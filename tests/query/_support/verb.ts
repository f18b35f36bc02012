/** The verb alone, as a program. */
import { query } from "../../../src/cli/query.ts";

Deno.exit(await query.run(Deno.args));
