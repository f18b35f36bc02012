/** The program: everything it does is in src/cli/main.ts; its status is the process's. */
import { main } from "./src/cli/main.ts";
if (import.meta.main) Deno.exit(await main(Deno.args));
