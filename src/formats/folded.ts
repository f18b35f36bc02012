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
  /** Number of the function by which its energy is known: modules may have functions of the same name. */
  readonly leaf?: number;
  /** Energy of so much time of functions, J, by component; NaN: it cannot be determined. All have the same components. */
  energiesOf?(
    times: LeafTimesNs,
  ): ReadonlyMap<string, { readonly energyJ: number; readonly seJ: number }>;
}

/** Time of functions by number, ns. */
export type LeafTimesNs = readonly (readonly [leaf: number, ns: number])[];

const HEADER = "# joulemark-folded/1\n# stack\ttime(ns)\tsamples(count)";

/** The file: most time first. Stacks of the same names are one line. @param note A further line of the head. */
export function foldedText(stacks: readonly FoldedStack[], note?: string): string {
  interface Line {
    ns: number;
    samples: number;
    readonly stack: FoldedStack;
    readonly times: Map<number, number>;
  }
  const lines = new Map<string, Line>();
  for (const stack of stacks) {
    const line = lines.getOrInsertComputed(
      stack.frames.map(plain).join(";"),
      () => ({ ns: 0, samples: 0, stack, times: new Map() }),
    );
    const { leaf = -1 } = stack;
    line.times.set(leaf, (line.times.get(leaf) ?? 0) + stack.ns);
    line.ns += stack.ns;
    line.samples += stack.samples;
  }
  const sorted = [...lines].map(([name, { ns, samples, stack, times }]) => ({
    name,
    ns: Math.round(ns),
    numbers: [samples, ...energies(stack, [...times])],
  })).sort((a, b) => b.ns - a.ns || (a.name < b.name ? -1 : 1));
  const kinds = [...stacks[0]?.energiesOf?.([]).keys() ?? []];
  const head = kinds.map((kind) => `\t${kind}(uJ)\t${kind}-se(uJ)`).join("");
  const rows = sorted.map(({ name, ns, numbers }) => `${[name, ns, ...numbers].join("\t")}\n`);
  const more = note === undefined ? "" : `# ${note}\n`;
  return `${HEADER}${head}\n${more}${rows.join("")}`;
}

function energies({ energiesOf }: FoldedStack, times: LeafTimesNs): (number | string)[] {
  return [...energiesOf?.(times).values() ?? []].flatMap(({ energyJ, seJ }) =>
    [energyJ, seJ].map((joules) => Number.isNaN(joules) ? "nan" : Math.round(joules * 1e6))
  );
}

/** A name without the characters that have a meaning here. */
function plain(name: string): string {
  return name.replaceAll(";", ":").replaceAll(/[\t\r\n]/g, " ");
}
