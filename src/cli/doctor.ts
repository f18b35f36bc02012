/**
 * `joulemark doctor`: every source of this node, what is in its way, and what would mend it.
 * @module
 */
import { parseArgs } from "@std/cli";
import { UsageError } from "../core/errors.ts";
import { msrAllowList } from "../readers/tables/msr_allow_list.ts";
import { diagnose } from "./diagnose.ts";
import { diagnosisText } from "./doctor_text.ts";
import { EXIT } from "./exit_codes.ts";
import { writeStdout } from "./io.ts";
import { openCatalogue } from "./open_catalogue.ts";
import { permissionFlags } from "./permissions.ts";
import type { Verb } from "./verb.ts";

const HELP = `Says which sources this node has, what is in the way, and what would mend it.

Usage: joulemark doctor [options]

Options:
  --json         the same as JSON
  --permissions  the permission flags that the executable is built with
  --allow-list   the registers it reads, as msr-safe's allow list has them
  --root DIR     examine a tree laid out like / instead of the machine
  --without READERS  leave readers out, comma-separated
  -v, --verbose  also the rows that a readable source lacks
  -h, --help     this text

Mends are listed least risk first. Energy counters are for root since
CVE-2020-8694, because readings leak keys: open them to a group, not to all.

Examples:
  joulemark doctor
  joulemark doctor --json
  joulemark doctor --permissions
`;

/** See the module. */
export const doctor: Verb = {
  name: "doctor",
  summary: "which sources this node has, and what is in the way",
  help: HELP,
  run(args) {
    const flags = parseArgs(args, {
      string: ["root", "without", "format", "_"],
      boolean: ["json", "permissions", "allow-list", "help", "verbose", "quiet", "debug"],
      alias: { help: "h", verbose: "v", quiet: "q" },
      unknown: (arg: string) => {
        throw new UsageError({
          action: "examine",
          target: arg,
          expected: "a known option",
          remedy: 'see "joulemark doctor --help"',
        });
      },
    });
    if (flags.help) {
      writeStdout(HELP);
      return EXIT.done;
    }
    if (flags.permissions) {
      writeStdout(permissionFlags().map((flag) => flag + "\n").join(""));
      return EXIT.done;
    }
    if (flags["allow-list"]) {
      writeStdout(msrAllowList());
      return EXIT.done;
    }
    const { host, catalogue } = openCatalogue(flags);
    const found = diagnose(host, catalogue);
    if (flags.json || flags.format === "json") writeStdout(JSON.stringify(found, null, 2) + "\n");
    else writeStdout(diagnosisText(found, { verbose: flags.verbose, width: terminalWidth() }));
    return EXIT.done;
  },
};

function terminalWidth(): number | undefined {
  return Deno.stdout.isTerminal() ? Deno.consoleSize().columns : undefined;
}
