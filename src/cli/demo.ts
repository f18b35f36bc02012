/**
 * `joulemark demo`: the main job on this node, with nothing prepared.
 *
 * The executable runs itself as an annotated application, which marks through the ring like any
 * other. Where the node has no readable energy counter the embedded simulated node stands in, and
 * everything that comes out says so.
 * @module
 */
import { runWith } from "./run.ts";
import { HIDDEN_VERBS, selfCommand } from "./self.ts";
import type { Verb } from "./verb.ts";
import { writeStdout } from "./io.ts";

const HELP = `Run a built-in marked workload and report on it.

Usage: joulemark demo [options of run]

Takes about four seconds, prints the card, writes joulemark.report. Reads the
node's energy counters; where there is none to read, a simulated node stands
in, and card and report say so.

Examples:
  joulemark demo
  joulemark demo --report /tmp/demo.report
  joulemark demo --trace demo.trace --record demo.recording
`;

/** See the module. */
export const demo: Verb = {
  name: "demo",
  summary: "run a built-in marked workload and report on it",
  help: HELP,
  run(args) {
    if (args.includes("--help") || args.includes("-h")) {
      writeStdout(HELP);
      return 0;
    }
    return runWith(args, {
      command: selfCommand(HIDDEN_VERBS.demoWorkload),
      simulateIfBlind: true,
      profile: "demo",
    });
  },
};
