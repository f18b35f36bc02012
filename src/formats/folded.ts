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
  /** Energy of so much of its time, J, by component; NaN: it cannot be determined. All have the same components. */
  energiesOf?(ns: number): ReadonlyMap<string, { readonly energyJ: number; readonly seJ: number }>;
}

const HEADER = "# joulemark-folded/1\n# stack\ttime(ns)\tsamples(count)";

/** The file: most time first. Stacks of the same names are one line. @param note A further line of the head. */
export function foldedText(stacks: readonly FoldedStack[], note?: string): string {
  const lines = new Map<string, { ns: number; samples: number; stack: FoldedStack }>();
  for (const stack of stacks) {
    const line = lines.getOrInsertComputed(
      stack.frames.map(plain).join(";"),
      () => ({ ns: 0, samples: 0, stack }),
    );
    line.ns += stack.ns;
    line.samples += stack.samples;
  }
  const sorted = [...lines].map(([name, { ns, samples, stack }]) => ({
    name,
    ns: Math.round(ns),
    numbers: [samples, ...energies(stack, ns)],
  })).sort((a, b) => b.ns - a.ns || (a.name < b.name ? -1 : 1));
  const kinds = [...stacks[0]?.energiesOf?.(0).keys() ?? []];
  const head = kinds.map((kind) => `\t${kind}(uJ)\t${kind}-se(uJ)`).join("");
  const rows = sorted.map(({ name, ns, numbers }) => `${[name, ns, ...numbers].join("\t")}\n`);
  const more = note === undefined ? "" : `# ${note}\n`;
  return `${HEADER}${head}\n${more}${rows.join("")}`;
}

function energies({ energiesOf }: FoldedStack, ns: number): (number | string)[] {
  return [...energiesOf?.(ns).values() ?? []].flatMap(({ energyJ, seJ }) =>
    [energyJ, seJ].map((joules) => Number.isNaN(joules) ? "nan" : Math.round(joules * 1e6))
  );
}

/** A name without the characters that have a meaning here. */
function plain(name: string): string {
  return name.replaceAll(";", ":").replaceAll(/[\t\r\n]/g, " ");
}
