/**
 * `joulemark capture`: saves a node as a tree, for the maintainers or for tests.
 * @module
 */
import { jsonText } from "../core/printable.ts";
import { unusable } from "../core/errors.ts";
import { hostName } from "../os/host.ts";
import { READERS } from "../sources/readers/with_raw.ts";
import { ownNames, redactor } from "../sources/capture/redact.ts";
import { capture as save } from "../sources/capture/capture.ts";
import { EXIT } from "./exit_codes.ts";
import { say, writeStdout } from "./io.ts";
import { openCatalogue } from "./open_catalogue.ts";
import { misused, parseFormat, parseSeconds } from "./command_line/options.ts";
import {
  COLLECTOR,
  quietOption,
  ROOT,
  TEXT_OR_JSON,
  WITHOUT,
} from "./command_line/common_options.ts";
import type { Verb } from "./command_line/verb.ts";

/** Saves a node as a tree. */
export const capture: Verb = {
  name: "capture",
  usage: ["[options] DIR"],
  about: `Saves this node's counter files as a directory tree, for use with --root.

DIR must be empty or must not exist. The command saves only the files and registers that joulemark
reads for signals and for raw stats. Counters of GPU libraries and of the perf interface cannot be
saved, because they are not files.`,
  options: [
    { name: "frames", value: "N", default: "2", help: "number of readings, at most 10000" },
    { name: "interval", value: "S", default: "1", help: "seconds between two readings" },
    { name: "redact", help: "remove host names, user names and serial numbers" },
    WITHOUT,
    COLLECTOR,
    {
      ...ROOT,
      help: "save the counter files of this directory, which has the layout of /, instead of the " +
        "machine",
    },
    { name: "json", help: "print the number of saved files, links and registers as JSON" },
    TEXT_OR_JSON,
    quietOption("print nothing about the saved files"),
  ],
  examples: [
    "joulemark capture node",
    "joulemark capture --frames 10 --interval 0.5 --redact node",
    "joulemark doctor --root node",
  ],
  run(options) {
    const { text, flags, words } = options;
    if (words.length !== 1) {
      throw misused("capture", "one directory", words.join(" ") || "none");
    }
    const frames = parseFrames(text.frames ?? "2");
    const intervalS = parseSeconds("--interval", text.interval ?? "1");
    const { host } = openCatalogue(text);
    const names = ownNames(hostName(host), (name) => Deno.env.get(name));
    const saved = save({
      directory: words[0].replace(/(?<=.)\/+$/, ""),
      host,
      readers: READERS,
      without: (text.without ?? "").split(",").filter((name) => name.trim() !== ""),
      frames,
      intervalS,
      redact: flags.has("redact") ? redactor(names) : undefined,
      anonymous: flags.has("redact"),
    });
    if (parseFormat(options, ["text", "json"]) === "json") {
      writeStdout(jsonText(saved) + "\n");
    }
    if (flags.has("quiet")) return EXIT.done;
    const changed = saved.changes.reduce((sum, n) => sum + n, 0);
    say(
      `saved ${saved.files} files, ${saved.links} links and ${saved.registers} registers. ` +
        `Later readings: ${saved.changes.length}, with ${changed} changed files in all`,
    );
    if (saved.closed.length > 0) {
      const some = saved.closed.slice(0, 3).join(", ");
      const more = saved.closed.length > 3 ? `, and ${saved.closed.length - 3} more` : "";
      say(`you may not read these files, so they are saved without content: ${some}${more}`);
    }
    return EXIT.done;
  },
};

function parseFrames(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 10000) return Number(text);
  throw unusable(`--frames=${text}`, "a whole number from 1 to 10000");
}
