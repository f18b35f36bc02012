/**
 * What cannot be determined has one note that names it, nested regions too; a node counter that appears late has what is
 * known of it, as a package's has.
 */
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { treeFromNested } from "../../src/core/region_tree.ts";
import { isMapping, type ReportHost } from "../../src/core/report.ts";
import { parseReport } from "../../src/formats/report.ts";
import { makeProgram } from "../_support/sim_programs.ts";
import { recordProgram } from "../_support/sim_recording.ts";
import { endToEnd, joulemark } from "../_support/programs.ts";

/** A node with a counter of 10 Hz alone: five short regions inside `main`. */
function replayed(
  dir: string,
  { program, seconds, change }: {
    program: "random 2 ms" | "random 10 ms";
    seconds: number;
    change?: (row: string, timeS: number) => string;
  },
): ReportHost {
  const made = makeProgram(program, { seed: 11, seconds, counters: "cray" });
  const { yaml, events, samples } = recordProgram(made, { dither: 0.25 });
  const { pid } = made.processes[0];
  const lines = events.trimEnd().split("\n").flatMap((row) => {
    const [time, , kind] = row.split(",");
    const own = (event: string, hint = "") => `${time},${pid},${event},main,${hint},`;
    if (kind === "start") return [row, own("region", "UNKNOWN"), own("enter")];
    return kind === "shutdown" ? [own("exit"), row] : [row];
  });
  const rows = samples.trimEnd().split("\n").map((row, k) =>
    k === 0 ? row : change?.(row, Number(row.split(",")[0])) ?? row
  );
  Deno.mkdirSync(`${dir}/rec`);
  Deno.writeTextFileSync(`${dir}/rec/recording.yaml`, yaml);
  Deno.writeTextFileSync(`${dir}/rec/events.csv`, lines.join("\n") + "\n");
  Deno.writeTextFileSync(`${dir}/rec/samples.csv`, rows.join("\n") + "\n");
  const out = joulemark(dir, ["replay", "rec", "--report", "r"]);
  assertEquals(out.code, 0, out.stderr);
  return parseReport(Deno.readTextFileSync(`${dir}/r`)).hosts[0];
}

function notesOf({ joulemark }: ReportHost): string[] {
  return [joulemark?.notes, joulemark?.["minor notes"]].flatMap((notes) => {
    return Array.isArray(notes) ? notes.map(String) : [];
  });
}

endToEnd("nested regions that cannot be determined are named, in one note", (dir) => {
  const host = replayed(dir, { program: "random 2 ms", seconds: 6 });
  const rows = treeFromNested(host.joulemark!.tree)!.rows;
  const unknown = rows.filter(({ energies }) => Number.isNaN(energies.get("node")!.joules));
  assert(!Number.isNaN(rows[0].energies.get("node")!.joules), "main is all there is");
  assert(unknown.length > 0, "few intervals leave large errors");
  const notes = notesOf(host).filter((note) => /^node .* coarse/.test(note));
  assertEquals(notes.length, 1, notes.join("\n"));
  const [, count, names] = /^node energy of (\d+) regions? is coarse \(~: (.*?)(?:, …)?\)/.exec(
    notes[0],
  )!;
  assertEquals(new Set(names.split(", ")).size, names.split(", ").length, notes[0]);
  for (const name of names.split(", ")) {
    assert(unknown.some(({ region }) => region === name), notes[0]);
  }
  assertEquals(Number(count), unknown.length, notes[0]);
});

endToEnd("a node counter that appears late has what is known of it", (dir) => {
  const host = replayed(dir, {
    program: "random 10 ms",
    seconds: 12,
    change: (row, timeS) =>
      timeS < 3 ? row.replace(/,.*/, (rest) => rest.replace(/[^,]+/g, "")) : row,
  });
  const known = Number(host.application["joulemark-node-energy-known (J)"]);
  const percent = Number(host.application["joulemark-node-energy-coverage (%)"]);
  assert(known > 500 && Number.isNaN(Number(host.application["joulemark-node-energy-fit (J)"])));
  assertAlmostEquals(percent, 75, 1.5);
  const { totals } = host.joulemark!;
  const node = isMapping(totals) && isMapping(totals.node) ? totals.node : {};
  assertAlmostEquals(Number(node["energy (J)"]), known, 1e-6 * known);
  assertAlmostEquals(Number(node["power (W)"]), known / (12 * percent / 100), 0.02 * known / 9);
  const notes = notesOf(host);
  assert(
    notes.some((note) => /^node energy is a lower limit \(read: node 0 from 3[.\d]* s/.test(note)),
    `${notes}`,
  );
  // Why its regions have none is that alone.
  assert(!notes.some((note) => /^node .* coarse/.test(note)), notes.join("\n"));
});
