/**
 * Stacks as lines of text, for flame graphs: frames joined by `;`, then numbers. docs/reference/formats/folded.md.
 * @module
 */

/** A stack and what it took without those above it. */
export interface FoldedStack {
  /** The outermost first. */
  readonly frames: readonly string[];
  readonly ns: number;
  readonly samples: number;
}

const HEADER = "# joulemark-folded/1\n# stack\ttime(ns)\tsamples(count)\n";

/** The file: most time first. Stacks of the same names are one line. */
export function foldedText(stacks: readonly FoldedStack[]): string {
  const lines = new Map<string, { ns: number; samples: number }>();
  for (const { frames, ns, samples } of stacks) {
    const line = lines.getOrInsertComputed(
      frames.map(plain).join(";"),
      () => ({ ns: 0, samples: 0 }),
    );
    line.ns += ns;
    line.samples += samples;
  }
  const sorted = [...lines].map(([stack, { ns, samples }]) => ({
    stack,
    ns: Math.round(ns),
    samples,
  }))
    .sort((a, b) => b.ns - a.ns || (a.stack < b.stack ? -1 : 1));
  return HEADER + sorted.map(({ stack, ns, samples }) => `${stack}\t${ns}\t${samples}\n`).join("");
}

/** A name without the characters that have a meaning here. */
function plain(name: string): string {
  return name.replaceAll(";", ":").replaceAll(/[\t\r\n]/g, " ");
}
