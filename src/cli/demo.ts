/**
 * `joulemark demo`: the main job on this node, with nothing prepared.
 *
 * The executable runs itself as an annotated application, which marks through the ring like any
 * other. If the node has no readable energy counter the embedded simulated node replaces it, and
 * every output is marked `simulated`.
 * @module
 */
import { RUN_OPTIONS } from "../run/request/run_options.ts";
import { runWith } from "./run.ts";
import { HIDDEN_VERBS, selfCommand } from "../os/self.ts";
import type { Verb } from "./command_line/verb.ts";

/** Runs the built-in workload. */
export const demo: Verb = {
  name: "demo",
  usage: ["[options of run]"],
  about: `Runs a built-in example program and reports on it.

The program runs about four seconds. The command prints the summary and writes joulemark.report. The
command reads the energy counters of the node. If it can read none, it uses simulated counters,
and the summary and the report say so.

All options of "joulemark run" can be used, except --repeat.`,
  // The help of run describes them.
  options: RUN_OPTIONS.filter(({ name }) => name !== "repeat").map((option) => {
    return option.name === "help" ? { ...option, group: undefined } : { ...option, help: "" };
  }),
  command: true,
  section: "run",
  examples: [
    "joulemark demo",
    "joulemark demo --report /tmp/demo.report",
    "joulemark demo --trace demo.trace --record demo.recording",
  ],
  run: (options) =>
    runWith(options, {
      command: selfCommand(HIDDEN_VERBS.demoWorkload),
      simulateIfBlind: true,
      profile: "demo",
    }),
};
