/** Stacks of `--folded`, and questions about them. */
import { assert, assertEquals } from "@std/assert";

/** A line of the file. */
export interface FoldedLine {
  readonly frames: readonly string[];
  readonly ns: number;
  readonly samples: number;
}

/** Reads a file of `--folded`. */
export function readFolded(path: string): FoldedLine[] {
  const lines = Deno.readTextFileSync(path).trimEnd().split("\n");
  assertEquals(lines[0], "# joulemark-folded/1");
  return lines.filter((line) => !line.startsWith("#")).map((line) => {
    const [stack, ns, samples] = line.split("\t");
    assert(Number.isInteger(Number(ns)) && Number.isInteger(Number(samples)), line);
    return { frames: stack.split(";"), ns: Number(ns), samples: Number(samples) };
  });
}

/** Seconds in all stacks. */
export function totalS(lines: readonly FoldedLine[]): number {
  return lines.reduce((sum, { ns }) => sum + ns, 0) / 1e9;
}

/** Which share of the time has stacks with these frames, one below the other, among others. */
export function shareOf(lines: readonly FoldedLine[], ...frames: string[]): number {
  const isBelow = (line: FoldedLine) => {
    let at = 0;
    for (const frame of line.frames) if (frame === frames[at]) at++;
    return at === frames.length;
  };
  return totalS(lines.filter(isBelow)) / totalS(lines);
}
