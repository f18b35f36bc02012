/**
 * Energies that the executable gives for recordings whose joules are known, beside the truth.
 * @module
 */
import { knownRecording } from "./known_joules.ts";
import { joulemark } from "./programs.ts";

/** Values of some recordings: how many there are, and those that were determined. */
export interface Judged {
  readonly values: number;
  readonly determined: readonly {
    readonly trueJ: number;
    readonly energyJ: number;
    readonly seJ: number;
  }[];
}

/** Replays one recording and compares. */
export function judged(kind: string, seed: number): Judged {
  const { files, part, joules } = knownRecording(kind, seed);
  const dir = Deno.makeTempDirSync({ prefix: "joulemark-known-" });
  try {
    for (const [name, text] of Object.entries(files)) {
      Deno.writeTextFileSync(`${dir}/${name}`, text);
    }
    const out = joulemark(dir, ["replay", "-q", "--json", dir]);
    if (out.code !== 0) throw new Error(out.stderr);
    const [host] = JSON.parse(out.stdout).hosts;
    const rows = new Map<string, Record<string, unknown>>([["", host.unmarked ?? {}]]);
    for (const { region, fields } of host.regions) rows.set(region, fields);
    const key = (what: string) => `joulemark-${part}-energy-${what} (J)`;
    const determined = [...joules].flatMap(([name, trueJ]) => {
      const fields = rows.get(name) ?? {};
      const energyJ = fields[key("fit")], seJ = fields[key("fit-se")];
      if (typeof energyJ !== "number" || typeof seJ !== "number") return [];
      return [{ trueJ, energyJ, seJ }];
    });
    return { values: joules.size, determined };
  } finally {
    Deno.removeSync(dir, { recursive: true });
  }
}

/** All of them as one. */
export function sum(of: readonly Judged[]): Judged {
  return {
    values: of.reduce((n, { values }) => n + values, 0),
    determined: of.flatMap(({ determined }) => determined),
  };
}

/** Distances from the truth in standard errors, and shares. */
export function figuresOf({ values, determined }: Judged) {
  const z = determined.map(({ trueJ, energyJ, seJ }) => Math.abs(energyJ - trueJ) / seJ);
  const errors = determined.map(({ trueJ, energyJ }) => 100 * Math.abs(energyJ / trueJ - 1));
  errors.sort((a, b) => a - b);
  return {
    determinedPercent: 100 * determined.length / values,
    insidePercent: 100 * z.filter((x) => x <= 2).length / z.length,
    rms: Math.sqrt(z.reduce((s, x) => s + x * x, 0) / z.length),
    maximum: Math.max(...z),
    medianPercent: errors[errors.length >> 1],
    worstPercent: errors[errors.length - 1],
  };
}

/** A row of the table. */
export function lineOf(kind: string, about: string, found: Judged): string {
  const f = figuresOf(found), none = found.determined.length === 0;
  const cells = [
    f.insidePercent.toFixed(1),
    f.rms.toFixed(2),
    f.maximum.toFixed(1),
    f.medianPercent?.toFixed(2),
    f.worstPercent?.toFixed(2),
  ].map((cell) => none ? "–" : cell);
  const first = [kind, about, `${found.values}`, f.determinedPercent.toFixed(0)];
  return `| ${[...first, ...cells].join(" | ")} |`;
}

const WIDTH = 720, LEFT = 90, ROW = 26, RANGE_SE = 4;

/** An SVG with a dot for each determined value: its distance from the truth in standard errors, by kind. */
export function pictureOf(found: ReadonlyMap<string, Judged>): string {
  const height = ROW * found.size + 60,
    x = (z: number) => {
      const inside = Math.max(-RANGE_SE, Math.min(RANGE_SE, z));
      return (LEFT + (inside / RANGE_SE + 1) / 2 * (WIDTH - LEFT - 20)).toFixed(1);
    };
  const bottom = height - 40;
  const parts = [
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<rect x="${x(-2)}" y="10" width="${Number(x(2)) - Number(x(-2))}" height="${bottom - 10}" ` +
    'fill="#e8eef7"/>',
    `<path d="M${x(0)} 10V${bottom}" stroke="#555"/>`,
  ];
  [...found].forEach(([kind, { determined }], row) => {
    const y = 10 + ROW * (row + 0.5);
    parts.push(`<text x="8" y="${y + 4}">${kind}</text>`);
    if (determined.length === 0) {
      parts.push(`<text x="${x(-1.9)}" y="${y + 4}" fill="#555">not determined</text>`);
    }
    for (const { energyJ, trueJ, seJ } of determined) {
      parts.push(`<circle cx="${x((energyJ - trueJ) / seJ)}" cy="${y}" r="3" fill="#1f4e9e66"/>`);
    }
  });
  for (let z = -RANGE_SE; z <= RANGE_SE; z++) {
    parts.push(`<text x="${x(z)}" y="${bottom + 16}" text-anchor="middle">${z}</text>`);
  }
  const label = "(energy − true energy) / standard error; band: ± 2 standard errors";
  parts.push(`<text x="${x(0)}" y="${bottom + 34}" text-anchor="middle">${label}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ` +
    `font-family="sans-serif" font-size="12" role="img"><title>${label}</title>\n` +
    `${parts.join("\n")}\n</svg>\n`;
}
