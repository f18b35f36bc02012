/**
 * A fourth simulated recording for tests of the fit, which shares no code with the others: regions with unmarked
 * time between them and at both ends of the run, of powers of their own, through counters and steps of any pace.
 * Power is constant between its changes, so that all energies are exact sums.
 */
import { Attribution } from "../../../src/energy/edges/attribution.ts";

const CPUS = [0, 1, 2, 3];
const REGION_W = [180, 240, 310, 150];
/** Noise of the node: anew each 20 ms, with a memory. */
const NOISE_S = 0.02, NOISE = 0.016, KEPT = 0.6;

/** Times in s, powers in W. */
export interface WaitingProgram {
  readonly seconds: number;
  /** Between two updates of the counter, and as it is told. */
  readonly updateS: number;
  readonly toldS: number;
  readonly stepS: number;
  readonly lagS: number;
  readonly unitJ: number;
  /** Unmarked: before the first region, after the last, and between some. */
  readonly startS: number;
  readonly endS: number;
  readonly gapS: readonly [least: number, most: number];
  readonly visitS: readonly [least: number, most: number];
  /** Power while it starts and ends, and between regions. */
  readonly endsW: number;
  readonly gapW: number;
}

/** Energy of unmarked time and of each region, J: drawn, told (NaN: not told), and standard error. */
export interface Told {
  readonly drawnJ: number;
  readonly fitJ: number;
  readonly seJ: number;
}

/** Uniform numbers by a seed: "mulberry32". */
function uniform(seed: number): () => number {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Runs a program and attributes its energy: unmarked time, then regions. */
export function runWaiting(program: WaitingProgram, seed: number): Told[] {
  const one = uniform(seed);
  const between = (least: number, most: number) => least + (most - least) * one();
  const normal = () => Math.sqrt(-2 * Math.log(1 - one())) * Math.cos(2 * Math.PI * one());
  const { seconds, endsW, gapW, gapS, visitS } = program;
  const stays: { t: number; c: number; watts: number }[] = [{ t: 0, c: 0, watts: endsW }];
  let t = program.startS * between(0.8, 1.2);
  while (t < seconds) {
    const region = Math.floor(4 * one());
    stays.push({ t, c: region + 1, watts: REGION_W[region] * (1 + 0.02 * normal()) });
    t += between(...visitS);
    if (one() >= 0.5) continue;
    stays.push({ t, c: 0, watts: gapW });
    t += between(...gapS);
  }
  stays.push({ t, c: 0, watts: endsW });
  const endS = t + program.endS * between(0.8, 1.2);
  const pieces = piecesOf(stays, endS + 1, normal);
  const steps = [0.003];
  const dithered = () => program.stepS * (1 + 0.25 * (one() - one()));
  for (let at = 0.003 + dithered(); at < endS; at += dithered()) steps.push(at);
  steps.push(endS);
  return attributed(program, { stays, pieces, steps, begunS: -program.updateS * one() });
}

interface Piece {
  readonly t: number;
  readonly c: number;
  readonly watts: number;
  /** Up to it. */
  readonly joules: number;
}

function piecesOf(
  stays: readonly { t: number; c: number; watts: number }[],
  untilS: number,
  normal: () => number,
): Piece[] {
  const pieces: Piece[] = [];
  let noise = 0, joules = 0, k = 0, beats = 1;
  for (let t = 0; t < untilS;) {
    const { c, watts: plain } = stays[k], watts = plain * (1 + noise);
    pieces.push({ t, c, watts, joules });
    const next = Math.min(beats * NOISE_S, stays[k + 1]?.t ?? Infinity);
    joules += watts * (next - t);
    t = next;
    if (t === stays[k + 1]?.t) k++;
    else noise = KEPT * noise + NOISE * (beats++, normal());
  }
  return pieces;
}

function attributed(
  { updateS, toldS, lagS, unitJ, endsW }: WaitingProgram,
  { stays, pieces, steps, begunS }: {
    stays: readonly { t: number; c: number }[];
    pieces: readonly Piece[];
    steps: readonly number[];
    begunS: number;
  },
): Told[] {
  const attribution = new Attribution({
    cpuCount: CPUS.length,
    method: "fit",
    counters: [{ kind: "node", index: 0, cpus: CPUS, updatePeriodS: toldS }],
  });
  attribution.edge(0, CPUS, -1);
  let piece = 0, edge = 1, updateAtS = begunS, shownJ = 0;
  for (const at of steps) {
    for (; updateAtS <= at; updateAtS += updateS) {
      const momentS = updateAtS - lagS;
      while (piece + 1 < pieces.length && pieces[piece + 1].t <= momentS) piece++;
      const { t, watts, joules } = pieces[piece];
      // Before the run the node draws what it draws while the program starts.
      const exactJ = momentS < 0 ? endsW * momentS : joules + watts * (momentS - t);
      shownJ = Math.floor((1000 + exactJ) / unitJ) * unitJ;
    }
    for (; edge < stays.length && stays[edge].t <= at; edge++) {
      attribution.edge(stays[edge].t, CPUS, stays[edge].c - 1);
    }
    attribution.step(at, Float64Array.of(shownJ), Float64Array.of(NaN));
  }
  const drawnJ = new Float64Array(1 + REGION_W.length), endS = steps[steps.length - 1];
  pieces.forEach(({ t, c, watts }, k) => {
    const seconds = Math.min(endS, pieces[k + 1]?.t ?? endS) - Math.max(t, steps[0]);
    if (seconds > 0) drawnJ[c] += watts * seconds;
  });
  const result = attribution.result(true).get("node")!;
  return [...drawnJ].map((drawnJ, c) => {
    const { fitJ, seJ } = result.of(c);
    return { drawnJ, fitJ, seJ };
  });
}
