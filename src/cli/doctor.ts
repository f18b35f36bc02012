/**
 * `joulemark doctor`: every source of this node, what is in its way, and what would mend it.
 * @module
 */
import { UsageError } from "../core/errors.ts";
import { msrAllowList } from "../readers/tables/msr_allow_list.ts";
import { diagnose } from "./diagnose.ts";
import { diagnosisText } from "./doctor_text.ts";
import { EXIT } from "./exit_codes.ts";
import { writeStdout } from "./io.ts";
import { openCatalogue } from "./open_catalogue.ts";
import { parseFormat } from "./command_line/options.ts";
import { JSON_SWITCH, ROOT, TEXT_OR_JSON, WITHOUT } from "./command_line/common_options.ts";
import { permissionFlags } from "./permissions.ts";
import type { Verb } from "./command_line/verb.ts";

/** Examines the sources of the node. */
export const doctor: Verb = {
  name: "doctor",
  summary: "which sources this node has, and what is in the way",
  usage: ["[options]"],
  about: `Says which sources this node has, what is in the way, and what would mend it.`,
  options: [
    JSON_SWITCH,
    TEXT_OR_JSON,
    { name: "permissions", help: "the permission flags that the executable is built with" },
    { name: "allow-list", help: "the registers it reads, as msr-safe's allow list has them" },
    { ...ROOT, help: "examine a tree laid out like / instead of the machine" },
    WITHOUT,
    { name: "verbose", short: "v", help: "also the rows that a readable source lacks" },
  ],
  notes: `Remedies are listed least risk first. Energy counters are for root since CVE-2020-8694,
because readings leak keys: open them to a group, not to all.`,
  examples: ["joulemark doctor", "joulemark doctor --json", "joulemark doctor --permissions"],
  run(options) {
    const { text, flags, words } = options;
    if (words.length > 0) {
      throw new UsageError({
        action: 'run "joulemark doctor"',
        expected: "options only",
        found: words[0],
        remedy: "see joulemark doctor --help",
      });
    }
    if (flags.has("permissions")) {
      writeStdout(permissionFlags().map((flag) => flag + "\n").join(""));
      return EXIT.done;
    }
    if (flags.has("allow-list")) {
      writeStdout(msrAllowList());
      return EXIT.done;
    }
    const { host, catalogue } = openCatalogue(text);
    const found = diagnose(host, catalogue);
    if (parseFormat(options, ["text", "json"]) === "json") {
      writeStdout(JSON.stringify(found, null, 2) + "\n");
    } else {writeStdout(
        diagnosisText(found, { verbose: flags.has("verbose"), width: terminalWidth() }),
      );}
    return EXIT.done;
  },
};

function terminalWidth(): number | undefined {
  return Deno.stdout.isTerminal() ? Deno.consoleSize().columns : undefined;
}
