/**
 * Coverage of the time by energies and powers, in words: for the notes and for the report's
 * `joulemark:` mapping. The rules: docs/reference/coverage.md.
 * @module
 */
import type { Finding } from "../../core/finding.ts";
import { rounded } from "../../core/number_format.ts";
import { COMPONENT_NAMES, ENERGY_KINDS } from "../../core/region_tree.ts";
import type { Known, PartLoss } from "../../energy/totals/coverage.ts";
import type { Nested } from "../../core/report.ts";

/** Parts of a figure, one and several. */
const PARTS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  node: ["node", "nodes"],
  package: ["package", "packages"],
  dram: ["memory", "memories"],
  gpu: ["GPU", "GPUs"],
  "gpu-core": ["GPU", "GPUs"],
};

/** Times that differ by less are one, s. */
const SAME_S = 0.05;

/** Text after an energy that does not cover all: `of 1 of 2 packages after 3.1 s`. */
function coverageText(key: string, known: Known): string {
  const [first, ...others] = known.losses;
  const [one, many] = partNames(key);
  const untilS = first.untilS;
  if (known.losses.every((loss) => loss.fromS !== loss.fromS)) {
    return `of ${known.parts - known.losses.length} of ${known.parts} ${many}`;
  }
  const isTail = (loss: PartLoss) => {
    return loss.lostS < SAME_S && loss.fromS < SAME_S && Math.abs(loss.untilS - untilS) < SAME_S;
  };
  if (!isTail(first) || !others.every(isTail)) return `of ${percent(known.share)} of the time`;
  const left = known.parts - known.losses.length;
  if (left === 0) return `of the first ${time(untilS)}`;
  return `of ${left} of ${known.parts} ${known.parts === 1 ? one : many} after ${time(untilS)}`;
}

/** The mapping `coverage:`; `undefined`: every figure covers all of the time and its parts. */
export function coverageFacts(gaps: Map<string, Known>): Nested | undefined {
  if (gaps.size === 0) return undefined;
  const mapping: { [key: string]: Nested } = {};
  for (const [key, known] of gaps) {
    mapping[key] = {
      known: rounded(known.value),
      of: coverageText(key, known).replace(/^of /, ""),
      ...(key.endsWith("(J)") ? { "power while measured (W)": rounded(known.powerW) } : {}),
      "coverage (%)": rounded(100 * known.share),
      parts: known.losses.slice(0, 20).map((loss) => `${partNames(key)[0]} ${lossText(loss)}`),
    };
  }
  return mapping;
}

/** Notes on parts of an energy that are not known. */
export function coverageNotes(gaps: Map<string, Known>): Finding[] {
  const notes: Finding[] = [];
  for (const [key, { losses, parts }] of gaps) {
    // A power is its energy over time; a component that never counted has a line of its own.
    const isStill = losses.length === parts && losses.every((loss) => loss.isStill);
    if (!key.endsWith("energy (J)") || isStill) continue;
    const some = losses.slice(0, 4).map((loss) => `${partNames(key)[0]} ${lossText(loss)}`);
    const more = losses.length > 4 ? `; ${losses.length - 4} more` : "";
    const kind = ENERGY_KINDS.find((kind) => key.startsWith(`${kind}-`));
    notes.push({
      code: "coverage",
      severity: "warning",
      text: `${kind === undefined ? key : COMPONENT_NAMES[kind]} energy is a lower limit ` +
        `(read: ${some.join("; ")}${more})`,
      remedy: "repeat the run. If it happens again, inform the administrator",
    });
  }
  return notes;
}

/** `1 until 3.1 s`, `0 from 1.2 s, without 0.41 s (began again once)`. */
function lossText({ part, fromS, untilS, lostS, restarts, isStill }: PartLoss): string {
  if (isStill) return `${part} at no time (it did not change)`;
  if (fromS !== fromS) return `${part} at no time`;
  const words: string[] = [];
  if (fromS > 0) words.push(`from ${time(fromS)}`);
  words.push(`until ${time(untilS)}`);
  const times = restarts === 1 ? "once" : `${restarts} times`;
  const again = restarts > 0 ? ` (began again ${times})` : "";
  const without = lostS > 0 ? `, without ${time(lostS)}${again}` : "";
  return `${part} ${words.join(" ")}${without}`;
}

function partNames(key: string): readonly [one: string, many: string] {
  const kind = /^(.*?)-(energy|power) /.exec(key)?.[1] ?? (key === "power (W)" ? "package" : "");
  return PARTS[kind] ?? ["part", "parts"];
}

function time(seconds: number): string {
  return `${Number(seconds.toPrecision(3))} s`;
}

function percent(share: number): string {
  // Never "100 %" of what is not whole.
  return `${Math.min(99.9, Math.floor(share * 1000) / 10)} %`;
}
