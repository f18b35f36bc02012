/**
 * Where the packed program begins: main.ts without `import.meta.main` and `await` at its top, which
 * only modules have, because bundle.ts makes functions of modules.
 */
import { main } from "../../src/cli/main.ts";

main(Deno.args).then((status) => Deno.exit(status));
